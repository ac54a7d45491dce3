/** Stored packet headers: which, how many, and no payload. */
import { afterEach, expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { joinedHeaders, packetsOf } from "../../../src/core/packet-headers.ts";
import { pcapOf } from "../../../src/features/call-log/call-pcap.ts";
import { createCallAudio } from "../../../src/media/call-audio.ts";
import { HeaderCapture } from "../../../src/media/rtp/header-capture.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const HOST = "127.0.41.9";
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const AUDIO = new TextEncoder().encode("what the caller says, ".repeat(8).slice(0, 160));

function rtpPacket(sequenceNumber: number, optional = {}): Uint8Array {
  const header = { marker: false, payloadType: 8, sequenceNumber, timestamp: 160, ssrc: 0xabcdef };
  return buildRtpPacket(header, AUDIO, optional);
}

const sequenceOf = (header: Uint8Array) => (header[2] ?? 0) * 256 + (header[3] ?? 0);

/** Stored sequence numbers after `packets` packets. */
function keptOf(packets: number): number[] {
  const capture = new HeaderCapture(HOST, fakeClock());
  for (let sequence = 0; sequence < packets; sequence++)
    capture.note("in", 20_000, rtpPacket(sequence), "192.0.2.9", 4_000);
  return packetsOf(capture.read()).map(({ header }) => sequenceOf(header));
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

test.each([0, 1, 999, 1_000, 1_001, 4_999, 5_000])("all of %i packets are kept", (packets) => {
  expect(keptOf(packets)).toEqual(range(0, packets));
});

test.each([5_001, 8_999, 9_000, 12_345])(
  "of %i packets the first 1,000 and the last 4,000 are kept",
  (packets) => {
    expect(keptOf(packets)).toEqual([...range(0, 1_000), ...range(packets - 4_000, packets)]);
  },
);

test("a packet keeps time, direction, addresses, length and its fixed header", async () => {
  const clock = fakeClock();
  const capture = new HeaderCapture(HOST, clock);
  const startedAtMs = clock.now();
  const extended = rtpPacket(7, {
    csrc: [1, 2],
    extension: { profile: 0xbede, data: new Uint8Array(8) },
  });
  capture.note("in", 20_000, extended, "192.0.2.9", 4_000);
  await clock.advance(20);
  const report = new Uint8Array(52).fill(9);
  report.set([0x80, 200, 0, 12, 1, 2, 3, 4]);
  capture.note("out", 20_001, report, "192.0.2.9", 4_001);
  capture.note("in", 20_000, AUDIO, "192.0.2.9", 4_000);
  const path = { localPort: 20_000, host: "192.0.2.9", port: 4_000 };
  expect(packetsOf(capture.read())).toEqual([
    {
      atMs: startedAtMs,
      direction: "in",
      path,
      length: extended.length,
      header: extended.slice(0, 12),
    },
    {
      atMs: startedAtMs + 20,
      direction: "out",
      length: 52,
      header: report.slice(0, 8),
      path: { localPort: 20_001, host: "192.0.2.9", port: 4_001 },
    },
    {
      atMs: startedAtMs + 20,
      direction: "in",
      path,
      length: AUDIO.length,
      header: new Uint8Array(0),
    },
  ]);
});

test("a sender with constantly changing ports is left out, and the others stay", () => {
  const capture = new HeaderCapture(HOST, fakeClock());
  for (let port = 0; port < 1_000; port++)
    capture.note("in", 20_000, rtpPacket(port), "192.0.2.66", port);
  capture.note("in", 20_000, rtpPacket(5), "192.0.2.66", 0);
  const { paths, records } = capture.read();
  expect([paths.length, records.length / 20]).toEqual([128, 129]);
});

const tcpdump = Bun.which("tcpdump");
if (!tcpdump) console.warn("SKIPPED: tcpdump is not installed; .ci/run installs it.");

async function openAudio(keepsPacketHeaders?: boolean) {
  const pacer = createPacer(systemClock, silentLog);
  const audio = await createCallAudio(
    {
      rtpHost: HOST,
      jitterMsMax: 200,
      rtpTimeoutMs: 15_000,
      holdTimeoutMs: 600_000,
      ...(keepsPacketHeaders === undefined ? {} : { keepsPacketHeaders }),
    },
    {
      pacer,
      clock: systemClock,
      log: silentLog,
      ports: createPortPool({ first: 22_000, last: 22_099 }, systemClock),
    },
  );
  cleanups.push(async () => {
    await audio.close();
    pacer.close();
  });
  return audio;
}

/** Sends 50 packets and receives some; returns the audio of the last one received. */
async function talkTo(audio: Awaited<ReturnType<typeof openAudio>>): Promise<Uint8Array> {
  const heard: Uint8Array[] = [];
  const peer = await Bun.udpSocket({
    hostname: HOST,
    socket: { data: (_socket, datagram) => void heard.push(new Uint8Array(datagram)) },
  });
  cleanups.push(() => peer.close());
  audio.connect({
    remote: { host: HOST, port: peer.port },
    codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
    telephoneEvent: null,
    direction: "sendrecv",
    ptimeMs: 20,
  });
  audio.play(Int16Array.from({ length: 8_000 }, (_, at) => (at * 997) % 8_000));
  for (let sequence = 0; sequence < 50; sequence++)
    peer.send(rtpPacket(sequence), audio.rtpPort, HOST);
  await eventually(
    () => heard.length >= 25 && audio.statistics.packetsReceived >= 50,
    "both sides were heard",
  );
  return heard.at(20)?.slice(12) ?? new Uint8Array(0);
}

test.skipIf(!tcpdump)(
  "tcpdump reads both directions without a gap, and no audio is in the file",
  async () => {
    const audio = await openAudio(true);
    const agentSaid = await talkTo(audio);
    await audio.close();
    const file = pcapOf(
      "019aa1b2-0000-7000-8000-000000000001",
      [],
      audio.packetHeaders?.() ?? null,
    );
    const told = Bun.spawnSync([tcpdump ?? "", "-n", "-T", "rtp", "-r", "-"], { stdin: file });
    const lines = told.stdout.toString().trim().split("\n");
    const sequences = (pattern: RegExp) =>
      lines.flatMap((line) => {
        const found = pattern.exec(line);
        return found ? [Number(found[1])] : [];
      });
    const came = sequences(new RegExp(`> ${HOST}\\.${audio.rtpPort}: udp/rtp 160 c8 \\D*(\\d+) `));
    const left = sequences(
      new RegExp(`IP ${HOST}\\.${audio.rtpPort} > .*: udp/rtp 160 c8 \\D*(\\d+) `),
    );
    expect(came).toEqual(range(0, 50));
    const first = left[0] ?? 0;
    expect(left.length).toBeGreaterThanOrEqual(25);
    expect(left).toEqual(range(first, first + left.length));
    const bytes = Buffer.from(file);
    expect(bytes.includes("the caller")).toBe(false);
    expect(agentSaid.length).toBe(160);
    expect(bytes.includes(agentSaid.subarray(0, 8))).toBe(false);
  },
);

test("a person's leg is in the same file, in order of time", () => {
  const clock = fakeClock();
  const caller = new HeaderCapture(HOST, clock);
  caller.note("in", 20_000, rtpPacket(1), "192.0.2.9", 5);
  clock.advance(1_000);
  const person = new HeaderCapture(HOST, clock);
  clock.advance(20);
  person.note("out", 20_002, rtpPacket(2), "192.0.2.8", 6);
  const joined = joinedHeaders(caller.read(), person.read());
  const seen = joined ? packetsOf(joined) : [];
  expect(seen.map(({ atMs, direction, path }) => [atMs - clock.now(), direction, path])).toEqual([
    [-1_020, "in", { localPort: 20_000, host: "192.0.2.9", port: 5 }],
    [0, "out", { localPort: 20_002, host: "192.0.2.8", port: 6 }],
  ]);
  expect(joinedHeaders(null, person.read())?.paths.length).toBe(1);
  expect(joinedHeaders(null, null)).toBeNull();
});

test("nothing is captured unless it is switched on", async () => {
  const audio = await openAudio();
  await talkTo(audio);
  await audio.close();
  expect(audio.packetHeaders?.() ?? null).toBeNull();
});
