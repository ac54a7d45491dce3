import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallAudio } from "../../../src/conversation/audio-port.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { MediaPlan } from "../../../src/core/media-plan.ts";
import { createCallAudio } from "../../../src/media/call-audio.ts";
import { openWav } from "../../../src/media/recording/wav.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import { sine, toneShare } from "../../../src/platform/audio/tones.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const HOST = "127.0.41.1";
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const pool = createPortPool({ first: 21000, last: 21999 }, systemClock);
/** Ports released by calls. */
const released: number[] = [];
const ports: typeof pool = {
  ...pool,
  release(port) {
    released.push(port);
    pool.release(port);
  },
};

async function openAudio(rtpTimeoutMs = 15_000): Promise<CallAudio> {
  const pacer = createPacer(systemClock, silentLog);
  const audio = await createCallAudio(
    { rtpHost: HOST, jitterMsMax: 200, rtpTimeoutMs, holdTimeoutMs: 600_000 },
    { ports, pacer, clock: systemClock, log: silentLog },
  );
  cleanups.push(async () => {
    await audio.close();
    pacer.close();
  });
  return audio;
}

function planTo(port: number, change: Partial<MediaPlan> = {}): MediaPlan {
  return {
    remote: { host: HOST, port },
    codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
    telephoneEvent: { send: 101, receive: 101 },
    direction: "sendrecv",
    ptimeMs: 20,
    ...change,
  };
}

async function until(condition: () => boolean, limitMs = 10_000): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error("the condition never came true");
    await Bun.sleep(10);
  }
}

/** Collects the audio that one side receives. */
function hear(audio: CallAudio): () => Int16Array {
  const frames: number[] = [];
  audio.onFrame((pcm) => frames.push(...pcm));
  return () => Int16Array.from(frames);
}

/** The best share of the tone over any 100 ms of the audio. */
function loudestShare(pcm: Int16Array, frequencyHz: number): number {
  let best = 0;
  for (let start = 0; start + 800 <= pcm.length; start += 400) {
    best = Math.max(best, toneShare(pcm.subarray(start, start + 800), frequencyHz, 8000));
  }
  return best;
}

/** The share of all 100 ms pieces that contain only this tone. */
function clearPieces(pcm: Int16Array, frequencyHz: number): number {
  const starts = Array.from({ length: Math.floor(pcm.length / 400) - 1 }, (_, at) => at * 400);
  const clear = starts.filter(
    (start) => toneShare(pcm.subarray(start, start + 800), frequencyHz, 8000) > 0.95,
  );
  return clear.length / starts.length;
}

async function rawPeer() {
  const received: { payloadType: number; host: string; port: number }[] = [];
  const socket = await Bun.udpSocket({
    hostname: "127.0.41.2",
    port: 0,
    socket: {
      data: (_s, bytes, port, host) =>
        void received.push({ payloadType: (bytes[1] ?? 0) & 0x7f, host, port }),
      error: () => {},
    },
  });
  cleanups.push(() => socket.close());
  let sequenceNumber = 100;
  return {
    received,
    port: socket.port,
    send(toPort: number, ssrc = 7, payload = new Uint8Array(160).fill(0xd5)) {
      const timestamp = sequenceNumber * 160;
      const header = { marker: false, payloadType: 8, sequenceNumber, timestamp, ssrc };
      sequenceNumber = (sequenceNumber + 1) & 0xffff;
      socket.send(buildRtpPacket(header, payload), toPort, HOST);
    },
    sendRaw: (toPort: number, bytes: Uint8Array) => socket.send(bytes, toPort, HOST),
  };
}

for (const ptimeMs of [10, 20, 30, 60]) {
  test(`two ends hear each other's tone at ptime ${ptimeMs}`, async () => {
    const [a, b] = [await openAudio(), await openAudio()];
    const [heardByA, heardByB] = [hear(a), hear(b)];
    a.connect(planTo(b.rtpPort, { ptimeMs }));
    b.connect(planTo(a.rtpPort, { ptimeMs }));
    expect(a.play(sine(440, 600, 8000))).toBe(true);
    b.play(sine(880, 600, 8000));
    await until(() => loudestShare(heardByB(), 440) > 0.95 && loudestShare(heardByA(), 880) > 0.95);
    await until(() => a.queuedMs === 0);
    expect(a.playedMs).toBe(600);
    expect(a.statistics.packetsLost).toBe(0);
    expect(a.statistics.codec).toBe("PCMA");
    // 4.4 on a fast machine; a stall of 300 ms counts as delay, and may reduce it to 2.6.
    expect(a.statistics.mos).toBeGreaterThan(2);
    expect(a.statistics.mos).toBeLessThan(4.6);
  });
}

test("keys arrive once each, after the speech before them, in both directions", async () => {
  const [a, b] = [await openAudio(), await openAudio()];
  a.connect(planTo(b.rtpPort));
  b.connect(planTo(a.rtpPort));
  let [keysAtA, keysAtB] = ["", ""];
  let queuedWhenFirstKeyCame = -1;
  a.onDigit((digit) => {
    keysAtA += digit;
  });
  b.onDigit((digit) => {
    if (keysAtB === "") queuedWhenFirstKeyCame = a.queuedMs;
    keysAtB += digit;
  });
  a.play(sine(440, 200, 8000));
  a.sendDigits("1155#");
  b.sendDigits("*90D");
  let drained = false;
  a.whenDrained(() => {
    drained = true;
  });
  await until(() => drained && keysAtB.length >= 5 && keysAtA.length >= 4);
  expect(keysAtB).toBe("1155#");
  expect(keysAtA).toBe("*90D");
  expect(queuedWhenFirstKeyCame).toBe(0);
});

test("a remote party without telephone-events gets the keys as tones", async () => {
  const [a, b] = [await openAudio(), await openAudio()];
  const heard = hear(b);
  a.connect(planTo(b.rtpPort, { telephoneEvent: null }));
  b.connect(planTo(a.rtpPort, { telephoneEvent: null }));
  const isHeard = () => loudestShare(heard(), 770) > 0.3 && loudestShare(heard(), 1336) > 0.3;
  // A busy machine may shorten a tone of 100 ms: then it is pressed again.
  for (let presses = 0; presses < 5 && !isHeard(); presses++) {
    a.sendDigits("5");
    await until(isHeard, 2_000).catch(() => {});
  }
  expect(isHeard()).toBe(true);
  expect(a.playedMs).toBe(0);
});

test("a key by event and by INFO counts once, a key by one of them counts too", async () => {
  const [a, b] = [await openAudio(), await openAudio()];
  let digits = "";
  b.onDigit((digit) => {
    digits += digit;
  });
  a.connect(planTo(b.rtpPort));
  b.connect(planTo(a.rtpPort));
  b.signalDigit?.("4");
  a.sendDigits("42");
  await until(() => digits.includes("2"));
  b.signalDigit?.("2");
  b.signalDigit?.("9");
  expect(digits).toBe("429");
});

test("keys as tones are detected once each if no events were negotiated, and only then", async () => {
  const [a, b] = [await openAudio(), await openAudio()];
  let digits = "";
  b.onDigit((digit) => {
    digits += digit;
  });
  a.connect(planTo(b.rtpPort, { telephoneEvent: null }));
  b.connect(planTo(a.rtpPort, { telephoneEvent: null }));
  a.sendDigits("1590#");
  await until(() => digits.length >= 5);
  b.signalDigit?.("#");
  b.connect(planTo(a.rtpPort));
  a.sendDigits("7");
  await new Promise<void>((resolve) => a.whenDrained(resolve));
  await Bun.sleep(200);
  expect(digits).toBe("1590#");
});

test("the stream moves to a source behind NAT after four packets, and junk no longer moves it", async () => {
  const audio = await openAudio();
  const [caller, stranger] = [await rawPeer(), await rawPeer()];
  audio.connect(planTo(9999));
  for (let count = 0; count < 3; count++) caller.send(audio.rtpPort);
  stranger.sendRaw(audio.rtpPort, new Uint8Array(200).fill(0xff));
  stranger.sendRaw(audio.rtpPort, new Uint8Array(3));
  await Bun.sleep(60);
  expect(caller.received).toHaveLength(0);
  caller.send(audio.rtpPort);
  caller.send(audio.rtpPort);
  await until(() => caller.received.length > 3);
  for (let count = 0; count < 20; count++) stranger.send(audio.rtpPort, 99);
  const before = caller.received.length;
  await until(() => caller.received.length > before + 5);
  expect(stranger.received).toHaveLength(0);
  expect(audio.statistics.packetsReceived).toBe(2);
});

test("silence on the line is reported once, and not while the call is on hold", async () => {
  const audio = await openAudio(300);
  const peer = await rawPeer();
  let timeouts = 0;
  audio.onTimeout(() => timeouts++);
  audio.connect(planTo(peer.port, { remote: { host: "127.0.41.2", port: peer.port } }));
  audio.connect(planTo(peer.port, { direction: "sendonly" }));
  await Bun.sleep(600);
  expect(timeouts).toBe(0);
  audio.connect(planTo(peer.port));
  await until(() => timeouts > 0);
  await Bun.sleep(400);
  expect(timeouts).toBe(1);
});

test("on hold nothing is sent, and afterwards the speech continues where it stopped", async () => {
  const audio = await openAudio();
  const peer = await rawPeer();
  const remote = { host: "127.0.41.2", port: peer.port };
  audio.play(sine(440, 400, 8000));
  audio.connect(planTo(0, { remote }));
  await until(() => audio.playedMs >= 100);
  audio.connect(planTo(0, { remote, direction: "inactive" }));
  await Bun.sleep(50);
  const [sent, played] = [peer.received.length, audio.playedMs];
  await Bun.sleep(200);
  expect(peer.received.length).toBe(sent);
  expect(audio.playedMs).toBe(played);
  audio.connect(planTo(0, { remote }));
  await until(() => audio.queuedMs === 0);
  expect(audio.playedMs).toBe(400);
});

test("a stop drops the queued audio except the fade, and returns its length", async () => {
  const audio = await openAudio();
  audio.play(sine(440, 1000, 8000));
  expect(audio.stopPlaying(40)).toBe(960);
  expect(audio.queuedMs).toBe(40);
});

test("the recording has the caller left and the agent right, in step", async () => {
  const directory = await mkdtemp(join(tmpdir(), "linevoice-recording-"));
  cleanups.push(() => rm(directory, { recursive: true }));
  const path = join(directory, "call.wav");
  const [agent, caller] = [await openAudio(), await openAudio()];
  agent.connect(planTo(caller.rtpPort));
  caller.connect(planTo(agent.rtpPort));
  agent.startRecording(path);
  agent.play(sine(440, 1500, 8000));
  caller.play(sine(1000, 1500, 8000));
  await until(() => agent.queuedMs === 0 && caller.queuedMs === 0);
  await Bun.sleep(100);
  const recording = await agent.close();
  expect(recording?.path).toBe(path);
  expect(recording?.durationMs).toBeGreaterThanOrEqual(1500);
  const wav = await openWav(path);
  const samples = (await wav.read(8000 * 60)) ?? new Int16Array(0);
  await wav.close();
  expect(wav.info.durationMs).toBe(recording?.durationMs ?? -1);
  const middle = samples.subarray(8000, 24000);
  const left = middle.filter((_, index) => index % 2 === 0);
  const right = middle.filter((_, index) => index % 2 === 1);
  // A stall of the machine is a gap in the recording, so pieces are compared separately.
  expect(clearPieces(left, 1000)).toBeGreaterThan(0.6);
  expect(toneShare(left, 440, 8000)).toBeLessThan(0.01);
  expect(clearPieces(right, 440)).toBeGreaterThan(0.6);
  expect(toneShare(right, 1000, 8000)).toBeLessThan(0.01);
});

test("a recording that cannot be written does not affect the call", async () => {
  const [a, b] = [await openAudio(), await openAudio()];
  const heard = hear(b);
  a.connect(planTo(b.rtpPort));
  b.connect(planTo(a.rtpPort));
  const directory = await mkdtemp(join(tmpdir(), "linevoice-recording-"));
  cleanups.push(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, "recordings"), "a file where the directory should be");
  a.startRecording(join(directory, "recordings", "call.wav"));
  a.play(sine(440, 300, 8000));
  await until(() => loudestShare(heard(), 440) > 0.95);
  expect(await a.close()).toBeNull();
});

test("a deleted recordings directory is created again for the next call", async () => {
  const directory = await mkdtemp(join(tmpdir(), "linevoice-recording-"));
  cleanups.push(() => rm(directory, { recursive: true }));
  const path = join(directory, "recordings", "call.wav");
  const audio = await openAudio();
  audio.startRecording(path);
  audio.connect(planTo(9999));
  await until(() => audio.rtpClockMs >= 100);
  expect((await audio.close())?.path).toBe(path);
  expect((await stat(join(directory, "recordings"))).mode & 0o777).toBe(0o700);
});

test("a closed call returns its port to rest, and closing twice is harmless", async () => {
  const audio = await openAudio();
  released.length = 0;
  await Promise.all([audio.close(), audio.close()]);
  expect(released).toEqual([audio.rtpPort]);
});
