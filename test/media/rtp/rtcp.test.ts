import { expect, test } from "bun:test";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { createCallAudio } from "../../../src/media/call-audio.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { readUint32 } from "../../../src/media/rtp/packet.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import { RtpReceiver } from "../../../src/media/rtp/receiver.ts";
import { type RtcpReceived, readRtcp } from "../../../src/media/rtp/rtcp.ts";
import { RtcpSession } from "../../../src/media/rtp/rtcp-session.ts";
import { RtpSender } from "../../../src/media/rtp/sender.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";

const HOST = "127.0.43.1";
const clock: Clock = systemClock;

async function until(condition: () => boolean, limitMs = 15_000): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error("the condition never came true");
    await Bun.sleep(10);
  }
}

test("reports go to the port above RTP, contain the loss, and end with a BYE", async () => {
  const peerPorts = createPortPool({ first: 24_000, last: 24_199 }, clock);
  const rtpPort = peerPorts.acquire() ?? 0;
  const reports: RtcpReceived[] = [];
  const rtp = await Bun.udpSocket({
    hostname: HOST,
    port: rtpPort,
    socket: { data() {}, error() {} },
  });
  const rtcp = await Bun.udpSocket({
    hostname: HOST,
    port: rtpPort + 1,
    socket: {
      data(_socket, datagram) {
        const report = readRtcp(datagram);
        if (report) reports.push(report);
      },
      error() {},
    },
  });
  const pacer = createPacer(clock, silentLog);
  const audio = await createCallAudio(
    { rtpHost: HOST, jitterMsMax: 200, rtpTimeoutMs: 60_000, holdTimeoutMs: 600_000 },
    {
      ports: createPortPool({ first: 24_200, last: 24_399 }, clock),
      pacer,
      clock,
      log: silentLog,
      random: seededRandom(4),
    },
  );
  try {
    audio.connect({
      remote: { host: HOST, port: rtpPort },
      codec: { name: "PCMU", sendPayloadType: 0, receivePayloadType: 0 },
      telephoneEvent: null,
      direction: "sendrecv",
      ptimeMs: 20,
    });
    const lost = [3, 4, 9];
    for (let sequenceNumber = 0; sequenceNumber < 20; sequenceNumber++) {
      if (lost.includes(sequenceNumber)) continue;
      const timestamp = sequenceNumber * 160;
      const header = { marker: false, payloadType: 0, sequenceNumber, timestamp, ssrc: 42 };
      rtp.send(buildRtpPacket(header, new Uint8Array(160)), audio.rtpPort, HOST);
    }
    await until(() => reports.length > 0);
    expect(reports[0]?.senderReportNtp).not.toBeNull();
    expect(reports[0]?.blocks[0]).toMatchObject({ ssrc: 42, packetsLost: 3 });
    expect(audio.statistics.packetsLost).toBe(3);
    await audio.close();
    await until(() => reports.at(-1)?.goodbye === true);
  } finally {
    await audio.close();
    pacer.close();
    rtp.close();
    rtcp.close();
  }
}, 30_000);

test("a report has the RTP time of the packet being sent, not of the one just queued", () => {
  const random = seededRandom(4);
  const sender = new RtpSender(random, () => {});
  sender.configure({ codec: "PCMA", payloadType: 8, telephoneEventType: null, ptimeMs: 20 });
  for (let tick = 0; tick < 3; tick++) sender.sendAudio(new Int16Array(160));
  const receiver = new RtpReceiver({ jitterMsMax: 200, sampleRateHz: 8000, random, onDigit() {} });
  const rtpTimeWith = (leadMs: number) => {
    let rtpTime = 0;
    new RtcpSession({
      clock,
      random,
      sender,
      receiver,
      leadMs: () => leadMs,
      transmit: (report) => {
        rtpTime = readUint32(report, 16);
      },
    }).goodbye();
    return rtpTime;
  };
  expect((rtpTimeWith(0) - rtpTimeWith(10)) >>> 0).toBe(80);
});
