/** Allowed senders of SIP requests, seen from raw sockets. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { IncomingLeg, SipStack } from "../../src/call/sip-port.ts";
import {
  buildRequest,
  type HeaderInit,
  parseMessage,
  parseNameAddr,
  type SipRequest,
} from "../../src/sip/message/index.ts";
import { startLossyRelay } from "../support/net/lossy-relay.ts";
import { startRegistrar } from "../support/sip/registrar.ts";
import { settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.6.130";
const CARRIER = "127.0.6.131";
const STRANGER = "127.0.6.132";
const REGISTRAR = "127.0.6.133";
const NAT = "127.0.6.134";
const NUMBER = "+37061001001";

interface RawPeer {
  send(message: string | Uint8Array): void;
  /** Status codes received so far. */
  readonly codes: number[];
  close(): void;
}

async function rawPeer(host: string, stack: SipStack): Promise<RawPeer> {
  const codes: number[] = [];
  const socket = await Bun.udpSocket({
    hostname: host,
    port: 0,
    socket: {
      data: (_socket, bytes) => {
        const message = parseMessage(bytes.toString());
        if (message.kind === "response") codes.push(message.statusCode);
      },
      error: () => {},
    },
  });
  const { port } = stack.localAddress;
  return {
    send: (message) => void socket.send(message, port, OURS),
    codes,
    close: () => socket.close(),
  };
}

let lastCall = 0;

function request(method: string, uri: string, extra: HeaderInit = [], from = NUMBER): string {
  const id = ++lastCall;
  return buildRequest({
    method,
    uri,
    headers: [
      ["Via", `SIP/2.0/UDP ${CARRIER};rport;branch=z9hG4bKraw${id}`],
      ["From", `<sip:${from}@carrier.test>;tag=f${id}`],
      ["To", `<${uri}>`],
      ["Call-ID", `call-${id}`],
      ["CSeq", `1 ${method}`],
      ["Contact", `<sip:raw@${CARRIER}>`],
      ["Max-Forwards", 70],
      ...extra,
    ],
  });
}

async function until(condition: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < 5000 && !condition(); waitedMs += 5) await Bun.sleep(5);
  expect(condition()).toBe(true);
}

describe("the stack", () => {
  let stack: SipStack;
  let legs: IncomingLeg[] = [];

  beforeAll(async () => {
    stack = await startStack(OURS);
    stack.onIncoming((leg) => {
      legs.push(leg);
      leg.reject(486);
    });
    stack.addTrunk(trunkSettings({ trunkId: 1, server: CARRIER, register: false }));
    await Bun.sleep(20);
  });
  afterAll(() => stack.close());

  test("accepts calls from a peering trunk's address and answers its OPTIONS", async () => {
    const peer = await rawPeer(CARRIER, stack);
    peer.send(request("OPTIONS", `sip:${OURS}`));
    await until(() => peer.codes.includes(200));
    peer.send(request("INVITE", `sip:${NUMBER}@${OURS}`));
    await until(() => peer.codes.includes(486));
    expect(legs.at(-1)).toMatchObject({ trunkId: 1, calledNumbers: [NUMBER] });
    peer.close();
  });

  test("does not answer strangers, whatever they send", async () => {
    legs = [];
    const stranger = await rawPeer(STRANGER, stack);
    const forged: HeaderInit = [["Via", `SIP/2.0/UDP ${CARRIER};received=${CARRIER}`]];
    for (const method of ["INVITE", "OPTIONS", "REGISTER", "BYE", "NONSENSE"]) {
      stranger.send(request(method, `sip:${NUMBER}@${OURS}`, forged));
    }
    const peer = await rawPeer(CARRIER, stack);
    peer.send(request("OPTIONS", `sip:${OURS}`));
    await until(() => peer.codes.length > 0);
    await Bun.sleep(50);
    expect(stranger.codes).toEqual([]);
    expect(legs).toEqual([]);
    stranger.close();
    peer.close();
  });

  test("continues under a flood of junk, keep-alives and oversized datagrams", async () => {
    const stranger = await rawPeer(STRANGER, stack);
    for (let round = 0; round < 300; round++) {
      stranger.send(crypto.getRandomValues(new Uint8Array(20 + ((round * 37) % 1400))));
      stranger.send("\r\n\r\n");
      if (round % 30 === 0) stranger.send(`INVITE ${"<".repeat(50_000)}`);
    }
    const peer = await rawPeer(CARRIER, stack);
    peer.send("\r\n\r\n");
    // Repeated as any carrier does: the kernel's buffer was full of junk.
    const invite = request("INVITE", `sip:${NUMBER}@${OURS}`);
    await until(() => {
      if (!peer.codes.includes(100)) peer.send(invite);
      return peer.codes.includes(486);
    });
    expect(stranger.codes).toEqual([]);
    stranger.close();
    peer.close();
  });

  test("ignores a source that keeps sending, also over TCP; providers are still accepted", async () => {
    const scanner = await rawPeer("127.0.6.135", stack);
    for (let asked = 0; asked < 40; asked++) {
      scanner.send(request("OPTIONS", `sip:100@${OURS}`));
      if (asked % 10 === 9) await Bun.sleep(20);
    }
    const { port } = stack.localAddress;
    const closed = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host: OURS, port, localAddress: "127.0.6.135" });
        const wait = setTimeout(() => resolve(false), 300);
        socket.on("error", () => {});
        socket.once("close", () => {
          clearTimeout(wait);
          resolve(true);
        });
        socket.unref();
      });
    for (let tries = 0; tries < 10 && !(await closed()); tries++) await Bun.sleep(20);
    expect(await closed()).toBe(true);
    expect(scanner.codes).toEqual([]);
    const peer = await rawPeer(CARRIER, stack);
    peer.send(request("OPTIONS", `sip:${OURS}`));
    await until(() => peer.codes.includes(200));
    scanner.close();
    peer.close();
  });

  test("keeps a caller without identity anonymous and reads tel: URIs", async () => {
    const peer = await rawPeer(CARRIER, stack);
    peer.send(request("INVITE", `sip:${NUMBER}@${OURS}`, [["Privacy", "id"]]));
    await until(() => peer.codes.includes(486));
    expect(legs.at(-1)?.callerNumber).toBeNull();
    legs = [];
    peer.send(request("INVITE", `tel:${NUMBER}`));
    await until(() => legs.length > 0);
    expect(legs.at(-1)?.calledNumbers).toEqual([NUMBER]);
    peer.close();
  });

  test("accepts calls to a registered trunk at its secret contact, from the registrar only", async () => {
    const registrar = await startRegistrar({ host: REGISTRAR, password: () => "pw1001" });
    const trunk = stack.addTrunk(
      trunkSettings({ trunkId: 2, server: registrar.host, port: registrar.port }),
    );
    expect((await settled(trunk)).name).toBe("registered");
    const contact = registrar.requests.at(-1)?.headers.get("contact") ?? "";
    const uri = /<([^>]+)>/.exec(contact)?.[1] ?? "";
    legs = [];
    const stranger = await rawPeer(STRANGER, stack);
    stranger.send(request("INVITE", uri));
    const provider = await rawPeer(REGISTRAR, stack);
    provider.send(request("INVITE", uri, [["P-Called-Party-ID", `<sip:${NUMBER}@x>`]]));
    await until(() => provider.codes.includes(486));
    expect(legs.map((leg) => leg.trunkId)).toEqual([2]);
    expect(legs[0]?.calledNumbers).toEqual([NUMBER]);
    expect(stranger.codes).toEqual([]);
    await stack.removeTrunk(2);
    expect(registrar.requests.at(-1)?.headers.get("expires")).toBe("0");
    stranger.close();
    provider.close();
    registrar.close();
  });

  test("behind a NAT, puts the address seen by the registrar into Contact", async () => {
    const registrar = await startRegistrar({ host: REGISTRAR, password: () => "pw1001" });
    const nat = await startLossyRelay({ host: NAT, upstream: registrar, loss: 0, seed: 1 });
    stack.addTrunk(trunkSettings({ trunkId: 3, server: nat.host, port: nat.port }));
    await until(() => registrar.requests.some((request) => contactHost(request) === NAT));
    expect(registrar.requests.map(contactHost).at(0)).toBe(OURS);
    await stack.removeTrunk(3);
    nat.close();
    registrar.close();
  });
});

function contactHost(register: SipRequest): string | undefined {
  const contact = parseNameAddr(register.headers.get("contact") ?? "");
  return contact?.uri.scheme === "sip" ? contact.uri.host : undefined;
}
