/**
 * Proof of life of every live call, stored every few seconds: a crash bills to the last one. A call
 * that was ended in the store meanwhile (this process slept, another node took it for dead) ends.
 */

import type { Clock, Timer } from "../../../core/clock.ts";
import type { Database } from "../../../core/database.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import { endingByUs } from "../ending.ts";
import type { CallRegistry } from "../live/registry.ts";
import type { CallStores } from "../stores.ts";

const HEARTBEAT_MS = 5_000;

/** Cancel it when the calls are gone. */
export function startHeartbeat(options: {
  readonly registry: CallRegistry;
  readonly database: Database;
  readonly stores: Pick<CallStores, "calls">;
  readonly clock: Clock;
  readonly log: Log;
}): Timer {
  const { registry, database, stores, clock, log } = options;
  return clock.every(HEARTBEAT_MS, () => {
    const live = registry.all.filter((call) => call.isLive);
    const uuids = live.map((call) => call.identity.callUuid);
    if (uuids.length === 0) return;
    database
      .tx((queries) => stores.calls(queries).heartbeat(uuids, clock.now()), "background")
      .then((open) => {
        for (const call of live)
          if (!open.has(call.identity.callUuid)) call.end(endingByUs("failed", "interrupted"));
      })
      .catch((error) => log.error("call.heartbeat_failed", { error: describeError(error) }));
  });
}
