/**
 * Stores a call's diagnostics when it ends, and again two seconds later: the last SIP messages may arrive after
 * the end. Never rejects: a call is settled even if its diagnostics cannot be stored.
 */

import type { Clock, Timer } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { PacketHeaders } from "../../core/packet-headers.ts";
import type { QualitySample, SipMessageTrace } from "../diagnostics.ts";
import type { CallStores } from "../stores.ts";

export interface DiagnosticsRecorder {
  record(
    call: { readonly tenantId: number; readonly rowId: number; readonly callUuid: string },
    seen: {
      readonly sipCallId: string | null;
      readonly quality: readonly QualitySample[];
      /** Null if they were not kept. */
      readonly packetHeaders: PacketHeaders | null;
    },
  ): Promise<void>;
  /** Writes the pending diagnostics. */
  stop(): Promise<void>;
}

type RecordArguments = Parameters<DiagnosticsRecorder["record"]>;

const LATE_MS = 2_000;

export function createDiagnosticsRecorder(deps: {
  readonly database: Database;
  readonly stores: Pick<CallStores, "diagnostics">;
  readonly messageTrace: SipMessageTrace;
  readonly clock: Clock;
  readonly log: Log;
}): DiagnosticsRecorder {
  const { database, stores, messageTrace, clock, log } = deps;
  const waiting = new Map<Timer, () => Promise<void>>();

  /** Returns the number of SIP messages. */
  async function write([call, seen]: RecordArguments): Promise<number> {
    const { sipCallId, quality, packetHeaders } = seen;
    const sip = sipCallId === null ? [] : messageTrace.entries(sipCallId);
    try {
      await database.tx(
        (queries) =>
          stores
            .diagnostics(queries)
            .put(call.tenantId, call.rowId, { sip, quality, packetHeaders }),
        "background",
      );
    } catch (error) {
      log.error("call.diagnostics_not_stored", {
        call_id: call.callUuid,
        error: describeError(error),
      });
    }
    return sip.length;
  }

  return {
    async record(...kept) {
      const { sipCallId } = kept[1];
      const written = await write(kept);
      if (sipCallId === null) return;
      const again = async () => {
        if (messageTrace.entries(sipCallId).length > written) await write(kept);
        messageTrace.forget(sipCallId);
      };
      const timer = clock.after(LATE_MS, () => {
        waiting.delete(timer);
        void again();
      });
      waiting.set(timer, again);
    },
    async stop() {
      const left = [...waiting];
      waiting.clear();
      for (const [timer, again] of left) {
        timer.cancel();
        await again();
      }
    },
  };
}
