/** What a tenant decides about itself: zone, features, dialling rules, its own first sentences. */

import type { Database, Queries } from "../../core/database.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import type { MicroEur } from "../../core/money.ts";
import { AGENT_LANGUAGES, type AgentLanguage } from "../agent/agent.ts";

export type Disclosures = Readonly<Record<AgentLanguage, string | null>>;

export interface TenantSettings {
  readonly name: string;
  readonly email: string;
  readonly timeZone: string;
  readonly callbackMemory: boolean;
  readonly namedGreeting: boolean;
  readonly cliIdentity: boolean;
  readonly birthdayCalls: boolean;
  /** Bought, not switched. */
  readonly crmBridge: boolean;
  /** Prefixes that may be dialled; null: the country of the caller id. The operator's to change. */
  readonly allowedPrefixes: readonly string[] | null;
  /** Short numbers that may be dialled, `x` for any digit; null: none. The operator's to change. */
  readonly shortNumbers: readonly string[] | null;
  /** The operator's to change. */
  readonly callsPerMinuteMax: number;
  /** null: `[limits] daily_spend_eur`. The operator's to change. */
  readonly dailySpendMax: MicroEur | null;
  readonly legacyWebhook: boolean;
  /** Members sign in with a passkey, or have an authenticator. */
  readonly requiresSecondFactor: boolean;
  readonly retentionBlocks: number;
  /** null: the operator's sentence. */
  readonly disclosure: Disclosures;
}

export type TenantSettingsChanges = Partial<
  Omit<TenantSettings, "crmBridge" | "retentionBlocks" | "disclosure">
> & { readonly disclosure?: Partial<Disclosures> };

/** The settings that protect against toll fraud: only the operator changes them (decisions.md 12). */
export type DialingPermissions = Pick<
  TenantSettings,
  "allowedPrefixes" | "shortNumbers" | "callsPerMinuteMax" | "dailySpendMax"
>;

export const PREFIX_PATTERN = /^\+[1-9]\d{0,6}$/;
export const SHORT_NUMBER_PATTERN = /^[\d*#x]{1,20}$/;

/** Implemented by store/tenant-settings-store.ts. */
export interface TenantSettingsRecords {
  find(tenantId: number): Promise<TenantSettings | null>;
  update(tenantId: number, changes: Omit<TenantSettingsChanges, "disclosure">): Promise<void>;
  /** null: back to the operator's sentence. */
  setDisclosure(tenantId: number, language: AgentLanguage, text: string | null): Promise<void>;
}

export function createTenantSettings(deps: {
  readonly database: Database;
  readonly records: (queries: Queries) => TenantSettingsRecords;
}) {
  const { database, records } = deps;

  async function found(queries: Queries, tenantId: number): Promise<TenantSettings> {
    const settings = await records(queries).find(tenantId);
    if (!settings) throw notFound("tenant");
    return settings;
  }

  return {
    /** Throws not_found. */
    get: (tenantId: number) => found(database.read, tenantId),

    /** Throws not_found, valid_time_zone_required. Calls that begin from now on heed it. */
    async update(tenantId: number, changes: TenantSettingsChanges): Promise<TenantSettings> {
      const { disclosure = {}, ...rest } = changes;
      if (rest.timeZone !== undefined && !isTimeZone(rest.timeZone))
        throw invalidField(
          "time_zone",
          "`time_zone` must be an IANA time zone such as Europe/Vilnius.",
        );
      return database.tx(async (queries) => {
        await found(queries, tenantId);
        const store = records(queries);
        if (Object.values(rest).some((value) => value !== undefined))
          await store.update(tenantId, rest);
        for (const language of AGENT_LANGUAGES) {
          const text = disclosure[language];
          if (text !== undefined) await store.setDisclosure(tenantId, language, text);
        }
        return found(queries, tenantId);
      });
    },
  };
}

/** A name of the zone database; offsets such as `+02:00` know no daylight saving and are none. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
