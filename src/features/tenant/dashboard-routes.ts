/** A tenant's settings: time zone, features, dialling rules, disclosure. */

import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { microToEur } from "../../core/money.ts";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { contract, route } from "../../http/contract.ts";
import { field, flag, okReply, shown, timeOut } from "../../http/contracts/schema.ts";
import type { DashboardParts } from "../../http/dashboard/ports.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { sessionOf } from "../../http/dashboard-signed-in.ts";
import { forbidden } from "../../http/problem.ts";
import { hasNoSecondFactor } from "../../http/session/rights.ts";
import { AGENT_LANGUAGES } from "../agent/agent.ts";
import { retentionOf } from "../billing/fulfilment.ts";
import {
  contactFields,
  dialingFields,
  dialingOut,
  eurOrNull,
  settingsChangesOf,
} from "./contract.ts";
import type { TenantSettings as StoredSettings } from "./tenant-settings.ts";

const FEATURES = ["callback_memory", "named_greeting", "cli_identity", "birthday_calls"] as const;

const languages = <Value extends z.ZodType>(value: Value) =>
  Object.fromEntries(AGENT_LANGUAGES.map((language) => [language, value])) as Record<
    (typeof AGENT_LANGUAGES)[number],
    Value
  >;
const features = <Value extends z.ZodType>(value: Value) =>
  Object.fromEntries(FEATURES.map((name) => [name, value])) as Record<
    (typeof FEATURES)[number],
    Value
  >;

const DISCLOSURE_TEXT_MAX = 500;

export const TenantSettings = z
  .strictObject({
    name: shown(z.string(), "Company name.", "Example UAB"),
    email: shown(z.string(), "Contact e-mail.", "office@example.com"),
    created_at: timeOut("Time of creation."),
    time_zone: shown(z.string(), "IANA time zone.", "Europe/Vilnius"),
    features: z.strictObject({
      ...features(shown(z.boolean(), "Whether the feature is on.", false)),
      crm_bridge: shown(
        z.boolean(),
        "Whether the CRM bridge is paid. Buy it under billing.",
        false,
      ),
    }),
    ...dialingOut,
    daily_spend_default_eur: shown(z.number(), "Daily spend cap of the appliance in EUR.", 50),
    legacy_webhook: shown(
      z.boolean(),
      "Whether agents' URLs get `call.completed` instead of `call.ended`.",
      false,
    ),
    disclosure: z.strictObject({
      ...languages(
        shown(
          z.string().nullable(),
          "First sentence of each call. `null`: the operator's sentence.",
          null,
        ),
      ),
    }),
    disclosure_default: z.strictObject({
      ...languages(shown(z.string(), "The operator's sentence. Empty if there is none.", "")),
    }),
    requires_second_factor: shown(
      z.boolean(),
      "Whether members need a passkey or an authenticator to sign in.",
      false,
    ),
    transcripts_days: shown(
      z.int(),
      "Number of days that transcripts are stored, including bought blocks.",
      30,
    ),
    retention_blocks_left: shown(z.int(), "Number of 30-day blocks that can still be bought.", 5),
  })
  .meta({ id: "TenantSettings" });

export const getTenantSettings = contract({
  operationId: "getTenantSettings",
  at: "GET /tenant-settings",
  tag: "Settings",
  summary: "The tenant's settings",
  reply: okReply({ settings: TenantSettings }),
});

const switchOn = field(z.boolean(), {
  description: "Whether the feature is on.",
  example: true,
  must: "hold true or false for each of callback_memory, named_greeting, cli_identity, birthday_calls",
});

export const updateTenantSettings = contract({
  operationId: "updateTenantSettings",
  recordsChanges: true,
  at: "PATCH /tenant-settings",
  tag: "Settings",
  role: "owner",
  summary: "Change the tenant's settings",
  description:
    "Missing fields stay unchanged. Changes apply to new calls. `allowed_prefixes`, `short_numbers`, `calls_per_minute_max` and `daily_spend_max_eur` protect against toll fraud: only the operator can change them, others get 403.",
  body: z
    .strictObject({
      ...contactFields,
      ...dialingFields,
      time_zone: field(z.string().min(1).max(64), {
        description: "IANA time zone.",
        example: "Europe/Vilnius",
        must: "be an IANA time zone such as Europe/Vilnius",
      }),
      requires_second_factor: flag(
        "Whether members need a passkey or an authenticator to sign in. An owner can require it only after setting up one of them.",
        true,
      ),
      features: field(z.strictObject(features(switchOn)).partial(), {
        description: "Features to switch on or off. `crm_bridge` is bought under billing.",
        example: { callback_memory: true },
        must: "hold true or false for any of callback_memory, named_greeting, cli_identity, birthday_calls",
      }),
      legacy_webhook: flag("Whether agents' URLs get `call.completed` instead of `call.ended`."),
      disclosure: field(
        z
          .strictObject(
            languages(z.string().min(1).max(DISCLOSURE_TEXT_MAX).regex(/\S/).nullable()),
          )
          .partial(),
        {
          description: "First sentence of each call. `null`: the operator's sentence.",
          example: { en: "You are speaking with an automated assistant." },
          must: `hold, for any of ${AGENT_LANGUAGES.join(", ")}, text of 1 to ${DISCLOSURE_TEXT_MAX} characters or null`,
        },
      ),
    })
    .partial()
    .meta({ id: "TenantSettingsChanges" }),
  reply: okReply({ settings: TenantSettings }),
});

/** Only the operator may change these (decisions 12). */
const OPERATORS = [
  "allowed_prefixes",
  "short_numbers",
  "calls_per_minute_max",
  "daily_spend_max_eur",
] as const;
/** Changing these needs a recent sign-in, so that an attacker with an open session cannot disable them. */
const SAFEGUARDS = [...OPERATORS, "requires_second_factor"] as const;

const isOther = (sent: unknown, known: unknown) =>
  sent !== undefined && JSON.stringify(sent) !== JSON.stringify(known);

const ownFactorFirst = () =>
  new AppError({
    code: "conflict",
    field: "requires_second_factor",
    publicMessage:
      "Set up your own second factor first (Profile, Authenticator app), or sign in with a passkey. Otherwise this setting would lock you out.",
  });

const present = (
  settings: StoredSettings,
  {
    disclosureDefault,
    dailySpendDefault,
    transcriptsDays,
  }: Pick<DashboardParts, "disclosureDefault" | "dailySpendDefault" | "transcriptsDays">,
) => {
  const { days, blocksLeft } = retentionOf(settings.retentionBlocks, transcriptsDays);
  return wireOf(TenantSettings, settings, {
    features: wireOf(TenantSettings.shape.features, settings),
    daily_spend_max_eur: eurOrNull(settings.dailySpendMax),
    daily_spend_default_eur: microToEur(dailySpendDefault()),
    disclosure_default: { ...disclosureDefault },
    transcripts_days: days,
    retention_blocks_left: blocksLeft,
  });
};

export const tenantSettingsRoutes = ({ dependencies, parts }: ProductContext) => {
  const { tenantSettings: settings, identity } = dependencies.services;
  const { sessions } = identity;
  return [
    route(getTenantSettings)(async ({ tenantId }) => ({
      ok: true,
      settings: present(await settings.get(tenantId), parts),
    })),
    route(updateTenantSettings)(async (request) => {
      const { tenantId, body } = request;
      const session = sessionOf(request);
      if (OPERATORS.some((name) => name in body) && !session.user.operator)
        throw forbidden(
          "Only the operator can change allowed countries, short numbers and call limits. Ask the operator of this appliance.",
        );
      const before = present(await settings.get(tenantId), parts);
      if (SAFEGUARDS.some((name) => isOther(body[name], before[name])))
        sessions.requireRecent(session);
      if (body.requires_second_factor && hasNoSecondFactor(session)) throw ownFactorFirst();
      const { features = {}, ...others } = body;
      const changes = { ...settingsChangesOf(others), ...recordOf(features) };
      const changed = await settings.update(tenantId, changes);
      return { ok: true, settings: present(changed, parts) };
    }),
  ];
};
