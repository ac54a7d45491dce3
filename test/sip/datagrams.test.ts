/** The UDP socket shared by all trunks: errors of one peer do not affect another. */
import { afterEach, expect, test } from "bun:test";
import { systemClock as clock } from "../../src/core/clock.ts";
import { silentLog as log } from "../../src/core/log.ts";
import { startCarrier } from "../../src/demo/carrier/carrier.ts";
import { buildRequest } from "../../src/sip/message/index.ts";
import { openUdpTransport } from "../../src/sip/transport/udp.ts";
import { eventually } from "../support/eventually.ts";

const HOST = "127.0.8.95";
const DATAGRAMS = 40;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A listening peer, its received datagrams, and a closed port. */
async function peers() {
  const got: string[] = [];
  const alive = await Bun.udpSocket({
    hostname: HOST,
    port: 0,
    socket: { data: (_socket, bytes) => void got.push(bytes.toString()) },
  });
  const dead = await Bun.udpSocket({ hostname: HOST, port: 0 });
  const deadPort = dead.port;
  dead.close();
  open.push(() => alive.close());
  return { got, alive: { host: HOST, port: alive.port }, dead: { host: HOST, port: deadPort } };
}

const WORDS = Array.from({ length: DATAGRAMS }, (_, n) => `request ${n}`);

test("datagrams to a server with a closed port lose none to another server", async () => {
  const { got, alive, dead } = await peers();
  const transport = await openUdpTransport({ host: HOST, port: 0 }, () => undefined, {
    clock,
    log,
  });
  open.push(() => transport.close());
  for (const word of WORDS) {
    transport.flowTo(dead).send("is anybody there?");
    transport.flowTo(alive).send(word);
  }
  await eventually(() => got.length === DATAGRAMS, "all arrived", 5_000).catch(() => undefined);
  expect(got).toEqual(WORDS);
});

test("the demo carrier's answers reach living phones, however many have died", async () => {
  const { got, alive, dead } = await peers();
  const carrier = await startCarrier({ host: HOST, domain: "carrier.test" });
  open.push(() => carrier.close());
  const asker = await Bun.udpSocket({ hostname: HOST, port: 0, socket: { error: () => {} } });
  open.push(() => asker.close());
  for (const word of WORDS)
    for (const { host, port } of [dead, alive]) {
      const options = buildRequest({
        method: "OPTIONS",
        uri: `sip:${HOST}`,
        headers: [
          // No rport: the answer goes to this port, wherever the request came from.
          ["Via", `SIP/2.0/UDP ${host}:${port};branch=z9hG4bK${word.replace(" ", "-")}`],
          ["From", `<sip:asker@${HOST}>;tag=1`],
          ["To", `<sip:${HOST}>`],
          ["Call-ID", `${word.replace(" ", "-")}@${HOST}`],
          ["CSeq", "1 OPTIONS"],
          ["Max-Forwards", 70],
        ],
      });
      asker.send(options, carrier.address.port, HOST);
    }
  await eventually(() => got.length === DATAGRAMS, "all arrived", 5_000).catch(() => undefined);
  expect(got.map((answer) => /^Call-ID: (\S+)@/im.exec(answer)?.[1])).toEqual(
    WORDS.map((word) => word.replace(" ", "-")),
  );
});
