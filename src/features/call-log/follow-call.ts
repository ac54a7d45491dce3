/** Follows one call: status changes from the store, and turns as they are spoken. */

import { callStore } from "../../call/store/call-store.ts";
import type { TurnRecord } from "../../conversation/call-report.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { notFound } from "../../core/errors.ts";
import type { TurnEvents } from "./turn-events.ts";

const POLL_MS = 200;
const FINAL = new Set(["completed", "no_answer", "busy", "failed", "cancelled"]);

/** One step of a followed call. */
export type CallProgress =
  | { readonly type: "status"; readonly status: string; readonly endedReason: string | null }
  | { readonly type: "turn"; readonly turn: TurnRecord };

/** Ends after the final status, or when the signal aborts. */
export async function* followCall(
  deps: { readonly database: Database; readonly clock: Clock; readonly turns: TurnEvents },
  tenantId: number,
  callUuid: string,
  signal: AbortSignal,
): AsyncGenerator<CallProgress> {
  const { database, clock, turns } = deps;
  const spoken: CallProgress[] = [];
  const unsubscribe = turns.on("turn", ({ call, turn }) => {
    if (call.callUuid !== callUuid || call.tenantId !== tenantId) return;
    spoken.push({ type: "turn", turn });
  });
  let last = "";
  try {
    while (!signal.aborted) {
      const call = await callStore(database.read).find(tenantId, callUuid);
      if (!call) throw notFound("call");
      yield* spoken.splice(0);
      if (call.status !== last) {
        last = call.status;
        yield { type: "status", status: call.status, endedReason: call.endedReason };
      }
      if (FINAL.has(call.status)) return;
      await sleep(clock, POLL_MS);
    }
  } finally {
    unsubscribe();
  }
}
