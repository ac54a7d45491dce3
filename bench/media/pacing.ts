/**
 * How even our RTP leaves: N calls' audio on one pacer of this thread, one receiving socket, and
 * |interval − 20 ms| per stream at the receiver. The receiver shares the thread, so what its own
 * wake-ups cost is in the figures.
 */
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { createCallAudio } from "../../src/media/call-audio.ts";
import { createPacer } from "../../src/media/rtp/pacer.ts";
import { RtpPacketView } from "../../src/media/rtp/packet.ts";
import { createPortPool } from "../../src/media/rtp/port-pool.ts";

export interface PacingResult {
  readonly streams: number;
  readonly packets: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** Of one core, both halves and the receiver together. */
  readonly cpuPercent: number;
}

const WARM_UP_MS = 1000;
const HOST = "127.0.42.1";

/** Runs for `seconds` after a second of warm-up; frees everything it opened. */
export async function measurePacing(streams: number, seconds = 10): Promise<PacingResult> {
  const deviationsMs: number[] = [];
  const lastMs = new Map<number, number>();
  const view = new RtpPacketView();
  let measuring = false;
  const receiver = await Bun.udpSocket({
    hostname: HOST,
    port: 0,
    socket: {
      data(_socket, datagram) {
        if (!view.read(datagram)) return;
        const nowMs = systemClock.monotonic();
        const previousMs = lastMs.get(view.ssrc);
        lastMs.set(view.ssrc, nowMs);
        if (measuring && previousMs !== undefined) {
          deviationsMs.push(Math.abs(nowMs - previousMs - 20));
        }
      },
      error() {},
    },
  });
  const pacer = createPacer(systemClock, silentLog);
  const ports = createPortPool({ first: 22_000, last: 23_999 }, systemClock);
  const options = { rtpHost: HOST, jitterMsMax: 200, rtpTimeoutMs: 60_000 };
  const deps = { ports, pacer, clock: systemClock, log: silentLog };
  const calls = await Promise.all(
    Array.from({ length: streams }, () => createCallAudio(options, deps)),
  );
  for (const call of calls) {
    call.connect({
      remote: { host: HOST, port: receiver.port },
      codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
      telephoneEvent: null,
      direction: "sendrecv",
      ptimeMs: 20,
    });
  }
  await Bun.sleep(WARM_UP_MS);
  measuring = true;
  const cpuBefore = process.cpuUsage();
  await Bun.sleep(seconds * 1000);
  const cpu = process.cpuUsage(cpuBefore);
  measuring = false;
  await Promise.all(calls.map((call) => call.close()));
  pacer.close();
  receiver.close();
  deviationsMs.sort((a, b) => a - b);
  const percentile = (share: number) => {
    const index = Math.min(deviationsMs.length - 1, Math.floor(deviationsMs.length * share));
    return Math.round((deviationsMs[index] ?? 0) * 100) / 100;
  };
  return {
    streams,
    packets: deviationsMs.length,
    p50: percentile(0.5),
    p99: percentile(0.99),
    p999: percentile(0.999),
    max: percentile(1),
    cpuPercent: Math.round((cpu.user + cpu.system) / (seconds * 10_000)),
  };
}
