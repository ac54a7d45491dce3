/**
 * Two whole appliances on one real libSQL server. A due call is dialled once. If the node with the trunk is killed
 * with SIGKILL, the other registers the trunk and continues. If it drains, the other takes calls at once, while
 * its live call continues. A call survives a stopped server. Takes two minutes.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { systemClock } from "../../src/core/clock.ts";
import type { Database } from "../../src/core/database.ts";
import { systemRandom } from "../../src/core/random.ts";
import { type Carrier, startCarrier } from "../../src/demo/carrier/carrier.ts";
import { type SipMessage, userOf } from "../../src/sip/message/index.ts";
import { openRemoteDatabase } from "../../src/store/libsql/database.ts";
import { calls } from "../../src/store/schema/index.ts";
import { outputOf, setUpTenant } from "../support/appliance/cli.ts";
import { PROGRAM } from "../support/appliance/program.ts";
import { eventually } from "../support/eventually.ts";
import { createPhone, type Phone } from "../support/media/phone/phone.ts";
import { type SqldServer, startSqld } from "../support/store/sqld-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(240_000);

const CARRIER_HOST = "127.0.8.96";
const OWN_NUMBER = "+37052000001";
const CALLEE = "+37069999999";
const TRUNK = { username: "clinic", password: "correct horse" };
/** A start, or a lease without renewal for 12 s, on a busy machine. */
const LONG_MS = 90_000;

const directory = tempDir();
const masterKey = randomBytes(32).toString("base64");

interface Node {
  readonly host: string;
  readonly env: Record<string, string>;
  child: Bun.Subprocess | null;
}

const nodes: readonly Node[] = ["127.0.8.97", "127.0.8.98"].map((host, index) => ({
  host,
  env: {
    PATH: process.env.PATH ?? "",
    LINEVOICE_SERVER__LISTEN: `${host}:8481`,
    LINEVOICE_SERVER__METRICS_LISTEN: "",
    LINEVOICE_SIP__BIND: `${host}:5461`,
    LINEVOICE_SIP__ALLOW_NETWORKS: "127.0.0.0/8",
    LINEVOICE_SIP__EXTERNAL_IP: host,
    LINEVOICE_RTP__PORTS: "25000-25039",
    LINEVOICE_STORAGE__DATA_DIR: join(directory, `data-${index}`),
    LINEVOICE_SECRETS__MASTER_KEY: masterKey,
    LINEVOICE_MAIL__PROVIDER: "outbox",
  },
  child: null,
}));

let store: SqldServer;
let database: Database;
let carrier: Carrier;
let callee: Phone;
let key = "";
let agentId = 0;
/** Hosts in the order in which the carrier accepted their REGISTER. */
const registered: string[] = [];
/** Hosts in the order of their un-registration. */
const unregistered: string[] = [];
/** Number → the calls to it. */
const invites = new Map<string, Set<string>>();

function onMessage(
  direction: "in" | "out",
  message: SipMessage | string,
  { host }: { readonly host: string },
): void {
  if (!nodes.some((node) => node.host === host)) return;
  if (typeof message === "string") {
    const isRegistered = message.startsWith("SIP/2.0 200") && /^CSeq: \d+ REGISTER/im.test(message);
    if (direction === "out" && isRegistered)
      (/^Contact:/im.test(message) ? registered : unregistered).push(host);
    return;
  }
  const number = message.kind === "request" ? userOf(message.uri) : null;
  if (message.kind !== "request" || message.method !== "INVITE" || number === null) return;
  invites.set(number, (invites.get(number) ?? new Set()).add(message.callId));
}

/** A node as `linevoice nodes --json` shows it. */
interface NodeSeen {
  readonly id: string;
  readonly state: string;
  readonly trunks: number;
  readonly calls: number;
  readonly is_here: boolean;
}

const cliAt = (node: Node | undefined, args: readonly string[], stdin?: string) =>
  outputOf(directory, args, { env: node?.env, stdin });
const cli = (args: readonly string[], stdin?: string) => cliAt(nodes[0], args, stdin);

function start(node: Node): void {
  const logFile = join(directory, `${node.host}.log`);
  writeFileSync(logFile, "");
  node.child = Bun.spawn([...PROGRAM, "serve"], {
    cwd: directory,
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(logFile),
    env: node.env,
  });
}

async function ready(node: Node): Promise<void> {
  const isReady = async () => {
    if (node.child && node.child.exitCode !== null)
      throw new Error(readFileSync(join(directory, `${node.host}.log`), "utf8"));
    return await fetch(`http://${node.host}:8481/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await eventually(isReady, `${node.host} is ready`, LONG_MS);
}

async function api<Answer>(node: Node, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(`http://${node.host}:8481/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Answer;
  expect([response.status, answer]).toEqual([200, answer]);
  return answer;
}

const callTo = (node: Node, to_number: string, inMs: number) =>
  api<{ readonly call_uuid: string }>(node, "/calls", {
    to_number,
    agent_id: agentId,
    schedule_at: new Date(Date.now() + inMs).toISOString(),
  });

async function statusOf(uuid: string): Promise<string> {
  const [row] = await database.read
    .select({ status: calls.status })
    .from(calls)
    .where(eq(calls.callUuid, uuid));
  return row?.status ?? "";
}

const idOf = ({ env }: Node): string =>
  readFileSync(join(env.LINEVOICE_STORAGE__DATA_DIR ?? "", "node-id"), "utf8").trim();

/** Inbound calls: their node, and their end. */
const inbound = () =>
  database.read
    .select({ node: calls.node, reason: calls.endedReason })
    .from(calls)
    .where(eq(calls.direction, "inbound"))
    .orderBy(calls.id);

const allEnded = () =>
  eventually(
    async () => (await inbound()).every(({ reason }) => reason !== null),
    "all ended",
    LONG_MS,
  );

const holderAndOther = (): [Node, Node] => {
  const [one, two] = nodes;
  if (!one || !two) throw new Error("two nodes");
  return registered.at(-1) === one.host ? [one, two] : [two, one];
};

beforeAll(async () => {
  store = await startSqld();
  for (const { env } of nodes) {
    env.LINEVOICE_STORAGE__DATABASE = store.url;
    env.LINEVOICE_STORAGE__AUTH_TOKEN = store.token;
    mkdirSync(env.LINEVOICE_STORAGE__DATA_DIR ?? "", { recursive: true });
  }
  carrier = await startCarrier({ host: CARRIER_HOST, domain: "carrier.test", onMessage });
  carrier.addSubscriber({ ...TRUNK, numbers: [OWN_NUMBER] });
  const account = { username: CALLEE, password: CALLEE };
  const numbers = Array.from({ length: 10 }, (_, n) => `+3706100010${n}`);
  carrier.addSubscriber({ ...account, numbers });
  callee = await createPhone({
    number: CALLEE,
    domain: "carrier.test",
    host: CARRIER_HOST,
    account,
    proxy: carrier.address,
  });
  await callee.register();
  callee.onCall((call) => call.reject(486));

  database = await openRemoteDatabase(
    { url: store.url, authToken: store.token },
    { clock: systemClock, random: systemRandom, owner: "test" },
  );
  key = await setUpTenant(cli, { server: carrier.address, account: TRUNK, callerId: OWN_NUMBER });
  for (const node of nodes) start(node);
  for (const node of nodes) await ready(node);
  await eventually(() => registered.length > 0, "the trunk is registered", LONG_MS);
  const [one] = nodes;
  if (!one) throw new Error("two nodes");
  const { agent } = await api<{ readonly agent: { readonly id: number } }>(one, "/agents", {
    name: "Reception",
    prompt: "You answer for a clinic.",
    first_message: "Good afternoon.",
  });
  agentId = agent.id;
  await api(one, "/phone-numbers", { number_e164: OWN_NUMBER, agent_id: agentId });
});

afterAll(async () => {
  for (const { child } of nodes) {
    child?.kill("SIGKILL");
    await child?.exited;
  }
  await callee?.close();
  carrier?.close();
  await database?.close();
  await store?.stop();
});

test("a call requested at either node is dialled once, by the one with the trunk", async () => {
  expect(new Set(registered).size).toBe(1);
  const [holder, other] = holderAndOther();
  const asked = [
    { number: "+37061000100", ...(await callTo(other, "+37061000100", 1_500)) },
    { number: "+37061000101", ...(await callTo(holder, "+37061000101", 1_500)) },
  ];
  for (const { call_uuid } of asked)
    await eventually(async () => (await statusOf(call_uuid)) === "busy", "it was dialled", LONG_MS);
  expect(asked.map(({ number }) => invites.get(number)?.size)).toEqual([1, 1]);
  expect(new Set(registered)).toEqual(new Set([holder.host]));
});

test("a key revoked at one node and in constant use at the other is refused there within two seconds", async () => {
  const [here, there] = holderAndOther();
  const made = await api<{ readonly key: { readonly id: number; readonly secret: string } }>(
    ...([here, "/keys", { label: "to revoke" }] as const),
  );
  const { id, secret } = made.key;
  let openedAt = 0;
  const isRefused = async () => {
    const askedAt = performance.now();
    const { status } = await fetch(`http://${there.host}:8481/api/v1/agents`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    if (status === 200) openedAt = askedAt;
    return status === 401;
  };
  expect(await isRefused()).toBe(false);
  const { status } = await fetch(`http://${here.host}:8481/api/v1/keys?id=${id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${key}` },
  });
  const revokedAt = performance.now();
  expect(status).toBe(200);
  await eventually(isRefused, "the key is refused", LONG_MS);
  // `openedAt` is the start of the last successful request.
  expect(openedAt - revokedAt).toBeLessThanOrEqual(2_000);
});

test("after the trunk's node is killed, the other registers the trunk and dials due calls; the first returns without it", async () => {
  const [holder, other] = holderAndOther();
  const { call_uuid } = await callTo(other, "+37061000102", 2_000);
  holder.child?.kill("SIGKILL");
  await holder.child?.exited;
  holder.child = null;
  await eventually(() => registered.at(-1) === other.host, "the trunk is taken over", LONG_MS);
  await eventually(async () => (await statusOf(call_uuid)) === "busy", "it was dialled", LONG_MS);
  expect(invites.get("+37061000102")?.size).toBe(1);

  start(holder);
  await ready(holder);
  const again = await callTo(holder, "+37061000103", 1_000);
  await eventually(
    async () => (await statusOf(again.call_uuid)) === "busy",
    "it was dialled",
    LONG_MS,
  );
  expect(invites.get("+37061000103")?.size).toBe(1);
  expect(invites.get("+37061000102")?.size).toBe(1);
  expect(registered.at(-1)).toBe(other.host);
});

test("a node drained by command gives the trunk away and finishes its call, until it is resumed", async () => {
  const [holder, other] = holderAndOther();
  const nodesSeen = async () => {
    const listed = JSON.parse(await cliAt(other, ["nodes", "--json"])) as readonly NodeSeen[];
    return new Map(listed.map((node) => [node.id, node]));
  };
  expect(await nodesSeen()).toEqual(
    new Map([
      [idOf(holder), expect.objectContaining({ state: "active", trunks: 1, is_here: false })],
      [idOf(other), expect.objectContaining({ state: "active", trunks: 0, is_here: true })],
    ]),
  );
  const talking = await callee.call(OWN_NUMBER);
  await talking.answered;
  await cliAt(other, ["nodes", "drain", idOf(holder)]);
  await eventually(() => registered.at(-1) === other.host, "the other has the trunk", LONG_MS);
  expect(talking.state).toBe("active");
  expect((await nodesSeen()).get(idOf(holder))).toMatchObject({ state: "draining", trunks: 0 });
  talking.hangUp();
  const next = await callee.call(OWN_NUMBER);
  await next.answered;
  next.hangUp();
  await eventually(
    async () => (await nodesSeen()).get(idOf(holder))?.calls === 0,
    "the drained node is idle",
    LONG_MS,
  );
  expect(await cliAt(other, ["nodes", "resume", idOf(holder)])).toContain("is active");
  await allEnded();
  expect(await inbound()).toEqual([
    { node: idOf(holder), reason: "caller_hangup" },
    { node: idOf(other), reason: "caller_hangup" },
  ]);
});

test("a server that stops for 20 s ends no call; the trunk is registered once more, at the same node", async () => {
  const [holder] = holderAndOther();
  const talking = await callee.call(OWN_NUMBER);
  await talking.answered;
  const before = registered.length;
  const goOn = store.freeze();
  const list = { headers: { authorization: `Bearer ${key}` } };
  const refused = await fetch(`http://${holder.host}:8481/api/v1/agents`, list);
  expect(refused.status).toBe(503);
  await Bun.sleep(20_000);
  await eventually(() => unregistered.at(-1) === holder.host, "it let the trunk go", LONG_MS);
  goOn();
  await eventually(() => registered.length > before, "the trunk is registered again", LONG_MS);
  // Long enough for a second registration, and for the other node to take over abandoned calls.
  await Bun.sleep(15_000);
  expect(registered.slice(before)).toEqual([holder.host]);
  expect(talking.state).toBe("active");
  talking.hangUp();
  await allEnded();
  expect((await inbound()).at(-1)).toEqual({ node: idOf(holder), reason: "caller_hangup" });
});

test("if the trunk's node drains, the other takes the next call at once, and the live call continues", async () => {
  const [holder, other] = holderAndOther();
  const talking = await callee.call(OWN_NUMBER);
  await talking.answered;
  const drained = holder.child?.exited;
  holder.child?.kill("SIGTERM");
  await eventually(() => registered.at(-1) === other.host, "the other has the trunk", LONG_MS);
  const next = await callee.call(OWN_NUMBER);
  await next.answered;
  expect(talking.state).toBe("active");
  expect(holder.child?.exitCode).toBeNull();
  next.hangUp();
  talking.hangUp();
  expect(await drained).toBe(0);
  holder.child = null;
  await allEnded();
  expect((await inbound()).slice(-2)).toEqual([
    { node: idOf(holder), reason: "caller_hangup" },
    { node: idOf(other), reason: "caller_hangup" },
  ]);
});
