/**
 * Calls that other nodes on the same store carry, looked up every few seconds while somebody follows:
 * they have no words here, and nobody can listen to them from here, but they are there.
 */
import { type Clock, sleep } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { LiveCallView, LiveElsewhere, LiveEvent } from "../http/dashboard/ports.ts";
import type { Database } from "../store/database.ts";
import { liveCallStore } from "../store/live-call-store.ts";

const LOOK_MS = 3_000;

export function createCallsElsewhere(deps: {
  readonly database: Database;
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
}): LiveElsewhere {
  const { database, node, clock, log } = deps;

  async function list(tenantId: number): Promise<LiveCallView[]> {
    const rows = await liveCallStore(database.read).elsewhere(tenantId, node);
    return rows.map(({ createdAt, answeredAt, ...call }) => ({
      ...{ ...call, tenantId, startedAtMs: createdAt, answeredAtMs: answeredAt },
      lastTurn: null,
    }));
  }

  async function look(
    tenantId: number,
    known: Map<string, string>,
    tell: (event: LiveEvent) => void,
  ): Promise<void> {
    const now = new Map((await list(tenantId)).map((call) => [call.callUuid, call]));
    for (const [callUuid, call] of now) {
      if (known.get(callUuid) === call.status) continue;
      known.set(callUuid, call.status);
      tell({ type: "call", call });
    }
    for (const callUuid of [...known.keys()].filter((uuid) => !now.has(uuid))) {
      known.delete(callUuid);
      const ending = await liveCallStore(database.read).ending(tenantId, callUuid);
      tell({
        ...{ type: "ended", callUuid, status: ending?.status ?? "completed" },
        endedReason: ending?.endedReason ?? "interrupted",
      });
    }
  }

  return {
    list,
    async follow(tenantId, tell, signal) {
      const known = new Map<string, string>();
      while (!signal.aborted) {
        await look(tenantId, known, tell).catch((error) =>
          log.warn("live.other_nodes_not_seen", { error: describeError(error) }),
        );
        await sleep(clock, LOOK_MS, signal).catch(() => undefined);
      }
    },
  };
}
