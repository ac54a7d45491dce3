/**
 * An address that cannot be listened on stops the start, and the error names it, the reason and the fix. Real
 * sockets.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:net";
import { startApp } from "../../src/app/app.ts";
import { systemClock as clock } from "../../src/core/clock.ts";
import { silentLog as log } from "../../src/core/log.ts";
import { systemRandom as random } from "../../src/core/random.ts";
import { applianceSettings } from "../support/appliance/appliance.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(30_000);

const HOST = "127.0.8.8";

/** Starts with SIP and the API at those addresses; returns the error of the start. */
async function refusalOf(addresses: {
  readonly sip?: { readonly host: string; readonly port: number };
  readonly http?: { readonly host: string; readonly port: number };
}): Promise<string> {
  const settings = applianceSettings(tempDir(), HOST);
  const { sip = settings.sip.bind, http = settings.http.listen } = addresses;
  const started = startApp(
    {
      ...settings,
      sip: { ...settings.sip, bind: sip },
      http: { ...settings.http, listen: http },
    },
    { clock, random, log },
  );
  return started.then(
    async (app) => {
      await app.stop();
      return "started";
    },
    (error) => String(error.publicMessage ?? error),
  );
}

async function takenTcp() {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, HOST, done));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { port, free: () => new Promise((done) => server.close(done)) };
}

test("SIP over UDP", async () => {
  const taken = await Bun.udpSocket({ hostname: HOST, port: 0, socket: {} });
  expect(await refusalOf({ sip: { host: HOST, port: taken.port } })).toBe(
    `SIP over UDP cannot listen on ${HOST}:${taken.port}: another program listens there. Stop that program, or change [sip] bind.`,
  );
  taken.close();
});

test("SIP over TCP, although UDP is free", async () => {
  const { port, free } = await takenTcp();
  expect(await refusalOf({ sip: { host: HOST, port } })).toBe(
    `SIP over TCP cannot listen on ${HOST}:${port}: another program listens there. Stop that program, or change [sip] bind.`,
  );
  await free();
  expect(await refusalOf({ sip: { host: HOST, port } })).toBe("started");
});

test("the API", async () => {
  const { port, free } = await takenTcp();
  expect(await refusalOf({ http: { host: HOST, port } })).toBe(
    `The API cannot listen on ${HOST}:${port}: another program listens there. Stop that program, or change [server] listen.`,
  );
  await free();
});

test("an address that this machine does not have", async () => {
  expect(await refusalOf({ sip: { host: "192.0.2.1", port: 5060 } })).toBe(
    "SIP over UDP cannot listen on 192.0.2.1:5060: this machine has no such address. Change [sip] bind.",
  );
});
