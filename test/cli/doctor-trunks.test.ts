/**
 * The doctor's checks of the network to carriers: DNS on real sockets, and a running server behind
 * a router that rewrites SIP.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { type Carrier, startCarrier } from "../../src/demo/carrier/carrier.ts";
import type { OperatorTrunk } from "../../src/features/trunk/contract.ts";
import { configSchema } from "../../src/ops/config/schema.ts";
import { type CheckResult, type ExaminedAppliance, examine } from "../../src/ops/doctor/check.ts";
import { trunkDns } from "../../src/ops/doctor/trunk-checks.ts";
import { createDns } from "../../src/sip/routing/dns.ts";
import { listeningOn, runCli, startCli } from "../support/appliance/cli.ts";
import { eventually } from "../support/eventually.ts";
import { type AlgRouter, startAlgRouter } from "../support/net/alg-router.ts";
import { type DnsServer, dnsServer } from "../support/net/dns-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(150_000);

const CARRIER = "127.0.0.84";
const OURS = "127.0.0.85";
const ROUTER = "127.0.0.86";
const cwd = tempDir();
const env = { ...listeningOn(OURS), LINEVOICE_SIP__ALLOW_NETWORKS: "127.0.0.0/8" };

const trunkAt = (server: string, port = 0): OperatorTrunk => ({
  id: 1,
  tenant_id: 1,
  server,
  port,
  transport: "udp",
  username: "u",
  register: true,
  caller_id: "+37052000000",
  status: "registered",
  last_code: null,
  reason: null,
  explanation: null,
  channels: null,
  realm: null,
  outbound_proxy: null,
  extra_networks: [],
  next_attempt_at: null,
});

let zone: DnsServer;
let carrier: Carrier;
let router: AlgRouter;
let server: Bun.Subprocess | undefined;
let mayAlter = false;

beforeAll(async () => {
  zone = await dnsServer("127.0.0.87");
  const srv = (name: string, port: number) => ({ priority: 1, weight: 1, port, name });
  zone.zone.set("_sip._udp.good.test", [{ srv: [srv("a.good.test", 5062)] }]);
  zone.zone.set("a.good.test", [["192.0.2.1"]]);
  zone.zone.set("_sip._udp.half.test", [{ srv: [srv("a.good.test", 1), srv("gone.test", 2)] }]);
  zone.zone.set("_sip._udp.lost.test", [{ srv: [srv("gone.test", 5060)] }]);
  zone.zone.set("plain.test", [["192.0.2.3"]]);
  zone.zone.set("_sip._udp.ill.test", ["server failure"]);
});

afterAll(() => {
  server?.kill("SIGKILL");
  router?.close();
  carrier?.close();
  zone.close();
});

async function dnsVerdict(trunks: readonly OperatorTrunk[]): Promise<string> {
  const dataDir = tempDir();
  const patient: ExaminedAppliance = {
    config: configSchema.parse({}),
    dataDir,
    databasePath: join(dataDir, "linevoice.db"),
    trunks,
    masterKey: () => null,
    clock: systemClock,
    dns: createDns({ servers: [zone.address] }),
  };
  const [result] = await examine([trunkDns], patient, 1);
  const wantsMend = result?.result === "failed" || result?.result === "warning";
  expect((result?.remedy ?? null) !== null).toBe(wantsMend);
  return `${result?.result}: ${result?.finding}`;
}

test("each trunk's name is resolved through SRV to its addresses", async () => {
  expect(await dnsVerdict([])).toStartWith("skipped");
  expect(await dnsVerdict([trunkAt("192.0.2.9")])).toStartWith("ok: Trunks use");
  expect(await dnsVerdict([trunkAt("good.test")])).toBe(
    "ok: _sip._udp.good.test lists a.good.test:5062.",
  );
  expect(await dnsVerdict([trunkAt("plain.test")])).toContain("no SRV record, which is allowed");
  expect(await dnsVerdict([trunkAt("plain.test", 5070)])).toBe(
    "ok: plain.test resolves to 192.0.2.3.",
  );
});

test("with an outbound proxy, the proxy's name is resolved instead of the server's", async () => {
  const behind = (proxy: string) => ({ ...trunkAt("gone.test", 5060), outbound_proxy: proxy });
  expect(await dnsVerdict([behind("127.0.0.84:5070")])).toContain("ok: Trunks use");
  expect(await dnsVerdict([behind("plain.test:5070")])).toContain("ok: plain.test resolves to");
  expect(await dnsVerdict([behind("good.test")])).toContain("ok: _sip._udp.good.test");
  expect(await dnsVerdict([behind("gone.test")])).toContain("failed: gone.test does not");
});

test("distinguishes names without addresses, partly resolvable names and failing DNS servers", async () => {
  expect(await dnsVerdict([trunkAt("good.test"), trunkAt("half.test")])).toContain(
    "warning: _sip._udp.half.test lists a.good.test:1, gone.test:2; without an address: gone.test:2",
  );
  expect(await dnsVerdict([trunkAt("lost.test")])).toContain("none of them has an address");
  expect(await dnsVerdict([trunkAt("nowhere.test")])).toContain("neither SRV nor address records");
  expect(await dnsVerdict([trunkAt("ill.test")])).toContain("failed: DNS does not answer");
});

const cli = (line: string) => runCli(cwd, line, { env });

async function doctor(): Promise<(name: string) => CheckResult | undefined> {
  const { checks } = JSON.parse((await cli("doctor --json")).out) as { checks: CheckResult[] };
  return (name) => checks.find((check) => check.name === name);
}

test("with a running server each trunk is tested: NAT is detected, and a router that rewrites SIP is reported", async () => {
  carrier = await startCarrier({ host: CARRIER, domain: "carrier.test" });
  carrier.addSubscriber({ username: "clinic", password: "secret", numbers: ["+37052123456"] });
  router = await startAlgRouter({
    host: ROUTER,
    upstream: carrier.address,
    // Replaces every occurrence of our address, as naive routers do.
    out: (text) => (mayAlter ? text.replaceAll(OURS, "198.51.100.7") : text),
  });
  writeFileSync(join(cwd, "password"), "secret\n");
  expect((await cli("tenant create --name N --email a@example.com")).status).toBe(0);
  const set = `trunk set --tenant 1 --server ${ROUTER} --port ${router.port} --username clinic --password-file password --caller-id +37052123456`;
  expect((await cli(set)).status).toBe(0);
  server = startCli(cwd, "serve", { env });
  await carrier.registered("clinic", 30_000);
  await eventually(async () => (await cli("trunk list")).out.includes("registered"), "the trunk");
  const sound = await doctor();
  expect(sound("SIP ALG")).toMatchObject({
    result: "ok",
    finding: "No device changes SIP on the way.",
  });
  expect(sound("NAT")?.finding).toContain(`${OURS} here is ${ROUTER} outside`);
  expect(sound("DNS")).toMatchObject({ result: "ok" });
  mayAlter = true;
  const altered = await doctor();
  expect(altered("SIP ALG")).toMatchObject({ result: "warning" });
  expect(altered("SIP ALG")?.remedy).toContain("SIP ALG");
});

test("without a server the stored trunks' names are also resolved", async () => {
  server?.kill("SIGTERM");
  await server?.exited;
  const alone = await doctor();
  expect(alone("DNS")?.finding).toContain("IP addresses");
  expect([alone("NAT")?.result, alone("SIP ALG")?.result]).toEqual(["skipped", "skipped"]);
});
