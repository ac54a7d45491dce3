/** The remote party's reception of our audio: its receiver reports, and the round-trip delay. */
import { afterEach, expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createCallAudio } from "../../../src/media/call-audio.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import { ReceptionReports } from "../../../src/media/rtp/reported-reception.ts";
import { buildRtcp, middleOfNtp, type ReportBlock, readRtcp } from "../../../src/media/rtp/rtcp.ts";
import { eventually } from "../../support/eventually.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const OURS = "127.0.79.1";
const FAR = "127.0.79.2";
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const block = (change: Partial<ReportBlock>): ReportBlock => ({
  ssrc: 1,
  fractionLost: 0,
  packetsLost: 0,
  highestSequence: 100,
  jitterTicks: 0,
  lastSenderReport: 0,
  delaySinceLastSenderReport: 0,
  ...change,
});

async function callWithPeer() {
  const pacer = createPacer(systemClock, silentLog);
  const ports = createPortPool({ first: 22_400, last: 22_499 }, systemClock);
  const audio = await createCallAudio(
    { rtpHost: OURS, jitterMsMax: 200, rtpTimeoutMs: 15_000, holdTimeoutMs: 600_000 },
    { ports, pacer, clock: systemClock, log: silentLog },
  );
  let ssrc = 0;
  const socket = await Bun.udpSocket({
    hostname: FAR,
    port: 0,
    socket: {
      data: (_, bytes) => {
        if (bytes[1] === 8 || bytes[1] === 0x88) ssrc = bytes.readUInt32BE(8);
      },
      error: () => {},
    },
  });
  cleanups.push(async () => {
    await audio.close();
    pacer.close();
    socket.close();
  });
  audio.connect({
    remote: { host: FAR, port: socket.port },
    codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
    telephoneEvent: null,
    direction: "sendrecv",
    ptimeMs: 20,
    rtcpMux: true,
  });
  let sequenceNumber = 0;
  const say = setInterval(() => {
    const header = {
      marker: false,
      payloadType: 8,
      sequenceNumber,
      timestamp: sequenceNumber * 160,
      ssrc: 7,
    };
    sequenceNumber++;
    socket.send(buildRtpPacket(header, new Uint8Array(160).fill(0xd5)), audio.rtpPort, OURS);
  }, 20);
  cleanups.push(() => clearInterval(say));
  await eventually(() => ssrc !== 0 && audio.statistics.packetsSent > 50, "a second of audio");
  return {
    audio,
    ssrc,
    report: (sent: ReportBlock) =>
      socket.send(buildRtcp({ ssrc: 7, sender: null, block: sent }, "far"), audio.rtpPort, OURS),
  };
}

test("30 % lost and 100 ms of jitter at the other side lower the call's MOS", async () => {
  const { audio, ssrc, report } = await callWithPeer();
  expect(audio.statistics).toMatchObject({ reported: null, roundTripMs: null, srtp: null });
  const before = audio.statistics.mos;
  report(block({ ssrc, fractionLost: 77, packetsLost: 15, jitterTicks: 800 }));
  await eventually(() => audio.statistics.reported?.jitterMs === 100, "the report");
  const { reported, mos, packetsLost } = audio.statistics;
  expect(reported?.packetsLost).toBeGreaterThanOrEqual(15);
  expect(reported?.recentLoss).toBeCloseTo(0.3, 2);
  expect(packetsLost).toBeLessThan(15);
  expect(mos).toBeLessThan(2.5);
  expect(mos).toBeLessThan(before);
});

test("a report about another stream changes nothing", async () => {
  const { audio, ssrc, report } = await callWithPeer();
  report(block({ ssrc: ssrc ^ 1, fractionLost: 255, packetsLost: 50 }));
  await Bun.sleep(100);
  expect(audio.statistics.reported).toBeNull();
});

test("impossible figures are limited to the number of sent packets", () => {
  const reports = new ReceptionReports();
  reports.receive(
    block({ fractionLost: 255, packetsLost: 8_388_607, jitterTicks: 2 ** 32 - 1 }),
    100,
    8,
    0,
  );
  expect(reports.reported).toEqual({ packetsLost: 100, jitterMs: 10_000, recentLoss: 255 / 256 });
  expect(reports.mos).toBe(1);
  reports.receive(block({ packetsLost: -5 }), 100, 8, 0);
  expect(reports.reported?.packetsLost).toBe(100);
});

test("300 ms each way give a MOS of about 3.3", () => {
  const reports = new ReceptionReports();
  reports.sent(4711, 1000);
  reports.receive(
    block({ lastSenderReport: 4711, delaySinceLastSenderReport: Math.round(2000 * 65.536) }),
    500,
    8,
    3600,
  );
  expect(reports.roundTripMs).toBe(600);
  expect(reports.mos).toBeGreaterThan(3.1);
  expect(reports.mos).toBeLessThan(3.6);
});

test("a delay is measured against our last eight sender reports, and never below 0 or above 10 s", () => {
  const reports = new ReceptionReports();
  const after = (lastSenderReport: number, atMs: number, heldMs = 0) => {
    const delaySinceLastSenderReport = Math.round(heldMs * 65.536);
    reports.receive(block({ lastSenderReport, delaySinceLastSenderReport }), 1, 8, atMs);
    return reports.roundTripMs;
  };
  for (let n = 1; n <= 9; n++) reports.sent(n, n * 1000);
  expect(after(1, 9000)).toBeNull();
  expect(after(0, 9000)).toBeNull();
  expect(after(2, 12_001)).toBeNull();
  expect(after(9, 9100, 60_000)).toBe(0);
});

test("a sender report has the middle bits of an NTP time", () => {
  const nowMs = 1_795_000_000_123;
  const sender = { nowMs, rtpTimestamp: 1, packetsSent: 1, octetsSent: 1 };
  const read = readRtcp(buildRtcp({ ssrc: 1, sender, block: null }, "x"));
  expect(read?.senderReportNtp).toBe(middleOfNtp(nowMs));
});
