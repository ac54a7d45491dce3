/** The UDP socket that every trunk shares: what one peer earns costs no other one anything. */
import { afterEach, expect, test } from "bun:test";
import { openUdpTransport } from "../../../src/adapter/sip/transport/udp.ts";
import { silentLog as log } from "../../../src/core/log.ts";
import { sendDatagram } from "../../../src/demo/phone/datagram.ts";
import { eventually } from "../../support/eventually.ts";

const HOST = "127.0.8.95";
const DATAGRAMS = 40;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A peer that listens, what it got, and a port where nobody does. */
async function peers() {
  const got: string[] = [];
  const alive = await Bun.udpSocket({
    ...{ hostname: HOST, port: 0 },
    socket: { data: (_socket, bytes) => void got.push(bytes.toString()) },
  });
  const dead = await Bun.udpSocket({ hostname: HOST, port: 0 });
  const deadPort = dead.port;
  dead.close();
  open.push(() => alive.close());
  return { got, alive: { host: HOST, port: alive.port }, dead: { host: HOST, port: deadPort } };
}

const WORDS = Array.from({ length: DATAGRAMS }, (_, n) => `request ${n}`);

test("datagrams to a server whose port is closed take none away from another server", async () => {
  const { got, alive, dead } = await peers();
  const transport = await openUdpTransport({ host: HOST, port: 0 }, () => undefined, log);
  open.push(() => transport.close());
  for (const word of WORDS) {
    transport.flowTo(dead).send("is anybody there?");
    transport.flowTo(alive).send(word);
  }
  await eventually(() => got.length === DATAGRAMS, "all arrived", 5_000).catch(() => undefined);
  expect(got).toEqual(WORDS);
});

test("the demo carrier's answers reach who lives, however many have died", async () => {
  const { got, alive, dead } = await peers();
  const socket = await Bun.udpSocket({ hostname: HOST, port: 0, socket: { error: () => {} } });
  open.push(() => socket.close());
  for (const word of WORDS) {
    sendDatagram(socket, "is anybody there?", dead);
    sendDatagram(socket, word, alive);
  }
  await eventually(() => got.length === DATAGRAMS, "all arrived", 5_000).catch(() => undefined);
  expect(got).toEqual(WORDS);
});
