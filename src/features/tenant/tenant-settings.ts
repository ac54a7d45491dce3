/** A tenant's settings: time zone, features, dialling rules, disclosure sentences. */

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
  /** Purchased add-on, so it cannot be changed as a setting. */
  readonly crmBridge: boolean;
  /** Allowed prefixes; null: only the country of the caller ID. Set by the operator. */
  readonly allowedPrefixes: readonly string[] | null;
  /** Allowed short numbers, `x` for any digit; null: none. Set by the operator. */
  readonly shortNumbers: readonly string[] | null;
  /** Set by the operator. */
  readonly callsPerMinuteMax: number;
  /** Null: `[limits] daily_spend_eur`. Set by the operator. */
  readonly dailySpendMax: MicroEur | null;
  readonly legacyWebhook: boolean;
  /** True if members must use a passkey or an authenticator. */
  readonly requiresSecondFactor: boolean;
  readonly retentionBlocks: number;
  readonly createdAt: number;
  /** Null: the operator's sentence. */
  readonly disclosure: Disclosures;
}

type TenantSettingsChanges = Partial<
  Omit<TenantSettings, "crmBridge" | "retentionBlocks" | "createdAt" | "disclosure">
> & { readonly disclosure?: Partial<Disclosures> };

export const PREFIX_PATTERN = /^\+[1-9]\d{0,6}$/;
export const SHORT_NUMBER_PATTERN = /^[\d*#x]{1,20}$/;

/** Implemented by store/tenant/tenant-settings-store.ts. */
export interface TenantSettingsRecords {
  find(tenantId: number): Promise<TenantSettings | null>;
  update(tenantId: number, changes: Omit<TenantSettingsChanges, "disclosure">): Promise<void>;
  /** `text` null: use the operator's sentence. */
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

    /** Throws not_found, valid_time_zone_required. Applies to calls that begin later. */
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

/**
 * True for a name of the zone database. Offsets such as `+02:00` are rejected: they have no
 * daylight saving.
 */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
