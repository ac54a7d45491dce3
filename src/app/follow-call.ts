/** Follows one call: status changes read from the store, turns as they are spoken. */

import { callStore } from "../adapter/store/call-store.ts";
import { type Clock, sleep } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { notFound } from "../core/errors.ts";
import type { CallProgress } from "../interface/control/operator-port.ts";
import type { TurnFeed } from "./turn-feed.ts";

const POLL_MS = 200;
const FINAL = new Set(["completed", "no_answer", "busy", "failed", "cancelled"]);

/** Ends after the final status, or when the signal aborts. */
export async function* followCall(
  deps: { readonly database: Database; readonly clock: Clock; readonly turns: TurnFeed },
  tenantId: number,
  callUuid: string,
  signal: AbortSignal,
): AsyncGenerator<CallProgress> {
  const { database, clock, turns } = deps;
  const spoken: CallProgress[] = [];
  const unsubscribe = turns.on("turn", ({ call, turn }) => {
    if (call.callUuid !== callUuid || call.tenantId !== tenantId) return;
    spoken.push({
      type: "turn",
      speaker: turn.speaker,
      text: turn.text,
      start_ms: turn.startMs,
      latency_ms: turn.latencyMs,
    });
  });
  let last = "";
  try {
    while (!signal.aborted) {
      const call = await callStore(database.read).find(tenantId, callUuid);
      if (!call) throw notFound("call");
      yield* spoken.splice(0);
      if (call.status !== last) {
        last = call.status;
        yield { type: "status", status: call.status, ended_reason: call.endedReason };
      }
      if (FINAL.has(call.status)) return;
      await sleep(clock, POLL_MS);
    }
  } finally {
    unsubscribe();
  }
}
