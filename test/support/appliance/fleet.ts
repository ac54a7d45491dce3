/**
 * Two whole appliances on one libSQL server, each with a separate network path to it, a carrier and
 * two telephones.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { startCarrier } from "../../../src/demo/carrier/carrier.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import { userOf } from "../../../src/sip/message/index.ts";
import { openRemoteDatabase } from "../../../src/store/libsql/database.ts";
import { eventually } from "../eventually.ts";
import { createPhone, type Phone } from "../media/phone/phone.ts";
import { type DelayingRelay, startDelayingRelay } from "../net/delaying-relay.ts";
import { type SqldServer, startSqld } from "../store/sqld-server.ts";
import { tempDir } from "../temp-dir.ts";
import { outputOf, setUpTenant } from "./cli.ts";
import { UNSETTLED, WRONG_ROWS } from "./kill-violations.ts";
import { PROGRAM } from "./program.ts";

const [FIRST_HOST, SECOND_HOST] = ["127.0.8.84", "127.0.8.85"] as const;
const NODE_HOSTS: readonly string[] = [FIRST_HOST, SECOND_HOST];
const CARRIER_HOST = "127.0.8.86";
const OWN_NUMBER = "+37052000001";
const CALLEE = "+37069999999";
const CALLER = "+37068888880";
const TRUNK = { username: "clinic", password: "correct horse" };
const LONG_MS = 120_000;
/** A mail that failed while the store was unreachable is retried after up to two minutes. */
const SETTLED_MS = 300_000;
const ANSWER_MS = 20_000;

export interface FleetNode {
  readonly relay: DelayingRelay;
  /** Resolves when the node is ready. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Sends SIGSTOP. The returned function sends SIGCONT. */
  freeze(): () => void;
}

export interface Fleet {
  readonly nodes: readonly [FleetNode, FleetNode];
  readonly sqld: SqldServer;
  readonly ownNumber: string;
  /** Numbers to dial, each once. All belong to the callee. */
  readonly numbers: readonly string[];
  readonly callee: Phone;
  readonly caller: Phone;
  /** Requests a call from a node. Returns its id if the node acknowledged it. */
  ask(node: 0 | 1, number: string): Promise<string | null>;
  /** Waits until no work is pending, then returns the violations. */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

const configOf = (host: string, dataDir: string, url: string, token: string) => `
[server]
listen = "${host}:8481"
metrics_listen = ""
[storage]
data_dir = "${dataDir}"
database = "${url}"
auth_token = "${token}"
[sip]
bind = "${host}:5461"
external_ip = "${host}"
allow_networks = ["127.0.0.0/8"]
[rtp]
ports = "25100-25199"
timeout_sec = 5
[conversation]
disclosure_enabled = false
[mail]
provider = "outbox"
[limits]
requests_per_minute = 10000
[[plans]]
slug = "start"
name = "Start"
included_minutes = 1000000
price_eur_per_month = 0
overage_eur_per_min = 0.15
max_concurrent_calls = 20
max_agents = 5
max_phone_numbers = 5
max_files = 20
max_webhooks = 5
[engine.embedded]
`;

interface NodeOptions {
  readonly host: string;
  readonly directory: string;
  readonly masterKey: string;
  readonly sqld: SqldServer;
}

async function createNode({ host, directory, masterKey, sqld }: NodeOptions) {
  const relay = await startDelayingRelay({ host: "127.0.0.1", port: sqld.port });
  const dataDir = join(directory, host);
  const config = join(directory, `${host}.toml`);
  mkdirSync(dataDir, { recursive: true });
  const url = `http://127.0.0.1:${relay.port}`;
  writeFileSync(config, configOf(host, dataDir, url, sqld.token));
  const env = { PATH: process.env.PATH ?? "", LINEVOICE_SECRETS__MASTER_KEY: masterKey };
  const log = Bun.file(join(directory, `${host}.log`));
  let child: Bun.Subprocess | null = null;

  const isReady = () =>
    fetch(`http://${host}:8481/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  return {
    relay,
    cli: (args: readonly string[], stdin = "") =>
      outputOf(directory, [...args, "--config", config], { env, stdin }),
    async start(): Promise<void> {
      child = Bun.spawn([...PROGRAM, "serve", "--config", config], {
        stdin: "ignore",
        stdout: "ignore",
        stderr: log,
        env,
      });
      await eventually(isReady, `${host} is ready`, LONG_MS);
    },
    async kill(): Promise<void> {
      child?.kill("SIGKILL");
      await child?.exited;
    },
    freeze() {
      child?.kill("SIGSTOP");
      return () => void child?.kill("SIGCONT");
    },
  };
}

export async function startFleet(options: { readonly cycles: number }): Promise<Fleet> {
  const directory = tempDir();
  const sqld = await startSqld();
  const shared = { directory, sqld, masterKey: randomBytes(32).toString("base64") };
  const first = await createNode({ host: FIRST_HOST, ...shared });
  const second = await createNode({ host: SECOND_HOST, ...shared });
  const invites = new Map<string, Set<string>>();
  const carrier = await startCarrier({
    host: CARRIER_HOST,
    domain: "carrier.test",
    onMessage(direction, message, { host }) {
      if (direction !== "in" || !NODE_HOSTS.includes(host)) return;
      if (typeof message === "string" || message.kind !== "request") return;
      const number = message.method === "INVITE" ? userOf(message.uri) : null;
      if (number !== null)
        invites.set(number, (invites.get(number) ?? new Set()).add(message.callId));
    },
  });
  carrier.addSubscriber({ ...TRUNK, numbers: [OWN_NUMBER] });
  const numbers = Array.from({ length: options.cycles }, (_, n) => `+3706${1_000_000 + n}`);
  const phoneOf = async (number: string, others: readonly string[]) => {
    const account = { username: number, password: number };
    carrier.addSubscriber({ ...account, numbers: [number, ...others] });
    const phone = await createPhone({
      number,
      domain: "carrier.test",
      host: CARRIER_HOST,
      account,
      proxy: carrier.address,
    });
    await phone.register();
    return phone;
  };
  const callee = await phoneOf(CALLEE, numbers);
  const caller = await phoneOf(CALLER, []);

  const key = await setUpTenant(first.cli, {
    server: carrier.address,
    account: TRUNK,
    callerId: OWN_NUMBER,
  });
  const database = await openRemoteDatabase(
    { url: sqld.url, authToken: sqld.token },
    { clock, random, owner: "soak" },
  );
  await database.tx(async (queries) => {
    await queries.run(sql`UPDATE tenants SET calls_per_minute_max = 100000`);
  });
  await first.start();
  await second.start();

  async function post(host: string, path: string, body: object): Promise<Response> {
    return await fetch(`http://${host}:8481/api/v1${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  }
  const created = await post(FIRST_HOST, "/agents", {
    name: "Reception",
    prompt: "You answer for a clinic.",
    first_message: "Good afternoon.",
    transcript_email: "desk@example.com",
    transcript_email_enabled: true,
  });
  const { agent } = (await created.json()) as { readonly agent: { readonly id: number } };
  await post(FIRST_HOST, "/phone-numbers", { number_e164: OWN_NUMBER, agent_id: agent.id });
  const acknowledged: string[] = [];
  const rows = (text: string) => database.read.all<{ readonly what: string }>(sql.raw(text));

  async function unsettled(): Promise<string[]> {
    let left: string[] = [];
    const isSettled = async () => {
      left = (await rows(UNSETTLED).catch(() => [{ what: "the server is away" }])).map(
        ({ what }) => what,
      );
      return left.length === 0;
    };
    return await eventually(isSettled, "settled", SETTLED_MS).then(
      () => [],
      () => left.map((what) => `not settled: ${what}`),
    );
  }

  return {
    nodes: [first, second],
    sqld,
    ownNumber: OWN_NUMBER,
    numbers,
    callee,
    caller,
    async ask(node, number) {
      const host = node === 0 ? FIRST_HOST : SECOND_HOST;
      const answer = await post(host, "/calls", { to_number: number, agent_id: agent.id }).catch(
        () => null,
      );
      if (answer?.status !== 200) return null;
      const { call_uuid } = (await answer.json()) as { readonly call_uuid: string };
      acknowledged.push(call_uuid);
      return call_uuid;
    },
    async violations() {
      // The telephones' registrations expire; without them nobody would answer.
      await callee.register().catch(() => undefined);
      await caller.register().catch(() => undefined);
      const wrong = await unsettled();
      for (const text of WRONG_ROWS) wrong.push(...(await rows(text)).map(({ what }) => what));
      wrong.push(...(await verifyLedger(billingStores(database.read))));
      const stored = await database.read.all<{ uuid: string }>(
        sql`SELECT call_uuid AS uuid FROM calls`,
      );
      const known = new Set(stored.map(({ uuid }) => uuid));
      for (const uuid of acknowledged)
        if (!known.has(uuid)) wrong.push(`call ${uuid} was acknowledged and is lost`);
      for (const number of numbers) {
        const dialled = invites.get(number)?.size ?? 0;
        if (dialled > 1) wrong.push(`${number} was dialled ${dialled} times`);
      }
      return wrong;
    },
    async close() {
      for (const node of [first, second]) {
        await node.kill();
        node.relay.close();
      }
      await callee.close();
      await caller.close();
      carrier.close();
      await database.close();
      await sqld.stop();
    },
  };
}
