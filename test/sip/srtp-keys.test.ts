import { expect, test } from "bun:test";
import { e164 } from "../../src/core/e164.ts";
import { eventually } from "../support/eventually.ts";
import { startStack, traceLog, trunkSettings } from "../support/sip/sip-stack.ts";

const HOST = "127.0.47.1";

test("SRTP keys are sent, but never logged", async () => {
  const received: string[] = [];
  const peer = await Bun.udpSocket({
    hostname: "127.0.47.2",
    port: 0,
    socket: { data: (_socket, datagram) => void received.push(datagram.toString("latin1")) },
  });
  const { log, messages } = traceLog();
  const stack = await startStack(HOST, log, { srtp: "required" });
  try {
    const server = { server: "127.0.47.2", port: peer.port, register: false };
    const leg = stack.addTrunk(trunkSettings(server)).place({
      to: e164("+37061001002"),
      from: e164("+37061001001"),
      media: { host: HOST, port: 4000 },
      ringTimeoutMs: 5000,
    });
    const invite = () => received.find((message) => message.startsWith("INVITE"));
    await eventually(() => invite() !== undefined, "the INVITE");
    const key = /inline:([A-Za-z0-9+/]{40})/.exec(invite() ?? "")?.[1];
    expect(key).toBeDefined();
    const traced = messages.join("\n");
    expect(traced).toContain("a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:…");
    expect(traced).not.toContain(key ?? "inline");
    leg.hangUp();
  } finally {
    await stack.close();
    peer.close();
  }
}, 20_000);
