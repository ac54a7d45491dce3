/**
 * The measured process: audio of N calls with one pacer, sent to `host:port`. Prints `sending` when
 * all are connected. When its standard input closes, it prints its CPU time and memory and exits.
 */

import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { createCallAudio } from "../../src/media/call-audio.ts";
import { createPacer } from "../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../src/media/rtp/port-pool.ts";
import { createRtpSendThread, startRtpSendThread } from "../../src/media/rtp/rtp-send-thread.ts";

const [host = "", port = "", streams = "250"] = process.argv.slice(2);
const pacer = createPacer(systemClock, silentLog);
const ports = createPortPool({ first: 22_000, last: 23_999 }, systemClock);
const options = { rtpHost: host, jitterMsMax: 200, rtpTimeoutMs: 600_000, holdTimeoutMs: 600_000 };
const owned = createRtpSendThread(silentLog);
const sendThread = owned && startRtpSendThread(owned.handle, systemClock, silentLog);
const deps = { ports, pacer, sendThread, clock: systemClock, log: silentLog };
Bun.gc(true);
const bytesBefore = process.memoryUsage().rss;
const calls = await Promise.all(
  Array.from({ length: Number(streams) }, () => createCallAudio(options, deps)),
);
for (const call of calls) {
  call.connect({
    remote: { host, port: Number(port) },
    codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
    telephoneEvent: null,
    direction: "sendrecv",
    ptimeMs: 20,
  });
}
console.log("sending");
const startedAt = systemClock.monotonic();
const before = process.cpuUsage();
await new Response(Bun.stdin.stream()).text();
const cpu = process.cpuUsage(before);
const elapsedMs = systemClock.monotonic() - startedAt;
const bytes = process.memoryUsage().rss - bytesBefore;
console.log(
  JSON.stringify({
    cpuPercent: (cpu.user + cpu.system) / (elapsedMs * 10),
    kilobytesPerStream: bytes / 1024 / calls.length,
  }),
);
process.exit(0);
