/** A tenant's settings over HTTP: fields renamed, rules in tenant/. */
import { eurToMicro, microToEur } from "../../../core/money.ts";
import { tenantSettingsStore } from "../../../store/tenant-settings-store.ts";
import {
  createTenantSettings,
  type TenantSettings,
  type TenantSettingsChanges,
} from "../../../tenant/tenant-settings.ts";
import { route } from "../../contract.ts";
import { forbidden } from "../../problem.ts";
import { renamed } from "../../routes/present.ts";
import * as contracts from "../contracts/tenant-settings.ts";
import type { DashboardParts } from "../ports.ts";
import type { ProductContext } from "./context.ts";

const FIELDS = {
  name: "name",
  email: "email",
  time_zone: "timeZone",
  allowed_prefixes: "allowedPrefixes",
  short_numbers: "shortNumbers",
  calls_per_minute_max: "callsPerMinuteMax",
  legacy_webhook: "legacyWebhook",
  disclosure: "disclosure",
} as const;
/** Only the operator changes these (decisions.md 12). */
const OPERATORS = [
  "allowed_prefixes",
  "short_numbers",
  "calls_per_minute_max",
  "daily_spend_max_eur",
] as const;
const FEATURES = {
  callback_memory: "callbackMemory",
  named_greeting: "namedGreeting",
  cli_identity: "cliIdentity",
  birthday_calls: "birthdayCalls",
} as const;

const present = (
  settings: TenantSettings,
  {
    disclosureDefault,
    dailySpendDefault,
  }: Pick<DashboardParts, "disclosureDefault" | "dailySpendDefault">,
) => ({
  name: settings.name,
  email: settings.email,
  time_zone: settings.timeZone,
  features: {
    callback_memory: settings.callbackMemory,
    named_greeting: settings.namedGreeting,
    cli_identity: settings.cliIdentity,
    birthday_calls: settings.birthdayCalls,
    crm_bridge: settings.crmBridge,
  },
  allowed_prefixes: settings.allowedPrefixes && [...settings.allowedPrefixes],
  short_numbers: settings.shortNumbers && [...settings.shortNumbers],
  calls_per_minute_max: settings.callsPerMinuteMax,
  daily_spend_max_eur: settings.dailySpendMax === null ? null : microToEur(settings.dailySpendMax),
  daily_spend_default_eur: microToEur(dailySpendDefault()),
  legacy_webhook: settings.legacyWebhook,
  disclosure: { ...settings.disclosure },
  disclosure_default: { ...disclosureDefault },
  retention_blocks: settings.retentionBlocks,
});

export const tenantSettingsRoutes = ({ dependencies, parts }: ProductContext) => {
  const { database } = dependencies;
  const settings = createTenantSettings({ database, records: tenantSettingsStore });
  return [
    route(contracts.getTenantSettings)(async ({ tenantId }) => ({
      ok: true,
      settings: present(await settings.get(tenantId), parts),
    })),
    route(contracts.updateTenantSettings)(async ({ tenantId, session, body }) => {
      if (OPERATORS.some((name) => name in body) && !session?.user.operator)
        throw forbidden(
          "Countries, short numbers and limits of dialling are the operator's to change. Ask the operator of this appliance.",
        );
      const { daily_spend_max_eur: spend, features = {} } = body;
      const changes: TenantSettingsChanges = {
        ...renamed<TenantSettingsChanges>(body, FIELDS),
        ...renamed<TenantSettingsChanges>(features, FEATURES),
        ...(spend === undefined
          ? {}
          : { dailySpendMax: spend === null ? null : eurToMicro(spend) }),
      };
      const changed = await settings.update(tenantId, changes);
      return { ok: true, settings: present(changed, parts) };
    }),
  ];
};
