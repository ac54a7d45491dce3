/** Tries the CRM bridge: shows the data that the agent and the CRM would get, and sends no result to the CRM. */

import { type Clock, isoUtc } from "../../../core/clock.ts";
import type { Database, Queries } from "../../../core/database.ts";
import { AppError } from "../../../core/errors.ts";
import { uuidV7 } from "../../../core/ids.ts";
import type { JsonValue } from "../../../core/json.ts";
import type { Random } from "../../../core/random.ts";
import type { CrmLookup, CrmRecords } from "./lookup.ts";
import { mappedOutcome } from "./mapping.ts";

interface CrmTrialOptions {
  readonly database: Database;
  readonly records: (queries: Queries) => Pick<CrmRecords, "target">;
  readonly lookup: CrmLookup;
  /** True if the add-on is paid. */
  readonly isOn: (queries: Queries, tenantId: number) => Promise<boolean>;
  readonly clock: Clock;
  readonly random: Random;
}

export interface CrmTrial {
  readonly facts: string[];
  readonly outcome: Record<string, JsonValue>;
}

export const notPaid = () =>
  new AppError({
    code: "conflict",
    publicMessage: "The CRM bridge is not on. It is bought under billing.",
  });

/** The returned function throws conflict (not paid), valid_crm_url_required, unavailable. */
export function crmTrial({ database, records, lookup, isOn, clock, random }: CrmTrialOptions) {
  return async (tenantId: number, number: string): Promise<CrmTrial> => {
    if (!(await isOn(database.read, tenantId))) throw notPaid();
    const callUuid = uuidV7(clock, random);
    const facts = await lookup.trial(tenantId, { direction: "inbound", number, callUuid });
    const target = await records(database.read).target(tenantId);
    const sample = {
      call_id: callUuid,
      direction: "inbound",
      number,
      agent: "Reception",
      started_at: isoUtc(clock.now()),
      duration_sec: 61,
      status: "completed",
      ended_reason: "caller_hangup",
      summary: "A visit was booked for Friday.",
      transcript: "Agent: Hello.\nCustomer: A visit on Friday, please.",
      cost_eur: 0.15,
    };
    return {
      facts: facts.map(({ label, text }) => `${label}: ${text}`),
      outcome: mappedOutcome(sample, target?.mapping ?? {}),
    };
  };
}
