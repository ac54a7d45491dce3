/** Campaigns: an agent calls a list of numbers (additive to the specification). */

import { z } from "zod";
import { wireOf } from "../../../core/wire-names.ts";
import {
  CAMPAIGN_STATUSES,
  type Campaigns,
  STATUS_REASONS,
} from "../../../domain/campaign/campaigns.ts";
import { TARGET_STATUSES } from "../../../domain/campaign/listed-targets.ts";
import { minutesOf, timeOfDayText } from "../../../domain/contact/calling-hours.ts";
import { isCountry } from "../../../domain/number/national-form.ts";
import { campaignTargets } from "../../contracts/contacts.ts";
import {
  choice,
  e164In,
  field,
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
} from "../../contracts/schema.ts";
import { contract, type Route, rawRoute, route } from "../contract.ts";
import { csvResponse } from "../csv-response.ts";
import type { RouteContext } from "./context.ts";

const tag = "Campaigns";
export const Campaign = z
  .strictObject({
    id: idOut("campaign"),
    name: shown(z.string(), "Its name; the agent is told it as the reason.", "Autumn check-ups"),
    agent_id: shown(z.int().nullable(), "Who calls.", 1),
    from_number: shown(z.string().nullable(), "Caller id; null: the default one.", null),
    status: shown(z.enum(CAMPAIGN_STATUSES), "Where it stands.", "draft"),
    status_reason: shown(
      z.enum(STATUS_REASONS).nullable(),
      "Why it calls nobody although nobody asked for that. `agent_deleted`: it cannot go on, make a new campaign. `calls_failed`: half of the last calls failed; resume it. With the others it is `running` and goes on by itself: `insufficient_balance`: plan minutes and wallet are used up. `daily_spend`: the day's spending cap is reached. `suspended`: the account is. `no_trunk`: there is no trunk; set one up. `outside_hours`: it waits for its hours, or a Sunday or public holiday is over. null: none of these.",
      null,
    ),
    calling_from: shown(z.string(), "Calls from this time on.", "10:00"),
    calling_to: shown(z.string(), "… until this time.", "18:00"),
    concurrency: shown(z.int(), "Calls at once.", 2),
    attempts: shown(z.int(), "Tries for a number.", 2),
    retry_after_min: shown(z.int(), "Minutes between two tries.", 120),
    targets: campaignTargets,
    created_at: timeOut("When it was made."),
    updated_at: timeOut("When its status last changed."),
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
  summary: "Make a campaign from a list",
  description:
    "It begins as a draft. Other columns of the list are variables for the agent's words: a column `time` is `{{time}}`.",
  body: z
    .strictObject({
      name: label("Its name; the agent is told it as the reason."),
      agent_id: idIn("agents"),
      from_number: e164In("Caller id: one of the tenant's numbers.").nullable().optional(),
      csv: field(z.string(), {
        description: "A header row with at least `number`; at most 20,000 numbers.",
        example: "number,time\n+37060000001,ten o'clock\n",
        must: "be CSV text with a header row that has a column number",
      }),
      country: field(z.string().regex(/^[A-Z]{2}$/), {
        description: "Whose national numbers are understood.",
        example: "LT",
        must: "be a two-letter country code such as LT",
      }).optional(),
      calling_from: timeOfDay("Calls from this time on.", "10:00").default("10:00"),
      calling_to: timeOfDay("… until this time.", "18:00").default("18:00"),
      concurrency: integer(1, 50, "Calls at once; the plan's cap holds as well.", 2).default(1),
      attempts: integer(1, 5, "Tries for a number.", 2).default(2),
      retry_after_min: integer(5, 10_080, "Minutes between two tries.", 120).default(120),
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
      action: choice(["start", "pause", "resume", "cancel"], "What to do.", "start"),
    })
    .meta({ id: "CampaignAction" }),
  reply: okReply({ campaign: Campaign }),
  errors: ["valid_action_required", "conflict", "unknown_field"],
});

export const CampaignTarget = z
  .strictObject({
    id: idOut("line"),
    number_e164: shown(z.string(), "Whom to call.", "+37060000001"),
    variables: shown(z.record(z.string(), z.string()), "Other columns of its line.", {
      time: "ten o'clock",
    }),
    status: shown(
      z.enum(TARGET_STATUSES),
      "`waiting`: to be called, or called again. `calling`: under way. `done`: reached. `failed`: not reached in all tries. `skipped`: not to be called, or the campaign was cancelled.",
      "done",
    ),
    attempts: shown(z.int(), "Tries so far.", 1),
    outcome: shown(
      z.string().nullable(),
      "The `ended_reason` of the last call that ended. If there was none: why it is not called: `do_not_call`, `destination_not_allowed`, `cancelled`. null: not called yet.",
      "agent_hangup",
    ),
    call_uuid: shown(
      z.uuid().nullable(),
      "The last call; null: there was none, or it was deleted.",
      "019aa1b2-0000-7000-8000-000000000001",
    ),
    last_attempt_at: timeOrNull("When that call was placed."),
    next_attempt_at: timeOrNull(
      "From when on it is called, within the campaign's hours; what is past means now. null: it does not wait, or the campaign does not run, or not before something changes (`status_reason`).",
    ),
  })
  .meta({ id: "CampaignTarget" });

const targetFilter = {
  status: choice(TARGET_STATUSES, "Only numbers in this state.", "failed").optional(),
};

export const listCampaignTargets = contract({
  operationId: "listCampaignTargets",
  at: "GET /campaigns/{id}/targets",
  tag,
  noun: "campaign",
  summary: "A campaign's numbers and what became of each",
  description:
    "In the order of its list. Page by raising `offset`; `total` counts all that the filter lets through.",
  query: z.strictObject({ ...targetFilter, limit: page.limit(50), offset: page.offset() }),
  reply: okReply({
    targets: z.array(CampaignTarget),
    total: shown(z.int(), "All numbers that match.", 1),
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
  summary: "The same as CSV, all of them",
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
          { csv: body.csv, country: isCountry(body.country) ? body.country : null },
        ),
      ),
    })),
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
