/** The RTP send thread: real threads, real sockets, the kernel's time stamps. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/core/clock.ts";
import { type Log, silentLog } from "../../../src/core/log.ts";
import type { MediaPlan } from "../../../src/core/media-plan.ts";
import { createCallAudio } from "../../../src/media/call-audio.ts";
import {
  type BatchUdpSocket,
  openBatchUdpSocket,
} from "../../../src/media/rtp/batch-udp-socket.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import {
  createRtpSendThread,
  type RtpSendThread,
  SEND_DELAY_MS,
} from "../../../src/media/rtp/rtp-send-thread.ts";
import { bindRtpSockets } from "../../../src/media/rtp/socket-pair.ts";
import { eventually } from "../../support/eventually.ts";
import { sendThreadOfThisThread } from "../../support/media/rtp-send-thread.ts";
import type { DepartingOrder } from "../../support/media/rtp-send-thread.worker.ts";
import { mayRaisePriorityLimit, testWhere } from "../../support/privileges.ts";

/** Addresses of the tests that run for both families. */
const HOSTS = ["127.0.78.1", "::1"];
let host = "127.0.78.1";
const NEAR = 24_120;
const FAR = 24_122;
const PLACES = 1024;
const OCTETS_MAX = 704;
/** Distance of a slot that a starved thread still does not reach before the test acts. */
const AFTERWARDS_MS = 2_000;
/** The kernel's time stamps use another clock than ours. */
const CLOCKS_MS = 1;
const now = () => systemClock.monotonic();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function sendThread(): ReturnType<typeof sendThreadOfThisThread> {
  const started = sendThreadOfThisThread();
  cleanups.push(() => started.end());
  return started;
}

function open(port: number, through: RtpSendThread | null = null): BatchUdpSocket {
  const socket = openBatchUdpSocket(host, port, through);
  if (!socket) throw new Error("this test is for Linux with glibc");
  return socket;
}

/** A far end; returns its packets with the time of their arrival in the kernel. */
function listen() {
  const socket = open(FAR);
  cleanups.push(() => socket.close());
  const heard: { text: string; octets: number; atMs: number }[] = [];
  return () => {
    socket.poll(now(), (datagram, _from, _port, atMs) => {
      const text = Buffer.from(datagram).toString().replaceAll("\0", "");
      heard.push({ text, octets: datagram.length, atMs });
    });
    return heard;
  };
}

function isFree(port: number): boolean {
  try {
    open(port).close();
    return true;
  } catch {
    return false;
  }
}

function threads(): string[] {
  return readdirSync("/proc/self/task").filter((thread) => {
    try {
      return readFileSync(`/proc/self/task/${thread}/comm`, "utf8") === "rtp-send\n";
    } catch {
      return false;
    }
  });
}
const threadCount = () => threads().length;

/** How often the only send thread has waited (proc(5)). */
function restsTaken(): number {
  const status = readFileSync(`/proc/self/task/${threads()[0]}/status`, "utf8");
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
}

const KEYS = {
  ours: Buffer.alloc(30, 7).toString("base64"),
  theirs: Buffer.alloc(30, 9).toString("base64"),
};
const SUITE = "AES_CM_128_HMAC_SHA1_80";

function planTo(port: number, send: string, receive: string): MediaPlan {
  return {
    remote: { host: host, port },
    codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
    telephoneEvent: { send: 101, receive: 101 },
    direction: "sendrecv",
    ptimeMs: 20,
    rtcpMux: true,
    srtp: { suite: SUITE, sendKey: send, receiveKey: receive },
  };
}

describe.each(HOSTS)("over %s", (address) => {
  beforeEach(() => {
    host = address;
  });

  test("packets leave in order, at their slot plus the delay and never before", async () => {
    const hear = listen();
    const near = open(NEAR, sendThread());
    cleanups.push(() => near.close());
    const firstMs = now() + 5;
    for (let n = 0; n < 40; n++) near.send(Buffer.from(`${n}`), host, FAR, firstMs + n * 5);
    await eventually(() => hear().length === 40, "all have come");
    const early = hear().filter(
      ({ atMs }, n) => atMs < firstMs + n * 5 + SEND_DELAY_MS - CLOCKS_MS,
    );
    expect(early).toEqual([]);
    expect(hear().map(({ text }) => text)).toEqual(Array.from({ length: 40 }, (_, n) => `${n}`));
  });

  test("late packets leave at once, and packets without a slot do not wait", async () => {
    const hear = listen();
    const near = open(NEAR, sendThread());
    cleanups.push(() => near.close());
    near.send(Buffer.from("later"), host, FAR, now() + AFTERWARDS_MS);
    near.send(Buffer.from("a report"), host, FAR);
    await eventually(() => hear().length === 2, "both have come");
    expect(hear().map(({ text }) => text)).toEqual(["a report", "later"]);
    const lateMs = now() - 200;
    near.send(Buffer.from("late"), host, FAR, lateMs);
    await eventually(() => hear().length === 3, "it has come");
  });

  test("a closed socket sends its queued packets, and its port is free afterwards", async () => {
    const hear = listen();
    const through = sendThread();
    const near = open(NEAR, through);
    near.send(Buffer.from("the last one"), host, FAR, now() + 100);
    near.close();
    expect(isFree(NEAR)).toBe(false);
    await eventually(() => isFree(NEAR), "the port is free");
    expect(hear().map(({ text }) => text)).toEqual(["the last one"]);
  });

  test("packets that are too long or find no room leave at once; none is lost", async () => {
    // So many sockets that each keeps its packets in the kernel, however late they are read.
    const heard: string[][] = Array.from({ length: 8 }, () => []);
    const ports: number[] = [];
    for (const texts of heard) {
      const data = (_: unknown, datagram: Buffer) =>
        void texts.push(datagram.toString().replaceAll("\0", ""));
      const far = await Bun.udpSocket({ hostname: host, port: 0, socket: { data } });
      ports.push(far.port);
      cleanups.push(() => far.close());
    }
    const near = open(NEAR, sendThread());
    cleanups.push(() => near.close());
    const slotMs = now() + AFTERWARDS_MS;
    const send = (to: number, text: string, size: number) => {
      const packet = Buffer.alloc(size);
      packet.write(text);
      near.send(packet, host, ports[to] ?? 0, slotMs);
    };
    send(0, "long enough", OCTETS_MAX);
    send(0, "too long", OCTETS_MAX + 1);
    for (let n = 1; n < PLACES; n++) send(n % 8, `${n}`, 4);
    send(1, "no place", 8);
    await eventually(() => heard.flat().length === PLACES + 2, "all have come");
    const numbers = (from: number) => Array.from({ length: 128 }, (_, n) => `${from + n * 8}`);
    expect(heard[0]).toEqual(["too long", "long enough", ...numbers(0).slice(1)]);
    expect(heard[1]).toEqual(["no place", ...numbers(1)]);
    for (let far = 2; far < 8; far++) expect(heard[far]).toEqual(numbers(far));
  });

  test("an overloaded thread rests, and is not mistaken for a looping one", async () => {
    await eventually(() => threadCount() === 0, "the threads before have ended");
    const hear = listen();
    const near = open(NEAR, sendThread());
    cleanups.push(() => near.close());
    await eventually(() => threadCount() === 1, "it runs");
    const slotMs = now() + AFTERWARDS_MS;
    for (let n = 0; n < 256; n++) near.send(Buffer.from(`${n}`), host, FAR, slotMs);
    const before = restsTaken();
    await eventually(() => hear().at(-1)?.text === "255", "the last one has come");
    expect(restsTaken() - before).toBeGreaterThanOrEqual(256 / 32 - 1);
  });

  test("a worker's packets do not wait for another worker's, and each thread ends separately", async () => {
    const hear = listen();
    await eventually(() => threadCount() === 0, "the threads before have ended");
    const [one, other] = [sendThread(), sendThread()];
    const [first, second] = [open(NEAR, one), open(NEAR + 4, other)];
    await eventually(() => threadCount() === 2, "both run");
    first.send(Buffer.from("first"), host, FAR, now() + AFTERWARDS_MS);
    second.send(Buffer.from("second"), host, FAR, now());
    await eventually(() => hear().length === 2, "both have come");
    expect(hear().map(({ text }) => text)).toEqual(["second", "first"]);
    first.close();
    cleanups.splice(1, 1)[0]?.();
    await eventually(() => threadCount() === 1, "the first has ended");
    second.send(Buffer.from("third"), host, FAR, now());
    await eventually(() => hear().length === 3, "the second still sends");
    second.close();
  });

  test("an encrypted call with digits loses nothing and keeps its order", async () => {
    const ports = createPortPool({ first: 24_140, last: 24_159 }, systemClock);
    const pacer = createPacer(systemClock, silentLog);
    cleanups.push(() => pacer.close());
    const through = sendThread();
    const deps = { ports, pacer, sendThread: through, clock: systemClock, log: silentLog };
    const options = {
      rtpHost: host,
      jitterMsMax: 200,
      rtpTimeoutMs: 15_000,
      holdTimeoutMs: 60_000,
    };
    const ours = await createCallAudio(options, deps);
    const theirs = await createCallAudio(options, deps);
    cleanups.push(
      () => ours.close(),
      () => theirs.close(),
    );
    let digits = "";
    theirs.onDigit((digit) => {
      digits += digit;
    });
    ours.connect(planTo(theirs.rtpPort, KEYS.ours, KEYS.theirs));
    theirs.connect(planTo(ours.rtpPort, KEYS.theirs, KEYS.ours));
    ours.sendDigits("12#");
    await eventually(() => digits === "12#", "the digits are heard");
    await eventually(() => theirs.statistics.packetsReceived > 60, "audio goes on");
    expect(theirs.statistics).toMatchObject({ packetsLost: 0, packetsDiscarded: 0 });
    expect(ours.statistics).toMatchObject({ packetsLost: 0 });
    await ours.close();
    const { packetsSent } = ours.statistics;
    await eventually(() => theirs.statistics.packetsReceived === packetsSent, "the last one came");
  }, 30_000);
});

const isRoot = process.getuid?.() === 0;
/** Without the privilege that overrides the limit. */
const UNPRIVILEGED = isRoot ? ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"] : [];
const PROCESS = fileURLToPath(
  new URL("../../support/media/rtp-send-thread-process.ts", import.meta.url),
);

async function policiesUnder(...command: string[]) {
  const child = Bun.spawn([...command, process.execPath, PROCESS], { stdout: "pipe" });
  return JSON.parse(await new Response(child.stdout).text());
}

test("without the right to real-time priority packets still leave, in order", async () => {
  expect(await policiesUnder("prlimit", "--rtprio=0", ...UNPRIVILEGED)).toEqual({
    heard: "0123456789",
    sendThread: [0],
    others: [0],
  });
});

testWhere(isRoot, "real time")(
  "with that right only this thread has real-time priority, at the lowest level",
  async () => {
    const right = mayRaisePriorityLimit() ? ["prlimit", "--rtprio=1", ...UNPRIVILEGED] : [];
    expect(await policiesUnder(...right)).toEqual({
      heard: "0123456789",
      sendThread: [1],
      others: [0],
    });
  },
);

test("a system without support logs that, and its calls continue without the thread", () => {
  const lines: string[] = [];
  const log: Log = { ...silentLog, warn: (event) => void lines.push(event) };
  expect(createRtpSendThread(log, "darwin")).toBeNull();
  expect(lines).toEqual(["media.send_thread_unavailable"]);
});

test("a send delay exists only with the send thread, in both families", async () => {
  const ports = createPortPool({ first: 24_160, last: 24_179 }, systemClock);
  const through = sendThread();
  const leadOf = async (on: string, by: RtpSendThread | null) => {
    const ignore = () => {};
    const sockets = await bindRtpSockets(on, ports, ignore, ignore, by);
    cleanups.push(() => sockets.close());
    return sockets.leadMs;
  };
  for (const on of HOSTS)
    expect([await leadOf(on, through), await leadOf(on, null)]).toEqual([SEND_DELAY_MS, 0]);
});

describe("a worker terminated while it sends", () => {
  const PORTS = [24_180, 24_182, 24_184, 24_186];
  const descriptors = () => readdirSync("/proc/self/fd").length;

  /** Resolves when the thread has ended. */
  async function endWhileItSends(owned: NonNullable<ReturnType<typeof createRtpSendThread>>) {
    const worker = new Worker(
      new URL("../../support/media/rtp-send-thread.worker.ts", import.meta.url).href,
    );
    const closed = new Promise((resolve) => worker.addEventListener("close", resolve));
    const sends = new Promise((resolve) => worker.addEventListener("message", resolve));
    const order: DepartingOrder = { handle: owned.handle, host, ports: PORTS, to: FAR };
    worker.postMessage(order);
    await sends;
    await Bun.sleep(Math.random() * 20);
    worker.terminate();
    await closed;
  }

  test("leaves neither thread nor socket behind, and its ports are free", async () => {
    await eventually(() => threadCount() === 0, "the threads before have ended");
    let before = 0;
    for (let round = 0; round < 30; round++) {
      const owned = createRtpSendThread(silentLog);
      if (!owned) throw new Error("this test is for Linux with glibc");
      await endWhileItSends(owned);
      await eventually(() => threadCount() === 1, "its thread runs on");
      owned.end();
      await eventually(() => threadCount() === 0, "its thread has ended");
      expect(PORTS.filter((port) => !isFree(port))).toEqual([]);
      // The runtime keeps some descriptors for its first worker.
      if (round === 0) before = descriptors();
    }
    expect(descriptors()).toBe(before);
  }, 60_000);

  test("still sends its queued packets, through its own sockets", async () => {
    const hear = listen();
    const through = sendThread();
    cleanups.pop();
    const near = open(NEAR, through);
    for (let n = 0; n < 10; n++) near.send(Buffer.from(`${n}`), host, FAR, now() + 100 + n);
    through.end();
    expect(isFree(NEAR)).toBe(false);
    await eventually(() => isFree(NEAR), "the port is free");
    expect(hear().map(({ text }) => text)).toEqual([..."0123456789"]);
  });

  test("without a send thread leaves nothing either", async () => {
    for (let round = 0; round < 30; round++) createRtpSendThread(silentLog)?.end();
    expect(threadCount()).toBe(0);
  });
});
