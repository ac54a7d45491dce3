/** How the features that rest on contacts are set, birthday calls to come (decisions 11; additive). */

import { z } from "zod";
import { recordOf, wireOf } from "../../../core/wire-names.ts";
import { UNPLANNED_REASONS } from "../../../domain/contact/birthday-calls.ts";
import {
  HOLIDAY_COUNTRIES,
  minutesOf,
  timeOfDayText,
} from "../../../domain/contact/calling-hours.ts";
import type { FeatureSettings } from "../../../operations/admin/feature-settings.ts";
import { field, httpsUrl, idIn, idOut, okReply, shown, timeOfDay } from "../../contracts/schema.ts";
import { contract, route } from "../contract.ts";
import type { RouteContext } from "./context.ts";

const tag = "Contacts";

export const Features = z
  .strictObject({
    calling_from: shown(z.string(), "People are called from this time on.", "10:00"),
    calling_to: shown(z.string(), "… until this time.", "18:00"),
    holidays: shown(z.string().nullable(), "Whose public holidays are kept.", "LT"),
    birthday_agent_id: shown(z.int().nullable(), "The agent that congratulates.", 1),
    crm_url: shown(z.string().nullable(), "Where the CRM is asked and told.", null),
    has_crm_secret: shown(z.boolean(), "A secret is set.", false),
    crm_mapping: shown(z.record(z.string(), z.string()), "Our field to the CRM's.", {}),
  })
  .meta({ id: "FeatureSettings" });

export const getFeatures = contract({
  operationId: "getFeatureSettings",
  at: "GET /feature-settings",
  tag,
  summary: "How the features are set",
  reply: okReply({ feature_settings: Features }),
});

export const updateFeatures = contract({
  operationId: "updateFeatureSettings",
  audited: true,
  recordsChanges: true,
  at: "PATCH /feature-settings",
  role: "owner",
  tag,
  summary: "Set the features",
  description: "Which features are on is shown by `GET /tenant` and switched in the dashboard.",
  body: z
    .strictObject({
      calling_from: timeOfDay("People are called from this time on.", "10:00").optional(),
      calling_to: timeOfDay("… until this time.", "18:00").optional(),
      holidays: field(z.enum(HOLIDAY_COUNTRIES as [string, ...string[]]), {
        description: "Whose public holidays are kept; null: nobody's.",
        example: "LT",
        must: `be one of ${HOLIDAY_COUNTRIES.join(", ")}`,
      })
        .nullable()
        .optional(),
      birthday_agent_id: idIn("agents").nullable().optional(),
      crm_url: httpsUrl("Where the CRM is asked and told.").nullable().optional(),
      crm_secret: field(z.string().min(8).max(500), {
        description: "Sent as `Authorization: Bearer`; null takes it away. Never shown.",
        example: "a long random text",
        must: "be text of 8 to 500 characters",
      })
        .nullable()
        .optional(),
      crm_mapping: field(z.record(z.string().max(64), z.string().max(400)), {
        description: "Our field to the CRM's, with dots into objects.",
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
  summary: "Whose birthday is today, and when they are congratulated",
  description:
    "A birthday on a day without calls (Sunday, holiday) is congratulated on the next allowed day, within three days. Earlier birthdays that are still to be congratulated are listed, too.",
  reply: okReply({
    birthday_calls: z.array(
      z.strictObject({
        contact_id: idOut("contact"),
        name: shown(z.string(), "Whose birthday it is.", "Jonas Petraitis"),
        number: shown(z.string(), "The number, E.164.", "+37060000001"),
        birthday: shown(z.iso.date(), "This year's birthday.", "2026-11-22"),
        planned_day: shown(
          z.iso.date().nullable(),
          "The day of the call, in the tenant's time zone; null: there is none.",
          "2026-11-23",
        ),
        reason: shown(
          z.enum(UNPLANNED_REASONS).nullable(),
          "Why there is no planned day: birthday calls are `turned_off`, there is `no_agent` for them, `no_allowed_day` within three days, or today's `hours_over`.",
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
