/**
 * Stores notices of the SIP stack about calls that reached nobody, each at most once a minute.
 * Never throws.
 */

import { type CallNoticeKind, callNoticeStore } from "../call/store/call-notice-store.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { countryOf, networkNumber } from "../features/number/national-form.ts";
import type { SipDeps } from "../sip/stack.ts";

const PAUSE_MS = 60_000;
const REMEMBERED_MAX = 1000;

export function createCallNotices(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}): Required<Pick<SipDeps, "onConflict" | "onUnknownSource">> {
  const { database, clock, log } = deps;
  const notifiedAtMs = new Map<string, number>();

  function note(tenantId: number, kind: CallNoticeKind, subject: string): void {
    const key = `${tenantId} ${kind} ${subject}`;
    const now = clock.monotonic();
    if (now - (notifiedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return;
    if (notifiedAtMs.size >= REMEMBERED_MAX) notifiedAtMs.clear();
    notifiedAtMs.set(key, now);
    database
      .tx((queries) => callNoticeStore(queries).note(tenantId, kind, subject, clock.now()))
      .catch((error) => log.error("call.notice_not_saved", { error: describeError(error) }));
  }

  return {
    onConflict(called, trunks) {
      for (const { tenantId, callerId } of trunks)
        note(tenantId, "number_conflict", networkNumber(called, countryOf(callerId)) ?? "?");
    },
    onUnknownSource: ({ tenantId }, host) => note(tenantId, "unknown_source", host),
  };
}
