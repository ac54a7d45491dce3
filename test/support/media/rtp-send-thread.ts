/** RTP send thread with owner and user on the same thread. The caller must `end` them. */

import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import {
  createRtpSendThread,
  type RtpSendThread,
  startRtpSendThread,
} from "../../../src/media/rtp/rtp-send-thread.ts";

export function sendThreadOfThisThread(): RtpSendThread & { end(): void } {
  const owned = createRtpSendThread(silentLog);
  const started = owned && startRtpSendThread(owned.handle, systemClock, silentLog);
  if (!owned || !started) throw new Error("this is for Linux with glibc");
  return { ...started, end: owned.end };
}
