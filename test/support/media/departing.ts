/** Departures with owner and user on the same thread. The caller must `end` them. */

import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import {
  createDepartures,
  type Departures,
  startDepartures,
} from "../../../src/media/rtp/departures.ts";

export function departuresOfThisThread(): Departures & { end(): void } {
  const owned = createDepartures(silentLog);
  const started = owned && startDepartures(owned.handle, systemClock, silentLog);
  if (!owned || !started) throw new Error("this is for Linux with glibc");
  return { ...started, end: owned.end };
}
