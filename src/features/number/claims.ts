/**
 * Decides which tenant a number belongs to (decisions 5). Several tenants may claim a number. One claim is
 * confirmed by the operator, or by the first call that the tenant's trunk delivers for it. The other claims
 * end: their records stay, switched off, and both sides get a mail and an audit entry.
 *
 * A call never takes a confirmed number from its tenant; the operator may.
 */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { type E164, e164 } from "../../core/e164.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MailDraft } from "../mail/ports.ts";
import { type ClaimReader, claimMail } from "./claim-mail.ts";
import type { NumberClaim, NumberRecord, NumberRecords } from "./numbers.ts";

/** Implemented by store/tenant/number-claim-store.ts. */
export interface ClaimRecords extends Pick<NumberRecords, "claimsOf" | "insert"> {
  put(
    claim: NumberClaim,
    changes: Pick<NumberRecord, "confirmedAt" | "inboundEnabled">,
  ): Promise<void>;
  /** Deletes the operator's notices of tenants that claim the number. */
  removeNotices(numberE164: E164): Promise<void>;
  /** Writes an audit entry without a person. */
  audit(claim: NumberClaim, entry: ClaimEntry): Promise<void>;
  /** Reader of the tenant's mails. Undefined if the tenant does not exist. */
  reader(tenantId: number): Promise<ClaimReader | undefined>;
  enqueue(tenantId: number, mail: MailDraft, nowMs: number): Promise<void>;
}

interface ClaimEntry {
  readonly action: "confirmNumberByCall" | "endNumberClaim";
  readonly numberE164: string;
  readonly at: number;
}

interface ClaimDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => ClaimRecords;
  readonly clock: Clock;
}

const isConfirmed = ({ confirmedAt }: NumberClaim): boolean => confirmedAt !== null;

/**
 * Confirms a number by the operator. A tenant without a record of the number gets one, even above its plan's
 * limit.
 */
export async function confirmNumber(
  { database, records, clock }: ClaimDependencies,
  tenantId: number,
  numberE164: E164,
): Promise<void> {
  await database.tx(async (queries) => {
    const store = records(queries);
    const claims = await store.claimsOf(numberE164);
    const own =
      claims.find((claim) => claim.tenantId === tenantId) ??
      (await madeFor(store, tenantId, numberE164, clock.now()));
    await confirm(store, numberE164, own, claims, "operator", clock.now());
  });
}

async function madeFor(
  store: ClaimRecords,
  tenantId: number,
  numberE164: E164,
  nowMs: number,
): Promise<NumberClaim> {
  const empty = { label: null, agentId: null, inboundEnabled: true, confirmedAt: null };
  const made = await store.insert(tenantId, { ...empty, numberE164, createdAt: nowMs });
  return { ...made, tenantId };
}

/** Confirms claims by calls. The returned function returns at once and never throws. */
export function createCallConfirmation(
  deps: ClaimDependencies & { readonly log: Log },
): (tenantId: number, numberE164: string) => void {
  const { database, records, clock, log } = deps;

  async function confirmByCall(tenantId: number, called: string): Promise<void> {
    const numberE164 = e164(called);
    // Returns here for most calls: if a claim is confirmed, calls write nothing.
    if ((await records(database.read).claimsOf(numberE164)).some(isConfirmed)) return;
    await database.tx(async (queries) => {
      const store = records(queries);
      const claims = await store.claimsOf(numberE164);
      const own = claims.find((claim) => claim.tenantId === tenantId);
      if (own && !claims.some(isConfirmed))
        await confirm(store, numberE164, own, claims, "call", clock.now());
    });
  }

  return (tenantId, numberE164) => {
    confirmByCall(tenantId, numberE164).catch((error) =>
      log.error("number.not_confirmed", { tenant: tenantId, error: describeError(error) }),
    );
  };
}

async function confirm(
  store: ClaimRecords,
  numberE164: E164,
  own: NumberClaim,
  claims: readonly NumberClaim[],
  by: "call" | "operator",
  at: number,
): Promise<void> {
  if (isConfirmed(own)) return;
  const others = claims.filter(({ id }) => id !== own.id);
  for (const other of others) {
    await store.put(other, { confirmedAt: null, inboundEnabled: false });
    await store.audit(other, { action: "endNumberClaim", numberE164, at });
    await mail(store, other, "ended", numberE164, at);
  }
  // A claim ended by another tenant's confirmation was also switched off.
  const inboundEnabled = own.inboundEnabled || others.some(isConfirmed);
  await store.put(own, { confirmedAt: at, inboundEnabled });
  await store.removeNotices(numberE164);
  // The operator's confirmation is logged by the command line or the page, which know the operator.
  if (by === "call") await store.audit(own, { action: "confirmNumberByCall", numberE164, at });
  if (others.length > 0) await mail(store, own, "confirmed", numberE164, at);
}

async function mail(
  store: ClaimRecords,
  { tenantId }: NumberClaim,
  outcome: "confirmed" | "ended",
  numberE164: E164,
  at: number,
): Promise<void> {
  const reader = await store.reader(tenantId);
  if (reader) await store.enqueue(tenantId, claimMail(reader, outcome, numberE164, at), at);
}
