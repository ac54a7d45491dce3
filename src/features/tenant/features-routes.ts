/** Settings of features that use contacts, and upcoming birthday calls (decisions 11; additive). */

import { z } from "zod";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { contract, route } from "../../http/contract.ts";
import {
  field,
  httpsUrl,
  idIn,
  idOut,
  okReply,
  shown,
  timeOfDay,
} from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { UNPLANNED_REASONS } from "../contact/birthday-calls.ts";
import { HOLIDAY_COUNTRIES, minutesOf, timeOfDayText } from "../contact/calling-hours.ts";
import type { FeatureSettings } from "./feature-settings.ts";

const tag = "Contacts";

export const Features = z
  .strictObject({
    calling_from: shown(z.string(), "Start of the calling hours.", "10:00"),
    calling_to: shown(z.string(), "End of the calling hours.", "18:00"),
    holidays: shown(
      z.string().nullable(),
      "Country whose public holidays have no calls. `null` for none.",
      "LT",
    ),
    birthday_agent_id: shown(
      z.int().nullable(),
      "Id of the agent for birthday calls. `null` if none is set.",
      1,
    ),
    crm_url: shown(
      z.string().nullable(),
      "URL that receives lookups and call outcomes. `null` if none is set.",
      null,
    ),
    has_crm_secret: shown(z.boolean(), "Whether a secret is set.", false),
    crm_mapping: shown(
      z.record(z.string(), z.string()),
      "Mapping from our field names to the CRM's.",
      {},
    ),
  })
  .meta({ id: "FeatureSettings" });

export const getFeatures = contract({
  operationId: "getFeatureSettings",
  at: "GET /feature-settings",
  tag,
  summary: "Show the settings of the features",
  reply: okReply({ feature_settings: Features }),
});

export const updateFeatures = contract({
  operationId: "updateFeatureSettings",
  audited: true,
  recordsChanges: true,
  at: "PATCH /feature-settings",
  role: "owner",
  tag,
  summary: "Change the settings of the features",
  description:
    "Features are switched on and off in the dashboard. `GET /tenant` shows their state.",
  body: z
    .strictObject({
      calling_from: timeOfDay("Start of the calling hours.", "10:00").optional(),
      calling_to: timeOfDay("End of the calling hours.", "18:00").optional(),
      holidays: field(z.enum(HOLIDAY_COUNTRIES as [string, ...string[]]), {
        description: "Country whose public holidays have no calls. `null` for none.",
        example: "LT",
        must: `be one of ${HOLIDAY_COUNTRIES.join(", ")}`,
      })
        .nullable()
        .optional(),
      birthday_agent_id: idIn("agents", "`null`: no birthday calls.").nullable().optional(),
      crm_url: httpsUrl("URL that receives lookups and call outcomes. `null` if none is set.")
        .nullable()
        .optional(),
      crm_secret: field(z.string().min(8).max(500), {
        description: "Secret, sent as `Authorization: Bearer`. `null` removes it. Never returned.",
        example: "a long random text",
        must: "be text of 8 to 500 characters",
      })
        .nullable()
        .optional(),
      crm_mapping: field(z.record(z.string().max(64), z.string().max(400)), {
        description: "Mapping from our field names to the CRM's. Dots separate nested objects.",
        example: { name: "contact.full_name" },
        must: "be an object of texts",
      }).optional(),
    })
    .meta({ id: "FeatureSettingsChanges" }),
  reply: okReply({ feature_settings: Features }),
  errors: [
    "valid_calling_to_required",
    "valid_crm_mapping_required",
    "valid_crm_secret_required",
    "valid_crm_url_required",
    "not_found",
    "unknown_field",
  ],
});

export const previewBirthdays = contract({
  operationId: "previewBirthdayCalls",
  at: "GET /birthday-calls/preview",
  tag,
  summary: "Preview today's birthday calls",
  description:
    "If no calls are allowed on the birthday (Sunday, holiday), the call is placed on the next allowed day, within three days. The list includes earlier birthdays whose call is pending.",
  reply: okReply({
    birthday_calls: z.array(
      z.strictObject({
        contact_id: idOut("contact"),
        name: shown(z.string(), "Name of the person.", "Jonas Petraitis"),
        number: shown(z.string(), "Phone number of the person, E.164.", "+37060000001"),
        birthday: shown(z.iso.date(), "Date of this year's birthday.", "2026-11-22"),
        planned_day: shown(
          z.iso.date().nullable(),
          "Day of the call in the tenant's time zone. `null` if no call is planned; see `reason`.",
          "2026-11-23",
        ),
        reason: shown(
          z.enum(UNPLANNED_REASONS).nullable(),
          "Reason if no call is planned: `turned_off`: birthday calls are off. `no_agent`: no agent is set. `no_allowed_day`: calls aren't allowed within three days. `hours_over`: today's calling hours are over. `null` if a call is planned.",
          null,
        ),
      }),
    ),
  }),
});

const present = (settings: Awaited<ReturnType<FeatureSettings["get"]>>) =>
  wireOf(Features, settings, {
    calling_from: timeOfDayText(settings.callingFrom),
    calling_to: timeOfDayText(settings.callingTo),
    has_crm_secret: settings.crmSecretSealed !== null,
    crm_mapping: settings.crmMapping ?? {},
  });

const minutesFrom = (text: string | undefined) =>
  text === undefined ? undefined : minutesOf(text);

export const featureRoutes = ({ dependencies: { services, callerParts } }: RouteContext) => [
  route(getFeatures)(async ({ tenantId }) => ({
    ok: true,
    feature_settings: present(await services.featureSettings.get(tenantId)),
  })),
  route(updateFeatures)(async ({ tenantId, body }) => {
    const { calling_from: from, calling_to: to, ...others } = body;
    const hours = { callingFrom: minutesFrom(from), callingTo: minutesFrom(to) };
    const changes = { ...recordOf(others), ...hours };
    return {
      ok: true,
      feature_settings: present(await services.featureSettings.update(tenantId, changes)),
    };
  }),
  route(previewBirthdays)(async ({ tenantId }) => ({
    ok: true,
    birthday_calls: (await callerParts.birthdays.preview(tenantId)).map((planned) => ({
      ...planned,
    })),
  })),
];
