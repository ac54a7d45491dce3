/**
 * Stores a heartbeat of every live call every few seconds; after a crash, the call is billed until the last
 * one.
 *
 * If the store says that a call has ended, it ends here too. This happens when this process slept and another
 * node considered the call dead.
 */

import type { Clock, Timer } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { endingByUs } from "../ending.ts";
import type { CallRegistry } from "../live/registry.ts";
import type { CallStores } from "../stores.ts";

const HEARTBEAT_MS = 5_000;

/** Cancel the timer after the last call. */
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
