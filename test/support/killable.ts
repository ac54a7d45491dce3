/**
 * The real program (`serve`, compiled or from its sources) as a process that is killed with SIGKILL and started again on
 * the same data and the same ports, with a carrier, phones, a mail server and a webhook receiver
 * around it that live on. `violations` says what is not as it must be when everything has settled.
 */
import { Database as Sqlite } from "bun:sqlite";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifyLedger } from "../../src/billing/ledger.ts";
import { type Carrier, startCarrier } from "../../src/demo/carrier/carrier.ts";
import { createPhone, type Phone } from "../../src/demo/phone/phone.ts";
import { type SipMessage, userOf } from "../../src/sip/message/index.ts";
import { billingStores } from "../../src/store/billing-stores.ts";
import { integrityProblems } from "../../src/store/integrity.ts";
import { openReadOnly } from "../../src/store/read-only.ts";
import { eventually } from "./eventually.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "./https-receiver.ts";
import { type SmtpServer, smtpServer } from "./smtp-server.ts";
import { testCa } from "./test-ca.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
export const OWN_NUMBER = "+37052000001";
const TRUNK = { username: "clinic", password: "correct horse" };
/** What is promised of a machine that has a processor for it. */
const REGISTERED_WITHIN_MS = 10_000;
/** However busy the machine is. */
const REGISTERED_WITHIN_MS_MAX = 120_000;
const SETTLED_WITHIN_MS = 60_000;

export interface Killable {
  readonly dir: string;
  readonly carrier: Carrier;
  readonly smtp: SmtpServer;
  readonly receiver: HttpsReceiver;
  readonly agentId: number;
  /** INVITEs that the carrier was sent by the appliance, by the number they call, retransmissions once. */
  readonly invites: Map<string, Set<string>>;
  /**
   * Starts it, and resolves when it answers and its trunk is registered anew. How long that took, without
   * the time in which the machine had no processor for it; rejects with StartFailed when that is more
   * than 10 s, or when it gave up.
   */
  start(): Promise<{ readonly registeredMs: number }>;
  /** SIGKILL, now. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** A subscriber of the carrier, with further numbers of its own where asked for. */
  phone(number: string, numbers?: readonly string[]): Promise<Phone>;
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: ApiAnswer }>;
  /** A look at the stored rows, beside the process. */
  rows<Row>(sql: string): Row[];
  /** Changes them, as time would; while the process is dead. */
  write(sql: string): void;
  /** Waits until nothing is under way, then answers what is wrong. */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

/** It did not start. `waitedMs`: how long its main thread was ready to run and got no processor. */
export class StartFailed extends Error {
  constructor(
    message: string,
    readonly waitedMs: number,
  ) {
    super(message);
  }
}

export interface ApiAnswer {
  readonly ok: boolean;
  readonly call_uuid: string;
  readonly agent: { readonly id: number };
  readonly call: { readonly status: string };
}

export interface KillableOptions {
  readonly dir: string;
  /** Loopback address that is this test's alone: fixed ports are bound on it. */
  readonly host: string;
  readonly rtpPorts: string;
  readonly concurrentCallsMax?: number;
  /** The compiled program; `src/main.ts` without it. */
  readonly binary?: string;
}

function configOf(options: KillableOptions, smtpPort: number): string {
  const { dir, host } = options;
  return `
[server]
listen = "${host}:8480"
metrics_listen = "${host}:9480"
[storage]
data_dir = "${join(dir, "data")}"
backup_at = ""
[sip]
bind = "${host}:5460"
external_ip = "${host}"
[rtp]
ports = "${options.rtpPorts}"
[conversation]
disclosure_enabled = false
[mail]
provider = "smtp"
from = "calls@voice.example"
[mail.smtp]
host = "${host}"
port = ${smtpPort}
security = "none"
[http_client]
allow_networks = ["${host}/32"]
ca_file = "${join(dir, "ca.pem")}"
[limits]
requests_per_minute = 10000
[[plans]]
slug = "start"
name = "Start"
included_minutes = 100
price_eur_per_month = 0
overage_eur_per_min = 0.15
max_concurrent_calls = ${options.concurrentCallsMax ?? 20}
max_agents = 5
max_phone_numbers = 5
max_files = 20
max_webhooks = 5
[log]
level = "info"
`;
}

const REGISTER_LINES_MAX = 40;

/** What the carrier sees of the appliance: its registrations, and whom it calls. */
function watchTrunk(sipPort: number) {
  const invites = new Map<string, Set<string>>();
  let registrations = 0;
  /** How the REGISTERs of the running process went: what it says, when, with which CSeq. */
  let lines: string[] = [];
  let since = performance.now();
  function note(what: string) {
    const atMs = Math.round(performance.now() - since);
    if (lines.length < REGISTER_LINES_MAX) lines.push(`${atMs} ms ${what}`);
  }
  function onMessage(
    direction: "in" | "out",
    message: SipMessage | string,
    peer: { port: number },
  ) {
    if (peer.port !== sipPort) return;
    if (typeof message === "string") {
      const cseq = /^CSeq: (\d+) REGISTER/im.exec(message)?.[1];
      if (direction !== "out" || cseq === undefined) return;
      note(`${message.slice(8, 11)} to ${cseq}`);
      if (message.startsWith("SIP/2.0 200")) registrations++;
      return;
    }
    if (message.kind !== "request") return;
    if (message.method === "REGISTER") {
      const signed = message.headers.has("authorization") ? ", signed" : "";
      note(`REGISTER ${message.cseq.number}${signed}`);
    }
    if (message.method !== "INVITE") return;
    const number = userOf(message.uri);
    if (number === null || message.to.parameters.has("tag")) return;
    invites.set(number, (invites.get(number) ?? new Set()).add(message.callId));
  }
  return {
    ...{ invites, onMessage },
    registrations: () => registrations,
    begin() {
      lines = [];
      since = performance.now();
    },
    /** Of the REGISTERs since `begin`. */
    story: () => lines.join("; ") || "no REGISTER came",
  };
}

/**
 * How long the process's main thread ran, and how long it was ready to run and got no processor, so far,
 * in milliseconds: on a machine that is busy with other things the latter is most of a start.
 */
function processorTime(pid: number): { readonly ranMs: number; readonly waitedMs: number } {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, "utf8")
      .split(" ")
      .map((ns) => Number(ns) / 1e6);
    return { ranMs: Math.round(ran), waitedMs: Math.round(waited) };
  } catch {
    return { ranMs: 0, waitedMs: 0 };
  }
}

/** Steps of the program that were logged, in milliseconds since it was started. */
function loggedSteps(file: string, beganAtMs: number): string {
  const steps = readFileSync(file, "utf8").matchAll(/"time":"([^"]+)".*"event":"([^"]+)"/g);
  return [...steps]
    .map(([, time = "", event]) => `${Date.parse(time) - beganAtMs} ms ${event}`)
    .slice(0, REGISTER_LINES_MAX)
    .join("; ");
}

async function cli(
  program: readonly string[],
  args: readonly string[],
  stdin = "",
): Promise<string> {
  const child = Bun.spawn([...program, ...args], {
    ...{ stdin: Buffer.from(stdin), stdout: "pipe", stderr: "pipe" },
    env: { PATH: process.env.PATH ?? "" },
  });
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`linevoice ${args.join(" ")}: ${err}`);
  return out;
}

export async function killable(options: KillableOptions): Promise<Killable> {
  const { dir, host, binary } = options;
  const program = binary === undefined ? [process.execPath, MAIN] : [binary];
  mkdirSync(dir, { recursive: true });
  const ca = testCa(dir);
  const receiver = await httpsReceiver(ca.issue([`IP:${host}`]), answer(200), host);
  const smtp = await smtpServer(host);
  const config = join(dir, "linevoice.toml");
  writeFileSync(join(dir, "ca.pem"), ca.caPem);
  writeFileSync(config, configOf(options, smtp.port));
  const watch = watchTrunk(SIP_PORT);
  const carrier = await startCarrier({ host, domain: "carrier.test", onMessage: watch.onMessage });
  carrier.addSubscriber({ ...TRUNK, numbers: [OWN_NUMBER] });
  const phones: Phone[] = [];
  let child: Bun.Subprocess | null = null;

  const on = ["--config", config];
  await cli(program, [
    "tenant",
    "create",
    "--name",
    "Clinic",
    "--email",
    "desk@example.com",
    ...on,
  ]);
  const made = await cli(program, ["key", "create", "--tenant", "1", "--label", "test", ...on]);
  const { secret } = JSON.parse(made) as { secret: string };
  await cli(
    program,
    [
      ...["trunk", "set", "--tenant", "1", "--server", carrier.address.host, ...on],
      ...["--port", String(carrier.address.port), "--username", TRUNK.username],
      ...["--caller-id", OWN_NUMBER, "--password-stdin"],
    ],
    TRUNK.password,
  );

  async function start() {
    const before = watch.registrations();
    const began = performance.now();
    const beganAtMs = Date.now();
    watch.begin();
    const logFile = join(dir, "serve.log");
    // A file given to a child is written over, not emptied.
    writeFileSync(logFile, "");
    child = Bun.spawn([...program, "serve", ...on], {
      ...{ cwd: dir, stdin: "ignore", stdout: "ignore", stderr: Bun.file(logFile) },
      env: { PATH: process.env.PATH ?? "" },
    });
    const started = child;
    const story = () => {
      const { ranMs, waitedMs } = processorTime(started.pid);
      const thread = `main thread ran ${ranMs} ms, waited ${waitedMs} ms for a processor`;
      return `${watch.story()} | ${loggedSteps(logFile, beganAtMs)} | ${thread}`;
    };
    let tookMs = 0;
    let waitedMs = 0;
    await eventually(
      () => {
        waitedMs = Math.max(waitedMs, processorTime(started.pid).waitedMs);
        if (started.exitCode !== null)
          throw new Error(`serve ended with ${started.exitCode}: ${readFileSync(logFile, "utf8")}`);
        tookMs = performance.now() - began - waitedMs;
        if (watch.registrations() > before) return true;
        if (tookMs > REGISTERED_WITHIN_MS) throw new Error(`not registered after ${tookMs} ms`);
        return false;
      },
      "the trunk is registered",
      REGISTERED_WITHIN_MS_MAX,
    ).catch((error) => {
      throw new StartFailed(`${error} (${story()})`, waitedMs);
    });
    if (process.env.LINEVOICE_STORIES) console.log(story());
    const registeredMs = tookMs;
    await eventually(
      () => {
        waitedMs = Math.max(waitedMs, processorTime(started.pid).waitedMs);
        return fetch(`${BASE(host)}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        );
      },
      "it is ready",
      30_000,
    ).catch((error) => {
      throw new StartFailed(`${error} (${story()})`, waitedMs);
    });
    return { registeredMs };
  }

  async function kill() {
    child?.kill("SIGKILL");
    await child?.exited;
    child = null;
  }

  async function api(method: string, path: string, body?: unknown) {
    const response = await fetch(`${BASE(host)}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as ApiAnswer };
  }

  function rows<Row>(sql: string): Row[] {
    const stored = openReadOnly(join(dir, "data/linevoice.db"));
    try {
      return stored.sqlite.query<Row, []>(sql).all();
    } finally {
      stored.close();
    }
  }

  await start().catch(async (error) => {
    await kill();
    throw error;
  });
  const { body } = await api("POST", "/agents", {
    ...{ name: "Reception", prompt: "You answer for a clinic.", first_message: "Good afternoon." },
    ...{ transcript_email: "owner@example.com", transcript_email_enabled: true },
  });
  const agentId = body.agent.id;
  await api("POST", "/phone-numbers", { number_e164: OWN_NUMBER, agent_id: agentId });
  await api("POST", "/webhooks", {
    url: `https://${host}:${receiver.port}/hook`,
    events: ["call.started", "call.answered", "call.ended", "call.failed", "recording.ready"],
  });

  return {
    ...{ dir, carrier, smtp, receiver, agentId, invites: watch.invites },
    ...{ start, kill, api, rows },
    write(sql) {
      const stored = new Sqlite(join(dir, "data/linevoice.db"), { readwrite: true });
      stored.run(sql);
      stored.close();
    },
    async phone(number, numbers = []) {
      const account = { username: number, password: number };
      carrier.addSubscriber({ ...account, numbers: [number, ...numbers] });
      const made = await createPhone({
        ...{ number, domain: "carrier.test", host, proxy: carrier.address, account },
      });
      await made.register();
      phones.push(made);
      return made;
    },
    async violations() {
      const unsettled = () => rows<{ what: string }>(UNSETTLED).map(({ what }) => what);
      const settled = eventually(() => unsettled().length === 0, "settled", SETTLED_WITHIN_MS);
      const late = await settled.then(
        () => [],
        () => unsettled().map((what) => `not settled: ${what}`),
      );
      return [...late, ...(await wrongs({ dir, receiver, smtp, invites: watch.invites }, rows))];
    },
    async close() {
      await kill();
      await Promise.all(phones.map((phone) => phone.close()));
      await receiver.close();
      await smtp.close();
      carrier.close();
    },
  };
}

const SIP_PORT = 5460;
const BASE = (host: string) => `http://${host}:8480`;

const UNSETTLED = `
  SELECT 'call ' || call_uuid || ' is ' || status AS what FROM calls
    WHERE status IN ('queued', 'dialing', 'ringing', 'in_progress')
  UNION ALL SELECT 'recording of ' || call_uuid || ' is ' || recording_status FROM calls
    WHERE recording_status IN ('recording', 'processing', 'ready')
  UNION ALL SELECT 'mail ' || key || ' is ' || status FROM mails WHERE status <> 'sent' OR attachment IS NOT NULL
  UNION ALL SELECT 'event ' || event_id || ' is ' || status FROM outbox WHERE status <> 'delivered'`;

/** Each query's rows are violations. */
const WRONG_ROWS = [
  `SELECT 'call ' || c.call_uuid || ' has ' || count(e.id) || ' ends' AS what FROM calls c
    LEFT JOIN events e ON e.call_uuid = c.call_uuid AND e.type IN ('call.ended', 'call.failed')
    GROUP BY c.call_uuid HAVING count(e.id) <> 1`,
  `SELECT type || ' of ' || call_uuid || ' was stored ' || count(*) || ' times' AS what FROM events
    GROUP BY call_uuid, type HAVING count(*) > 1`,
  "SELECT 'hold of ' || call_uuid || ' is left' AS what FROM holds",
  "SELECT 'call ' || call_uuid || ' ended without a reason' AS what FROM calls WHERE ended_reason IS NULL",
  `SELECT 'call ' || call_uuid || ' was charged ' || billable_seconds || ' s unanswered' AS what FROM calls
    WHERE answered_at IS NULL AND billable_seconds > 0`,
  `SELECT 'call ' || call_uuid || ' was answered and not charged' AS what FROM calls
    WHERE answered_at IS NOT NULL AND billable_seconds < 15`,
  `SELECT 'schedule ' || id || ' is still pending' AS what FROM schedules WHERE status = 'pending'`,
  `SELECT 'schedule ' || s.id || ' is ' || s.status || ' and its call ' || c.status AS what
    FROM schedules s JOIN calls c ON c.call_uuid = s.call_uuid
    WHERE s.status = 'fired' AND c.status = 'queued'`,
  `SELECT 'call ' || call_uuid || ' was answered and has no mail' AS what FROM calls
    WHERE answered_at IS NOT NULL AND recording_file IS NOT NULL
    AND call_uuid NOT IN (SELECT call_uuid FROM mails WHERE call_uuid IS NOT NULL)`,
];

async function wrongs(
  world: Pick<Killable, "dir" | "receiver" | "smtp" | "invites">,
  rows: Killable["rows"],
): Promise<string[]> {
  const wrong = WRONG_ROWS.flatMap((sql) => rows<{ what: string }>(sql).map(({ what }) => what));
  const stored = openReadOnly(join(world.dir, "data/linevoice.db"));
  try {
    wrong.push(...(await verifyLedger(billingStores, stored.queries)));
    wrong.push(...integrityProblems(stored.sqlite, "integrity_check"));
  } finally {
    stored.close();
  }
  for (const file of readdirSync(join(world.dir, "data/recordings")))
    wrong.push(`${file} is left in the recordings`);
  for (const [number, calls] of world.invites)
    if (calls.size > 1) wrong.push(`${number} was dialled ${calls.size} times`);
  const delivered = new Set(
    world.receiver.requests.map(({ body }) => (JSON.parse(body) as { id: string }).id),
  );
  for (const { id } of rows<{ id: string }>("SELECT id FROM events"))
    if (!delivered.has(id) && rows(`SELECT 1 FROM outbox WHERE event_id = '${id}'`).length > 0)
      wrong.push(`event ${id} was never delivered`);
  const keys = rows<{ key: string }>("SELECT key FROM mails").length;
  const messages = new Set(
    world.smtp.mails.map(({ data }) => /^Message-ID: (.*)$/im.exec(data)?.[1]),
  );
  if (messages.size !== keys) wrong.push(`${keys} mails were queued, ${messages.size} arrived`);
  return wrong;
}
