/** `linevoice trunk test` against a running server and the demo's carrier. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Carrier, startCarrier } from "../../src/demo/carrier/carrier.ts";
import { listeningOn, runCli, startCli } from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const CARRIER = "127.0.0.81";
const OURS = "127.0.0.82";
const cwd = tempDir();
const env = { ...listeningOn(OURS), LINEVOICE_SIP__ALLOW_NETWORKS: "127.0.0.0/8" };
const finished = (line: string) => runCli(cwd, line, { env });

let carrier: Carrier;
let server: ReturnType<typeof startCli>;

beforeAll(async () => {
  carrier = await startCarrier({ host: CARRIER, domain: "carrier.test" });
  const account = { username: "clinic", password: "correct horse" };
  carrier.addSubscriber({ ...account, numbers: ["+37052123456"] });
  await finished("tenant create --name N --email a@example.com");
  writeFileSync(join(cwd, "right"), "correct horse\n");
  writeFileSync(join(cwd, "wrong"), "battery staple\n");
});
afterAll(() => {
  server?.kill("SIGKILL");
  carrier.close();
});

const set = (password: string) =>
  finished(
    `trunk set --tenant 1 --server ${CARRIER} --port ${carrier.address.port} --username clinic --password-file ${password} --caller-id +37052123456`,
  );

test("without a server it reports that one is needed", async () => {
  expect((await set("right")).status).toBe(0);
  const { status, err } = await finished("trunk test 1");
  expect(status).toBe(1);
  expect(err).toContain("linevoice serve");
});

test("a working trunk passes, with its round-trip time and addresses", async () => {
  server = startCli(cwd, "serve", { env });
  await carrier.registered("clinic", 20_000);
  const { out, status } = await finished("trunk test 1");
  expect(status).toBe(0);
  expect(out).toContain("The trunk is registered.");
  expect(out).toMatch(/The server answered OPTIONS in \d+ ms\./);
  expect(out).toContain("There is no NAT");
  const json = JSON.parse((await finished("trunk test 1 --json")).out);
  expect(json).toMatchObject({ result: "ok", options_code: 200 });
  expect(json.seen_as).toBe(json.local_address);
  expect(json.seen_as).toStartWith(`${OURS}:`);
  expect(json.round_trip_ms).toBeGreaterThan(0);
});

test("a wrong password is reported although the server answers, with a remedy and status 1", async () => {
  expect((await set("wrong")).status).toBe(0);
  let result = await finished("trunk test 1 --json");
  while (JSON.parse(result.out).trunk.status === "registering") {
    result = await finished("trunk test 1 --json");
  }
  expect(result.status).toBe(1);
  const { checks } = JSON.parse(result.out);
  expect(checks[0]).toMatchObject({ name: "registration", result: "failed" });
  expect(checks[0].finding).toContain("password");
  expect(checks[0].remedy).toContain("Correct the server, user name and password");
  expect(checks[1]).toMatchObject({ name: "options", result: "ok" });
});

test("an unknown trunk and an extra argument are rejected", async () => {
  expect((await finished("trunk test 9")).status).toBe(1);
  expect((await finished("trunk test")).status).toBe(2);
  expect((await finished("trunk list 1")).status).toBe(2);
});

test("a trunk without a port gets server, port and transport from DNS", async () => {
  await finished("tenant create --name Second --email b@example.com");
  const set = await finished(
    "trunk set --tenant 2 --server sip.example.invalid --transport auto --username u --password-file right --caller-id +37052123457",
  );
  expect(JSON.parse(set.out)).toMatchObject({ port: 0, transport: "auto" });
  const { out } = await finished("trunk list");
  expect(out).toContain("u@sip.example.invalid;auto");
});
