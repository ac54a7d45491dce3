import { expect, test } from "bun:test";
import { SymmetricRtp } from "../../../src/media/rtp/symmetric-rtp.ts";

/** The SDP of a remote party behind NAT names an address that sends nothing. */
const SDP = { host: "10.0.0.5", port: 4000 };
const NAT = "192.0.2.1";
const PROXY = "192.0.2.2";
const STRANGER = "198.51.100.9";

function lockTo(signallingHost: string | null = null): SymmetricRtp {
  const lock = new SymmetricRtp();
  lock.signal(SDP, signallingHost);
  return lock;
}

/** A remote party's stream: each packet's sequence number follows the one before. */
function stream(lock: SymmetricRtp, host: string, port: number, ssrc = port) {
  let sequence = 0xfffe;
  return (nowMs: number, packets = 1): boolean[] =>
    Array.from({ length: packets }, (_, index) => {
      sequence = (sequence + 1) & 0xffff;
      return lock.accept(host, port, ssrc, sequence, nowMs + index * 20);
    });
}

const LEARNT = [false, false, false, true];

test("the SDP's address is accepted at its first packet, and no other source after it", () => {
  const lock = lockTo(PROXY);
  expect(stream(lock, SDP.host, SDP.port)(0)).toEqual([true]);
  for (const host of [STRANGER, PROXY, SDP.host])
    expect(stream(lock, host, 5000)(100, 10)).not.toContain(true);
  expect(lock.destination).toEqual(SDP);
});

test("another source is accepted after four packets in sequence, not with gaps or mixed sources", () => {
  const lock = lockTo();
  const accept = (host: string, sequence: number) => lock.accept(host, 5000, 2, sequence, 50);
  expect([1, 2, 3].map((sequence) => accept(STRANGER, sequence))).toEqual([false, false, false]);
  expect(accept("198.51.100.8", 1)).toBe(false);
  expect([5, 6, 8, 9, 10].map((sequence) => accept(STRANGER, sequence))).not.toContain(true);
  expect(accept(STRANGER, 11)).toBe(true);
  expect(lock.destination).toEqual({ host: STRANGER, port: 5000 });
});

test("a remote party behind NAT that falls silent after its first packet is heard when it speaks", () => {
  const lock = lockTo();
  const caller = stream(lock, NAT, 5000);
  expect(caller(0)).toEqual([false]);
  expect(caller(60_000, 3)).toEqual([false, false, true]);
  expect(lock.destination).toEqual({ host: NAT, port: 5000 });
});

test("a stray packet long before the first word has no effect", () => {
  const lock = lockTo();
  stream(lock, STRANGER, 7000)(0);
  expect(stream(lock, NAT, 5000)(30_000, 4)).toEqual(LEARNT);
});

test("a remote party behind the signalling host takes its call back from a stranger, whenever it speaks", () => {
  const lock = lockTo(NAT);
  const stranger = stream(lock, STRANGER, 7000);
  expect(stranger(0, 4)).toEqual(LEARNT);
  expect(stream(lock, NAT, 33_000)(8_000, 4)).toEqual(LEARNT);
  expect(lock.destination).toEqual({ host: NAT, port: 33_000 });
  expect(stranger(8_100, 10)).not.toContain(true);
});

test("the SDP's host at another port counts like the signalling host", () => {
  const lock = lockTo();
  stream(lock, STRANGER, 7000)(0, 4);
  expect(stream(lock, SDP.host, 33_000)(100, 4)).toEqual(LEARNT);
  expect(lock.destination).toEqual({ host: SDP.host, port: 33_000 });
});

test("a stranger who fills every gap does not prevent the learning of a source", () => {
  const lock = lockTo(NAT);
  const [caller, stranger] = [stream(lock, NAT, 33_000), stream(lock, STRANGER, 7000)];
  const heard = [0, 20, 40, 60].map((nowMs) => {
    stranger(nowMs, 3);
    return caller(nowMs)[0];
  });
  expect(heard).toEqual(LEARNT);
  expect(lock.destination?.host).toBe(NAT);
});

test("while a known host's source sends, only the SDP's address moves it", () => {
  const lock = lockTo(NAT);
  const caller = stream(lock, NAT, 33_000);
  caller(0, 4);
  caller(8_000);
  for (const [host, port] of [
    [STRANGER, 7000],
    [NAT, 33_002],
    [SDP.host, 4002],
  ] as const)
    expect(stream(lock, host, port)(9_000, 10)).not.toContain(true);
  expect(stream(lock, SDP.host, SDP.port)(9_500)).toEqual([true]);
  expect(lock.destination).toEqual(SDP);
});

test.each([
  ["its signalling host", NAT, NAT],
  ["a host that nobody named", PROXY, NAT],
] as const)(
  "a party that gets another port from its NAT, behind %s, is still heard",
  (_, signalling, host) => {
    const lock = lockTo(signalling);
    stream(lock, host, 33_000)(0, 4); // the last at 60 ms
    const moved = stream(lock, host, 33_002);
    expect(moved(2_059)).toEqual([false]);
    expect(moved(2_060, 4)).toEqual(LEARNT);
    expect(lock.destination).toEqual({ host, port: 33_002 });
  },
);

test("after two seconds of silence a stranger is still refused, and the SDP's address accepted at once", () => {
  const lock = lockTo(NAT);
  stream(lock, SDP.host, SDP.port)(0);
  expect(stream(lock, STRANGER, 7000)(60_000, 10)).not.toContain(true);
  expect(stream(lock, NAT, 33_000)(60_300, 4)).toEqual(LEARNT);
  expect(stream(lock, SDP.host, SDP.port)(60_400)).toEqual([true]);
  expect(lock.destination).toEqual(SDP);
});

test("a new SDP restarts the search, the same one again does not", () => {
  const lock = lockTo();
  const caller = stream(lock, NAT, 5000);
  caller(10, 4);
  lock.signal(SDP);
  expect(lock.destination?.port).toBe(5000);
  lock.signal({ ...SDP, port: 4002 });
  expect(lock.destination?.port).toBe(4002);
  expect(caller(100)).toEqual([false]);
});

test.each([1, 3, 4, 20])(
  "%d late packets of the old source do not keep the new one out",
  (late) => {
    const lock = lockTo(NAT);
    const old = stream(lock, NAT, 33_000);
    old(0, 4);
    lock.signal({ ...SDP, port: 4002 }, NAT);
    old(100, late);
    expect(lock.destination).toEqual({ ...SDP, port: 4002 });
    const heard = stream(lock, NAT, 33_002)(20_000, 8);
    expect(heard.at(-1)).toBe(true);
    expect(lock.destination).toEqual({ host: NAT, port: 33_002 });
    expect(old(20_200, 10)).not.toContain(true);
  },
);

test("a source that continues for a second after a new SDP is still the remote party's", () => {
  const lock = lockTo(NAT);
  const same = stream(lock, NAT, 33_000);
  same(0, 4);
  lock.signal({ ...SDP, port: 4002 }, NAT);
  const heard = same(100, 60);
  expect(heard.slice(0, 4)).toEqual(LEARNT);
  expect(heard.slice(4)).not.toContain(false);
  expect(lock.destination).toEqual({ host: NAT, port: 33_000 });
  expect(stream(lock, NAT, 33_002)(1_500, 10)).not.toContain(true);
});

test("while the old source still sends, a burst does not take its place", () => {
  const lock = lockTo(NAT);
  const same = stream(lock, NAT, 33_000);
  same(0, 4);
  lock.signal({ ...SDP, port: 4002 }, NAT);
  same(100, 10);
  expect(stream(lock, NAT, 33_002)(300, 4)).not.toContain(true);
  expect(stream(lock, STRANGER, 7000)(600, 10)).not.toContain(true);
});

test("reports are accepted from the learnt host, the SDP's host and the signalling host", () => {
  const lock = lockTo(PROXY);
  expect([SDP.host, PROXY, NAT].map((host) => lock.knows(host))).toEqual([true, true, false]);
  stream(lock, NAT, 5000)(0, 4);
  expect([SDP.host, PROXY, NAT, STRANGER].map((host) => lock.knows(host))).toEqual([
    ...[true, true, true],
    false,
  ]);
});
