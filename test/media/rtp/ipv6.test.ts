/** Calls over IPv6, and over both families on one socket: accepted sources, with real sockets. */
import { afterEach, expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createCallAudio } from "../../../src/media/call-audio.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";
import { bindRtpSockets } from "../../../src/media/rtp/socket-pair.ts";
import { eventually } from "../../support/eventually.ts";
import { buildRtpPacket } from "../../support/media/rtp-packet.ts";
import { sendThreadOfThisThread } from "../../support/media/rtp-send-thread.ts";

const ports = createPortPool({ first: 24_200, last: 24_239 }, systemClock);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Sends its own stream, and counts the received packets. */
async function farEnd(hostname: string) {
  let heard = 0;
  let sequenceNumber = 100;
  const data = () => void heard++;
  const socket = await Bun.udpSocket({ hostname, port: 0, socket: { data } });
  cleanups.push(() => socket.close());
  return {
    address: { host: hostname, port: socket.port },
    heard: () => heard,
    send(port: number, to: string, packets = 1) {
      for (let n = 0; n < packets; n++) {
        const timestamp = ++sequenceNumber * 160;
        const header = { marker: false, payloadType: 8, sequenceNumber, timestamp, ssrc: 7 };
        socket.send(buildRtpPacket(header, new Uint8Array(160).fill(0xd5)), port, to);
      }
    },
  };
}

async function callOn(rtpHost: string, remote: { host: string; port: number }) {
  const pacer = createPacer(systemClock, silentLog);
  const sendThread = sendThreadOfThisThread();
  const audio = await createCallAudio(
    { rtpHost, jitterMsMax: 200, rtpTimeoutMs: 15_000, holdTimeoutMs: 60_000 },
    { ports, pacer, sendThread, clock: systemClock, log: silentLog },
  );
  cleanups.push(async () => {
    await audio.close();
    pacer.close();
    sendThread.end();
  });
  audio.connect({
    remote,
    codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
    telephoneEvent: null,
    direction: "sendrecv",
    ptimeMs: 20,
  });
  return audio;
}

test.each([
  ["::1", "::1", "::1"],
  ["::", "::1", "127.0.77.9"],
  ["::", "127.0.77.8", "::1"],
])(
  "on %s the SDP's %s is accepted at its first packet, and no stranger from %s",
  async (on, theirs, strange) => {
    const [far, stranger] = [await farEnd(theirs), await farEnd(strange)];
    const audio = await callOn(on, far.address);
    const reach = (of: string) => (of === "::1" ? of : "127.0.77.1");
    far.send(audio.rtpPort, reach(theirs));
    await eventually(() => audio.statistics.packetsReceived === 1, "it is heard");
    stranger.send(audio.rtpPort, reach(strange), 10);
    far.send(audio.rtpPort, reach(theirs));
    await eventually(() => audio.statistics.packetsReceived === 2, "it alone is heard");
    const before = far.heard();
    await eventually(() => far.heard() > before + 5, "it is sent to");
    expect([stranger.heard(), audio.statistics.packetsReceived]).toEqual([0, 2]);
  },
);

test("RTP and RTCP of an IPv4 party have one source host on a socket of both families", async () => {
  const hosts: string[] = [];
  const note = (_: Uint8Array, host: string) => void hosts.push(host);
  const sockets = await bindRtpSockets("::", ports, note, note);
  cleanups.push(() => sockets.close());
  const far = await farEnd("127.0.77.9");
  far.send(sockets.rtpPort, "127.0.77.1");
  far.send(sockets.rtpPort + 1, "127.0.77.1");
  await eventually(() => {
    sockets.receiveRtp(systemClock.monotonic());
    return hosts.length === 2;
  }, "both have come");
  expect(hosts).toEqual(["127.0.77.9", "127.0.77.9"]);
});
