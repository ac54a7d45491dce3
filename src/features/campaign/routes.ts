/** Campaigns: an agent calls a list of numbers (additive to the specification). */

import { z } from "zod";
import { wireOf } from "../../core/wire-names.ts";
import { contract, type Route, rawRoute, route } from "../../http/contract.ts";
import {
  choice,
  e164In,
  field,
  flag,
  idIn,
  idOut,
  integer,
  label,
  okReply,
  page,
  shown,
  timeOfDay,
  timeOrNull,
  timeOut,
} from "../../http/contracts/schema.ts";
import { csvResponse } from "../../http/csv-response.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { minutesOf, timeOfDayText } from "../contact/calling-hours.ts";
import { campaignTargets } from "../contact/contract.ts";
import { isCountry } from "../number/national-form.ts";
import { CAMPAIGN_STATUSES, type Campaigns, STATUS_REASONS } from "./campaigns.ts";
import { TARGET_STATUSES } from "./listed-targets.ts";

const tag = "Campaigns";
const PREVIEW_ROWS = 20;
const PROBLEMS_SHOWN = 100;
const list = {
  csv: field(z.string(), {
    description:
      "CSV text with a header row that contains at least `number`. At most 20,000 numbers.",
    example: "number,time\n+37060000001,ten o'clock\n",
    must: "be CSV text with a header row that has a column number",
  }),
  country: field(z.string().regex(/^[A-Z]{2}$/), {
    description:
      "Country of numbers without country code. Default: the country of the trunk's caller ID.",
    example: "LT",
    must: "be a two-letter country code such as LT",
  }).optional(),
};
export const Campaign = z
  .strictObject({
    id: idOut("campaign"),
    name: shown(
      z.string(),
      "Name of the campaign. Given to the agent as the reason for the call.",
      "Autumn check-ups",
    ),
    agent_id: shown(z.int().nullable(), "Id of the agent that calls. `null` if it was deleted.", 1),
    from_number: shown(z.string().nullable(), "Caller ID. `null` for the default caller ID.", null),
    status: shown(z.enum(CAMPAIGN_STATUSES), "Status of the message.", "draft"),
    status_reason: shown(
      z.enum(STATUS_REASONS).nullable(),
      "Reason why the campaign places no calls. `agent_deleted`: create a new campaign. `calls_failed`: half of the last calls failed; resume the campaign. With the other reasons the status is `running`, and the campaign continues automatically. `insufficient_balance`: plan minutes and wallet are used up. `daily_spend`: the daily spend cap is reached. `suspended`: the account is suspended. `no_trunk`: set up a trunk. `outside_hours`: outside the calling hours, or on a Sunday or public holiday. `null` if there is no such reason.",
      null,
    ),
    calling_from: shown(z.string(), "Start of the calling hours.", "10:00"),
    calling_to: shown(z.string(), "End of the calling hours.", "18:00"),
    concurrency: shown(z.int(), "Maximum number of concurrent calls.", 2),
    attempts: shown(z.int(), "Maximum number of attempts per number.", 2),
    retry_after_min: shown(z.int(), "Minutes between two attempts.", 120),
    targets: campaignTargets,
    created_at: timeOut("Time of creation."),
    updated_at: timeOut("Time of the last change of the status."),
  })
  .meta({ id: "Campaign" });

export const listCampaigns = contract({
  operationId: "listCampaigns",
  at: "GET /campaigns",
  tag,
  summary: "List campaigns, newest first",
  reply: okReply({ campaigns: z.array(Campaign) }),
});

export const createCampaign = contract({
  operationId: "createCampaign",
  audited: true,
  recordsChanges: true,
  at: "POST /campaigns",
  weight: 20,
  keyScope: "calls",
  tag,
  summary: "Create a campaign from a list",
  description:
    "Creates a draft. Start it with `POST /campaigns/{id}/action`. Other columns of the list are variables for the agent: `{{time}}` for a column `time`.",
  body: z
    .strictObject({
      name: label("Name of the campaign. Given to the agent as the reason for the call."),
      agent_id: idIn("agents"),
      from_number: e164In(
        "Caller ID: one of the tenant's numbers. Missing or `null`: the trunk's caller ID.",
      )
        .nullable()
        .optional(),
      ...list,
      skip_bad: flag(
        "Whether to leave out lines without a telephone number, and numbers that must not be called.",
        false,
      ).optional(),
      calling_from: timeOfDay("Start of the calling hours.", "10:00").default("10:00"),
      calling_to: timeOfDay("End of the calling hours.", "18:00").default("18:00"),
      concurrency: integer(
        1,
        50,
        "Maximum number of concurrent calls. The cap of the plan also applies.",
        2,
      ).default(1),
      attempts: integer(1, 5, "Maximum number of attempts per number.", 2).default(2),
      retry_after_min: integer(5, 10_080, "Minutes between two attempts.", 120).default(120),
    })
    .meta({ id: "NewCampaign" }),
  reply: okReply({ campaign: Campaign }),
  errors: [
    "plan_limit_reached",
    "valid_csv_required",
    "valid_calling_to_required",
    "not_found",
    "unknown_field",
  ],
});

export const previewCampaign = contract({
  operationId: "previewCampaign",
  at: "POST /campaigns/preview",
  weight: 20,
  keyScope: "calls",
  tag,
  summary: "Read a list without creating a campaign",
  body: z.strictObject(list).meta({ id: "CampaignList" }),
  reply: okReply({
    numbers: shown(z.int(), "Number of telephone numbers that would be called.", 1),
    duplicates: shown(z.int(), "Number of lines that repeat an earlier number.", 0),
    problem_count: shown(z.int(), "Number of lines without a telephone number.", 0),
    problems: z.array(
      z.strictObject({
        line: shown(z.int(), "Line of the file. The header is line 1.", 3),
        problem: shown(
          z.string(),
          "Description of the problem.",
          '"nobody" is not a telephone number.',
        ),
      }),
    ),
    refused_count: shown(z.int(), "Number of telephone numbers that must not be called.", 0),
    refused: z.array(
      z.strictObject({
        number: shown(z.string(), "Telephone number.", "+12025550123"),
        problem: shown(z.string(), "Reason.", "Only numbers in the country LT can be called."),
      }),
    ),
    preview: z.array(
      z.strictObject({
        number_e164: shown(z.string(), "Number to call.", "+37060000001"),
        variables: shown(z.record(z.string(), z.string()), "Values of the other columns.", {}),
      }),
    ),
  }),
  errors: ["valid_csv_required", "unknown_field"],
});

export const getCampaign = contract({
  operationId: "getCampaign",
  at: "GET /campaigns/{id}",
  tag,
  noun: "campaign",
  summary: "One campaign",
  reply: okReply({ campaign: Campaign }),
});

export const actOnCampaign = contract({
  operationId: "actOnCampaign",
  audited: true,
  at: "POST /campaigns/{id}/action",
  keyScope: "calls",
  tag,
  noun: "campaign",
  summary: "Start, pause, resume or cancel",
  body: z
    .strictObject({
      action: choice(["start", "pause", "resume", "cancel"], "Action on the campaign.", "start"),
    })
    .meta({ id: "CampaignAction" }),
  reply: okReply({ campaign: Campaign }),
  errors: ["valid_action_required", "conflict", "unknown_field"],
});

export const CampaignTarget = z
  .strictObject({
    id: idOut("line"),
    number_e164: shown(z.string(), "Number to call.", "+37060000001"),
    variables: shown(z.record(z.string(), z.string()), "Values of the other columns of the list.", {
      time: "ten o'clock",
    }),
    status: shown(
      z.enum(TARGET_STATUSES),
      "Status of the target. `waiting`: will be called, or called again. `calling`: a call is in progress. `done`: reached. `failed`: not reached in any attempt. `skipped`: must not be called, or the campaign was cancelled.",
      "done",
    ),
    attempts: shown(z.int(), "Number of attempts so far.", 1),
    outcome: shown(
      z.string().nullable(),
      "Reason that ended the last call (`ended_reason`). Without a call, reason why there was none: `do_not_call`, `destination_not_allowed` or `cancelled`. `null` if the number was not called yet.",
      "agent_hangup",
    ),
    call_uuid: shown(
      z.uuid().nullable(),
      "UUID of the last call. `null` if there was none or it was deleted.",
      "019aa1b2-0000-7000-8000-000000000001",
    ),
    last_attempt_at: timeOrNull("Time when the last call was placed. `null` if there was none."),
    next_attempt_at: timeOrNull(
      "Earliest time of the next attempt. A past time means as soon as the calling hours allow. `null` if no attempt is pending (see `status_reason`).",
    ),
  })
  .meta({ id: "CampaignTarget" });

const targetFilter = {
  status: choice(TARGET_STATUSES, "Filter: status of the number.", "failed").optional(),
};

export const listCampaignTargets = contract({
  operationId: "listCampaignTargets",
  at: "GET /campaigns/{id}/targets",
  tag,
  noun: "campaign",
  summary: "List a campaign's numbers with their results",
  description:
    "Numbers in the order of the list. Increase `offset` to read more pages. `total` counts all numbers that match the filter.",
  query: z.strictObject({ ...targetFilter, limit: page.limit(50), offset: page.offset() }),
  reply: okReply({
    targets: z.array(CampaignTarget),
    total: shown(z.int(), "Number of targets that match the filter.", 1),
  }),
  errors: ["valid_status_required", "valid_limit_required", "valid_offset_required"],
});

export const exportCampaignTargets = contract({
  operationId: "exportCampaignTargets",
  at: "GET /campaigns/{id}/targets/export",
  weight: 10,
  recent: true,
  audited: true,
  tag,
  noun: "campaign",
  summary: "Export a campaign's numbers as CSV",
  query: z.strictObject(targetFilter),
  reply: z.string(),
  replyType: "text/csv",
  errors: ["valid_status_required"],
});

const present = (campaign: Awaited<ReturnType<Campaigns["get"]>>) =>
  wireOf(Campaign, campaign, {
    calling_from: timeOfDayText(campaign.callingFrom),
    calling_to: timeOfDayText(campaign.callingTo),
    concurrency: campaign.concurrencyMax,
    attempts: campaign.attemptsMax,
    targets: campaign.counts,
  });

const targetRoutes = ({ campaigns }: RouteContext["dependencies"]["callerParts"]): Route[] => [
  route(listCampaignTargets)(async ({ tenantId, params, query }) => {
    const { targets, total } = await campaigns.targets(tenantId, params.id, query);
    return { ok: true, targets: targets.map((target) => wireOf(CampaignTarget, target)), total };
  }),
  rawRoute(exportCampaignTargets)(async ({ tenantId, params, query }) => {
    const lines = await campaigns.targetsCsv(tenantId, params.id, query);
    return csvResponse(lines, `campaign-${params.id}.csv`);
  }),
];

export const campaignRoutes = ({ dependencies }: RouteContext) => {
  const { campaigns } = dependencies.callerParts;
  const { trunks } = dependencies.services;
  const fileOf = async (tenantId: number, { csv, country }: { csv: string; country?: string }) => ({
    csv,
    country: isCountry(country) ? country : await trunks.country(tenantId),
  });
  return [
    route(listCampaigns)(async ({ tenantId }) => ({
      ok: true,
      campaigns: (await campaigns.list(tenantId)).map(present),
    })),
    route(createCampaign)(async ({ tenantId, body }) => ({
      ok: true,
      campaign: present(
        await campaigns.create(
          tenantId,
          {
            name: body.name,
            agentId: body.agent_id,
            fromNumber: body.from_number ?? null,
            callingFrom: minutesOf(body.calling_from),
            callingTo: minutesOf(body.calling_to),
            concurrencyMax: body.concurrency,
            attemptsMax: body.attempts,
            retryAfterMin: body.retry_after_min,
          },
          { ...(await fileOf(tenantId, body)), skipBad: body.skip_bad ?? false },
        ),
      ),
    })),
    route(previewCampaign)(async ({ tenantId, body }) => {
      const read = await campaigns.preview(tenantId, await fileOf(tenantId, body));
      return {
        ok: true,
        numbers: read.targets.length,
        duplicates: read.duplicates,
        problem_count: read.problems.length,
        problems: read.problems.slice(0, PROBLEMS_SHOWN).map((problem) => ({ ...problem })),
        refused_count: read.refused.length,
        refused: read.refused.slice(0, PROBLEMS_SHOWN),
        preview: read.targets.slice(0, PREVIEW_ROWS).map(({ numberE164, variables }) => ({
          number_e164: numberE164,
          variables: { ...variables },
        })),
      };
    }),
    route(getCampaign)(async ({ tenantId, params }) => ({
      ok: true,
      campaign: present(await campaigns.get(tenantId, params.id)),
    })),
    route(actOnCampaign)(async ({ tenantId, params, body }) => ({
      ok: true,
      campaign: present(await campaigns.act(tenantId, params.id, body.action)),
    })),
    ...targetRoutes(dependencies.callerParts),
  ];
};
