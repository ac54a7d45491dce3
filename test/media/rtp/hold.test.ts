/** The meaning of missing packets: real sockets and a fake clock. */
import { afterEach, expect, test } from "bun:test";
import type { CallAudio, MediaTimeout } from "../../../src/conversation/audio-port.ts";
import { TransferBridge } from "../../../src/conversation/session/transfer-bridge.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { MediaDirection, MediaPlan } from "../../../src/core/media-plan.ts";
import { createCallAudio } from "../../../src/media/call-audio.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import { buildRtcp } from "../../../src/media/rtp/rtcp.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const HOST = "127.0.41.3";
const FAR = "127.0.41.4";
const STRANGER = "127.0.41.5";
const RTP_TIMEOUT_MS = 15_000;
const HOLD_TIMEOUT_MS = 60_000;
const HOLDS: readonly MediaDirection[] = ["recvonly", "inactive", "sendonly"];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function line() {
  const clock = fakeClock();
  const pacer = createPacer(clock, silentLog);
  const ports = createPortPool({ first: 22_000, last: 22_199 }, systemClock);
  cleanups.push(() => pacer.close());
  const open = async () => {
    const audio = await createCallAudio(
      {
        rtpHost: HOST,
        jitterMsMax: 200,
        rtpTimeoutMs: RTP_TIMEOUT_MS,
        holdTimeoutMs: HOLD_TIMEOUT_MS,
      },
      { ports, pacer, clock, log: silentLog },
    );
    cleanups.push(() => audio.close());
    return audio;
  };
  return { clock, open };
}

const planOf = (direction: MediaDirection): MediaPlan => ({
  remote: { host: FAR, port: 40_000 },
  codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
  telephoneEvent: null,
  direction,
  ptimeMs: 20,
});

function timeoutsOf(audio: CallAudio): MediaTimeout[] {
  const timeouts: MediaTimeout[] = [];
  audio.onTimeout((timeout) => timeouts.push(timeout));
  return timeouts;
}

/** RTCP of a remote party without RTP; resolves after it has been read. */
async function report(audio: CallAudio, host: string, text?: string): Promise<void> {
  const socket = await Bun.udpSocket({ hostname: host, port: 0 });
  const bytes = text ? new TextEncoder().encode(text) : RECEIVER_REPORT;
  socket.send(bytes, audio.rtpPort + 1, HOST);
  await Bun.sleep(60);
  socket.close();
}
const RECEIVER_REPORT = buildRtcp({ ssrc: 7, sender: null, block: null }, "far");

for (const direction of HOLDS) {
  test(`a remote party on hold (${direction}) without a packet is kept until the hold's limit`, async () => {
    const { clock, open } = line();
    const audio = await open();
    const timeouts = timeoutsOf(audio);
    audio.connect(planOf("sendrecv"));
    audio.connect(planOf(direction));
    await clock.advance(HOLD_TIMEOUT_MS - 20);
    expect(timeouts).toEqual([]);
    await clock.advance(40);
    expect(timeouts).toEqual(["held"]);
    await clock.advance(HOLD_TIMEOUT_MS * 2);
    expect(timeouts).toEqual(["held"]);
  });
}

test("a remote party back from hold gets the full time-out to send its first packet", async () => {
  const { clock, open } = line();
  const audio = await open();
  const timeouts = timeoutsOf(audio);
  audio.connect(planOf("recvonly"));
  await clock.advance(HOLD_TIMEOUT_MS - 100);
  audio.connect(planOf("sendrecv"));
  await clock.advance(RTP_TIMEOUT_MS - 20);
  expect(timeouts).toEqual([]);
  await clock.advance(40);
  expect(timeouts).toEqual(["lost"]);
});

test("a silent remote party with RTCP is not cut off, one without it is", async () => {
  const { clock, open } = line();
  const audio = await open();
  const timeouts = timeoutsOf(audio);
  audio.connect(planOf("sendrecv"));
  for (let count = 0; count < 4; count++) {
    await clock.advance(RTP_TIMEOUT_MS - 1_000);
    await report(audio, FAR);
  }
  expect(timeouts).toEqual([]);
  await clock.advance(RTP_TIMEOUT_MS + 20);
  expect(timeouts).toEqual(["lost"]);
});

test("a stranger's RTCP and other packets do not keep a call alive", async () => {
  const { clock, open } = line();
  const audio = await open();
  const timeouts = timeoutsOf(audio);
  audio.connect(planOf("sendrecv"));
  await clock.advance(RTP_TIMEOUT_MS - 1_000);
  await report(audio, STRANGER);
  await report(audio, FAR, "no report at all");
  await clock.advance(1_020);
  expect(timeouts).toEqual(["lost"]);
});

test("a person who holds a bridged call keeps both legs, up to the hold's limit", async () => {
  const { clock, open } = line();
  const caller = await open();
  const person = await open();
  const callerTimeouts = timeoutsOf(caller);
  const personTimeouts: MediaTimeout[] = [];
  const bridge = new TransferBridge({
    caller,
    clock,
    log: silentLog,
    openAudio: async () => person,
    onTimeout: (timeout) => personTimeouts.push(timeout),
  });
  await bridge.open();
  bridge.connect(planOf("sendrecv"));
  caller.connect(planOf("sendrecv"));
  await bridge.join(null);
  bridge.connect(planOf("recvonly"));
  for (let passed = 0; passed < HOLD_TIMEOUT_MS - 12_000; passed += 12_000) {
    await clock.advance(12_000);
    await report(caller, FAR);
  }
  await clock.advance(11_980);
  expect([callerTimeouts, personTimeouts]).toEqual([[], []]);
  await clock.advance(40);
  expect([callerTimeouts, personTimeouts]).toEqual([[], ["held"]]);
  await eventually(() => caller.statistics.packetsSent > 0, "the caller's leg goes on");
  await bridge.close();
});
