import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Random, seededRandom } from "../../../src/core/random.ts";
import { BLOCK_OCTETS, type Block, JitterBuffer } from "../../../src/media/rtp/jitter-buffer.ts";

const PACKET_OCTETS = 160;

interface Network {
  readonly seconds: number;
  readonly firstTimestamp?: number;
  readonly delayMs?: (random: Random) => number;
  readonly lossRatio?: number;
  readonly duplicateRatio?: number;
  /** How much faster the far end's clock runs than ours. */
  readonly driftPpm?: number;
  /** Whether the far end is silent, always or from then on. */
  readonly quiet?: boolean;
  readonly quietFromMs?: number;
  /** The far end's timestamps jump by this much after half of the time. */
  readonly restartBy?: number;
  /** The network delay grows by this much after half of the time. */
  readonly detourMs?: number;
  /** Packets sent in this time arrive at its end, in a burst. */
  readonly stall?: { readonly fromMs: number; readonly toMs: number };
}

/** Each octet is the number (mod 251) of its 10 ms block of the far end's audio. */
function payloadOf(packet: number): Uint8Array {
  return Uint8Array.from({ length: PACKET_OCTETS }, (_, index) => {
    return (packet * 2 + Math.floor(index / BLOCK_OCTETS)) % 251;
  });
}

/** Plays a call through a network and returns the output, block by block. */
function simulate(network: Network, delayMsMax = 200) {
  const random = seededRandom(11);
  const packets = network.seconds * 50;
  const lost = new Set<number>();
  const arrivals: { atMs: number; packet: number }[] = [];
  for (let packet = 0; packet < packets; packet++) {
    const detourMs = packet * 2 > packets ? (network.detourMs ?? 0) : 0;
    const sentMs = packet * 20 * (1 - (network.driftPpm ?? 0) / 1e6) + detourMs;
    if (random.float() < (network.lossRatio ?? 0)) {
      lost.add(packet);
      continue;
    }
    const { stall } = network;
    const stalledMs =
      stall && sentMs >= stall.fromMs && sentMs < stall.toMs ? stall.toMs - sentMs : 0;
    const copies = random.float() < (network.duplicateRatio ?? 0) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      arrivals.push({ atMs: sentMs + stalledMs + (network.delayMs?.(random) ?? 0), packet });
    }
  }
  arrivals.sort((a, b) => a.atMs - b.atMs);
  const buffer = new JitterBuffer({ delayMsMax });
  const block = new Uint8Array(BLOCK_OCTETS);
  const out: { kind: Block; mark: number }[] = [];
  let next = 0;
  for (let nowMs = 3; nowMs < network.seconds * 1000; nowMs += 10) {
    for (let arrival = arrivals[next]; arrival && arrival.atMs <= nowMs; arrival = arrivals[next]) {
      const jump = arrival.packet * 2 > packets ? (network.restartBy ?? 0) : 0;
      const timestamp = (network.firstTimestamp ?? 0) + arrival.packet * PACKET_OCTETS + jump;
      buffer.put(timestamp >>> 0, payloadOf(arrival.packet), arrival.atMs);
      next++;
    }
    const quiet = network.quiet ?? nowMs >= (network.quietFromMs ?? Number.POSITIVE_INFINITY);
    const kind = buffer.take(block, nowMs, quiet);
    out.push({ kind, mark: kind === "audio" ? (block[0] ?? 0) : -1 });
  }
  // Audio received and not played yet: the delay of the buffer.
  const newest = Math.max(...arrivals.slice(0, next).map(({ packet }) => packet)) * 2 + 1;
  const played = out.findLast(({ kind }) => kind === "audio")?.mark ?? 0;
  const lagMs = ((newest - played + 251) % 251) * 10;
  return { out, lost, buffer, lagMs };
}

const count = (out: readonly { kind: Block }[], kind: Block) =>
  out.filter((block) => block.kind === kind).length;

/** Checks that blocks of audio never repeat or run backwards. */
function expectInOrder(out: readonly { kind: Block; mark: number }[]): void {
  let previous: number | null = null;
  for (const { kind, mark } of out) {
    if (kind !== "audio") continue;
    if (previous !== null) {
      const step = (mark - previous + 251) % 251;
      if (step === 0 || step > 60) throw new Error(`block ${mark} after ${previous}`);
    }
    previous = mark;
  }
}

test("a clean network loses nothing, also across the wrap of the timestamp", () => {
  const { out } = simulate({ seconds: 30, firstTimestamp: 2 ** 32 - 4000 });
  expectInOrder(out);
  const start = out.findIndex((block) => block.kind === "audio");
  expect(start).toBeLessThanOrEqual(5);
  expect(count(out.slice(start), "missing")).toBe(0);
  expect(count(out, "stretch")).toBe(0);
});

test("40 ms of jitter reorder packets, and after a second of learning 99 % are played", () => {
  const { out } = simulate({ seconds: 60, delayMs: (random) => random.float() * 40 });
  expectInOrder(out);
  const learnt = out.slice(200);
  expect(count(learnt, "audio") / learnt.length).toBeGreaterThan(0.99);
});

test("if a tenth of the packets is 100 ms late, the buffer grows within its limit: 98 % are played", () => {
  const { out, buffer } = simulate({
    seconds: 60,
    delayMs: (random) => (random.float() < 0.1 ? 100 : 0),
  });
  expectInOrder(out);
  const learnt = out.slice(500);
  expect(count(learnt, "audio") / learnt.length).toBeGreaterThan(0.98);
  expect(buffer.targetDelayMs).toBeLessThanOrEqual(200);
});

test("duplicates change nothing", () => {
  const { out } = simulate({ seconds: 20, duplicateRatio: 0.3 });
  expectInOrder(out);
  expect(count(out.slice(10), "missing")).toBe(0);
});

test("exactly the lost packets are missing", () => {
  const { out, lost } = simulate({ seconds: 60, lossRatio: 0.1 });
  expectInOrder(out);
  const first = out.findIndex((block) => block.kind === "audio");
  expect(Math.abs(count(out.slice(first), "missing") - lost.size * 2)).toBeLessThanOrEqual(8);
});

for (const driftPpm of [200, -200]) {
  test(`a clock ${driftPpm} ppm off is followed for 20 minutes without loss of speech`, () => {
    const { out, lagMs } = simulate({ seconds: 1200, driftPpm, quiet: true });
    expectInOrder(out);
    // 240 ms drift in 20 minutes: 24 blocks are cut or inserted, no more are missing.
    const uneven = count(out.slice(10), "missing") + count(out.slice(10), "stretch");
    expect(uneven).toBeLessThan(40);
    expect(lagMs).toBeLessThan(100);
  });
}

for (const restartBy of [1_000_000, -1_000_000]) {
  test(`timestamps that jump by ${restartBy} cost less than 200 ms`, () => {
    const { out } = simulate({ seconds: 20, restartBy });
    expect(count(out.slice(10), "missing") + count(out.slice(10), "idle")).toBeLessThan(20);
  });
}

test("a permanently longer delay, of any size, costs half a second in addition to the gap itself", () => {
  for (let detourMs = 20; detourMs <= 1_000; detourMs += 10) {
    for (const quiet of [true, false]) {
      const { out } = simulate({ seconds: 20, detourMs, quiet });
      const uneven = out.length - count(out, "audio");
      expect(uneven * 10, `${detourMs} ms, quiet ${quiet}`).toBeLessThanOrEqual(detourMs + 500);
    }
  }
});

/**
 * Six seconds of speech with a stall after four, then silence: returns the lost part of the speech and the
 * remaining delay.
 */
function stallOf(ms: number, delayMsMax = 200) {
  const stall = { fromMs: 4_000, toMs: 4_000 + ms };
  const { out, buffer, lagMs } = simulate({ seconds: 7, quietFromMs: 6_000, stall }, delayMsMax);
  expectInOrder(out);
  const heard = new Set(out.slice(350, 600).map(({ mark }) => mark));
  const spoken = Array.from({ length: 170 }, (_, block) => (350 + block) % 251);
  const lostMs = spoken.filter((mark) => !heard.has(mark)).length * 10;
  return { lostMs, surplusMs: lagMs - buffer.targetDelayMs };
}

test.each([60, 120, 180])(
  "a stall of %d ms loses no speech: the burst after it is played",
  (ms) => {
    const { lostMs, surplusMs } = stallOf(ms);
    expect(lostMs).toBe(0);
    expect(surplusMs).toBeLessThanOrEqual(20);
  },
);

test("a stall longer than the maximum delay loses only the later audio", () => {
  const { lostMs, surplusMs } = stallOf(250);
  expect(lostMs).toBeLessThanOrEqual(60);
  expect(surplusMs).toBeLessThanOrEqual(20);
  // The burst after a longer one would overwrite unplayed audio.
  expect(stallOf(900, 1000).lostMs).toBeLessThanOrEqual(200);
});

test("any mixture of packets and reads neither throws, grows, nor returns more than it received", () => {
  const step = fc.record({
    timestamp: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.nat({ max: 0xffffffff })),
    octets: fc.integer({ min: 0, max: 960 }),
    waitMs: fc.integer({ min: 0, max: 60 }),
    takes: fc.integer({ min: 0, max: 8 }),
    quiet: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const buffer = new JitterBuffer({ delayMsMax: 200 });
      const block = new Uint8Array(BLOCK_OCTETS);
      let nowMs = 0;
      let taken = 0;
      let given = 0;
      for (const { timestamp, octets, waitMs, takes, quiet } of steps) {
        nowMs += waitMs;
        buffer.put(timestamp, new Uint8Array(octets), nowMs);
        given += octets;
        for (let index = 0; index < takes; index++) {
          if (buffer.take(block, nowMs, quiet) === "audio") taken += BLOCK_OCTETS;
        }
      }
      expect(taken).toBeLessThanOrEqual(given);
      let leftMs = 0;
      for (let index = 0; index < 400; index++)
        if (buffer.take(block, nowMs, false) === "audio") leftMs += 10;
      expect(leftMs).toBeLessThanOrEqual(1024);
    }),
    { numRuns: 300 },
  );
});
