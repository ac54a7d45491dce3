/**
 * Checks a PIN entered by telephone against the only contact with the caller's number (decisions 11). Three
 * wrong attempts lock the number for 15 minutes, over all its calls. Nine within a day lock it until the first
 * is a day old. Trying all PINs of four digits would take three years.
 *
 * The counting transaction stores an attempt as wrong before the check. So neither concurrent calls nor a crash
 * allow a fourth attempt. The digits are not stored.
 */
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import type { ContactRecords } from "./contacts.ts";
import type { PinCheck, PinResult } from "./ports.ts";

const TRIES_MAX = 3;
const LOCKED_MS = 15 * 60_000;
/** Correct attempts do not reset this count: they may be from another person. */
export const TRIES_PER_DAY_MAX = 9;
/** Wrong attempts count for this long. */
const COUNTED_MS = 86_400_000;
const PIN = /^\d{4,8}$/;

/** Implemented by store/contact/pin-store.ts. */
export interface PinRecords {
  /** Wrong attempts since `sinceMs`: all, and those since the last correct one; `latestAt` is 0 without any. */
  wrong(
    tenantId: number,
    numberE164: string,
    sinceMs: number,
  ): Promise<{ readonly total: number; readonly sinceRight: number; readonly latestAt: number }>;
  /** Stores an attempt as wrong and returns its id. */
  add(tenantId: number, numberE164: string, callUuid: string, nowMs: number): Promise<number>;
  setRight(tenantId: number, id: number): Promise<void>;
  audit(tenantId: number, entry: PinAudit, nowMs: number): Promise<void>;
}

/** Entry of the tenant's audit log. It contains the call, not the person. */
interface PinAudit {
  readonly callUuid: string;
  readonly result: Exclude<PinResult, "no_pin">;
}

interface PinCheckOptions {
  readonly database: Database;
  readonly contacts: (queries: Queries) => Pick<ContactRecords, "byNumber">;
  readonly records: (queries: Queries) => PinRecords;
  readonly clock: Clock;
}

export function createPinCheck({ database, contacts, records, clock }: PinCheckOptions): PinCheck {
  async function hashOf(tenantId: number, number: string): Promise<string | null> {
    const known = await contacts(database.read).byNumber(tenantId, number, 2);
    return known.length === 1 ? (known[0]?.pinHash ?? null) : null;
  }

  async function isLocked(queries: Queries, tenantId: number, number: string): Promise<boolean> {
    const nowMs = clock.now();
    const wrong = await records(queries).wrong(tenantId, number, nowMs - COUNTED_MS);
    const { total, sinceRight, latestAt } = wrong;
    if (total >= TRIES_PER_DAY_MAX) return true;
    return sinceRight % TRIES_MAX === 0 && nowMs - latestAt < LOCKED_MS;
  }

  return {
    async mayTry({ tenantId, number }) {
      if (number === "" || (await hashOf(tenantId, number)) === null) return false;
      return !(await isLocked(database.read, tenantId, number));
    },

    async check(call, digits) {
      const { tenantId, number, callUuid } = call;
      const hash = number === "" ? null : await hashOf(tenantId, number);
      if (hash === null) return "no_pin";
      const tryId = await database.tx(async (queries) => {
        if (await isLocked(queries, tenantId, number)) return null;
        return records(queries).add(tenantId, number, callUuid, clock.now());
      });
      const right = tryId !== null && PIN.test(digits) && (await Bun.password.verify(digits, hash));
      return database.tx(async (queries) => {
        const store = records(queries);
        if (right && tryId !== null) await store.setRight(tenantId, tryId);
        const locked = !right && (tryId === null || (await isLocked(queries, tenantId, number)));
        const result = right ? "right" : locked ? "locked" : "wrong";
        await store.audit(tenantId, { callUuid, result }, clock.now());
        return result;
      });
    },
  };
}
