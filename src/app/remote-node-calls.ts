/**
 * Calls of other nodes on the same store, read every few seconds while somebody watches. They have
 * no turns here and cannot be monitored from this node.
 */

import { liveCallStore } from "../call/store/live-call-store.ts";
import { type Clock, sleep } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { LiveCallView, LiveEvent, RemoteNodeCalls } from "../http/dashboard/ports.ts";

const POLL_MS = 3_000;

export function createRemoteNodeCalls(deps: {
  readonly database: Database;
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
}): RemoteNodeCalls {
  const { database, node, clock, log } = deps;

  async function list(tenantId: number): Promise<LiveCallView[]> {
    const rows = await liveCallStore(database.read).onRemoteNodes(tenantId, node);
    return rows.map(({ createdAt, answeredAt, ...call }) => ({
      ...call,
      tenantId,
      startedAtMs: createdAt,
      answeredAtMs: answeredAt,
      lastTurn: null,
    }));
  }

  async function poll(
    tenantId: number,
    known: Map<string, string>,
    emit: (event: LiveEvent) => void,
  ): Promise<void> {
    const now = new Map((await list(tenantId)).map((call) => [call.callUuid, call]));
    for (const [callUuid, call] of now) {
      if (known.get(callUuid) === call.status) continue;
      known.set(callUuid, call.status);
      emit({ type: "call", call });
    }
    for (const callUuid of [...known.keys()].filter((uuid) => !now.has(uuid))) {
      known.delete(callUuid);
      const ending = await liveCallStore(database.read).ending(tenantId, callUuid);
      emit({
        type: "ended",
        callUuid,
        status: ending?.status ?? "completed",
        endedReason: ending?.endedReason ?? "interrupted",
      });
    }
  }

  return {
    list,
    async follow(tenantId, emit, signal) {
      const known = new Map<string, string>();
      while (!signal.aborted) {
        await poll(tenantId, known, emit).catch((error) =>
          log.warn("live.other_nodes_unavailable", { error: describeError(error) }),
        );
        await sleep(clock, POLL_MS, signal).catch(() => undefined);
      }
    },
  };
}
