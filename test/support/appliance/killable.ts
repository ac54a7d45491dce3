/**
 * The real program (`serve`, compiled or from source) as a process that tests kill with SIGKILL and
 * restart on the same data and ports. Its carrier, phones, mail server and webhook receiver keep
 * running. `violations` returns broken invariants after all work is done.
 */
import { Database as Sqlite } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Carrier, startCarrier } from "../../../src/demo/carrier/carrier.ts";
import { openReadOnly } from "../../../src/store/sqlite/read-only.ts";
import { createPhone, type Phone } from "../media/phone/phone.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../net/https-receiver.ts";
import { type SmtpServer, smtpServer } from "../net/smtp-server.ts";
import { testCa } from "../net/test-ca.ts";
import { type TrunkWatch, watchTrunk } from "../sip/trunk-watch.ts";
import { outputOf, setUpTenant } from "./cli.ts";
import { unsettled, wrongs } from "./kill-violations.ts";
import { PROGRAM } from "./program.ts";
import { type ServedProcess, servedProcess } from "./served-process.ts";

export const OWN_NUMBER = "+37052000001";
const TRUNK = { username: "clinic", password: "correct horse" };

export interface Killable extends ServedProcess {
  readonly dir: string;
  readonly carrier: Carrier;
  readonly smtp: SmtpServer;
  readonly receiver: HttpsReceiver;
  readonly agentId: number;
  /** The appliance's messages at the carrier. */
  readonly trunk: TrunkWatch;
  /** Creates a subscriber of the carrier, optionally with more numbers. */
  phone(number: string, numbers?: readonly string[]): Promise<Phone>;
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: ApiAnswer }>;
  /** Reads stored rows directly from the database file. */
  rows<Row>(sql: string): Row[];
  /** Changes rows directly. Only while the process is dead. */
  write(sql: string): void;
  /** Waits until no work is pending, then returns the violations. */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

export interface ApiAnswer {
  readonly ok: boolean;
  readonly call_uuid: string;
  readonly agent: { readonly id: number };
  readonly call: { readonly status: string; readonly transfers: readonly unknown[] };
}

export interface KillableOptions {
  readonly dir: string;
  /** Loopback address that only this test uses, because it binds fixed ports. */
  readonly host: string;
  readonly rtpPorts: string;
  readonly concurrentCallsMax?: number;
  /** Minutes included in the plan; default 100. */
  readonly includedMinutes?: number;
  /** The compiled program; default: `src/main.ts`. */
  readonly binary?: string;
  /** Time after which a silent call ends; default 30 s. */
  readonly silenceTimeoutMs?: number;
  /** Maximum number of open files and sockets of the process (`ulimit -n`). */
  readonly descriptorsMax?: number;
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
allow_networks = ["127.0.0.0/8"]
[rtp]
ports = "${options.rtpPorts}"
timeout_sec = 5
[conversation]
disclosure_enabled = false
silence_timeout_ms = ${options.silenceTimeoutMs ?? 30_000}
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
included_minutes = ${options.includedMinutes ?? 100}
price_eur_per_month = 0
overage_eur_per_min = 0.15
max_concurrent_calls = ${options.concurrentCallsMax ?? 20}
max_agents = 5
max_phone_numbers = 5
max_files = 20
max_webhooks = 5
[engine.embedded]
[log]
level = "info"
`;
}

const limited = (descriptorsMax: number | undefined): readonly string[] =>
  descriptorsMax === undefined
    ? []
    : ["sh", "-c", `ulimit -n ${descriptorsMax}; exec "$@"`, "limited"];

export async function killable(options: KillableOptions): Promise<Killable> {
  const { dir, host, binary } = options;
  const program = binary === undefined ? PROGRAM : [binary];
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
  const { start, kill, freeze } = servedProcess({
    command: [...limited(options.descriptorsMax), ...program, "serve", "--config", config],
    dir,
    base: BASE(host),
    watch,
  });
  const secret = await setUpTenant(
    (words, stdin) => outputOf(dir, [...words, "--config", config], { program, stdin }),
    { server: carrier.address, account: TRUNK, callerId: OWN_NUMBER },
  );

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
    name: "Reception",
    prompt: "You answer for a clinic.",
    first_message: "Good afternoon.",
    transcript_email: "owner@example.com",
    transcript_email_enabled: true,
  });
  const agentId = body.agent.id;
  await api("POST", "/phone-numbers", { number_e164: OWN_NUMBER, agent_id: agentId });
  await api("POST", "/webhooks", {
    url: `https://${host}:${receiver.port}/hook`,
    events: ["call.started", "call.answered", "call.ended", "call.failed"],
  });

  return {
    dir,
    carrier,
    smtp,
    receiver,
    agentId,
    trunk: watch,
    start,
    kill,
    freeze,
    api,
    rows,
    write(sql) {
      const stored = new Sqlite(join(dir, "data/linevoice.db"), { readwrite: true });
      stored.run(sql);
      stored.close();
    },
    async phone(number, numbers = []) {
      const account = { username: number, password: number };
      carrier.addSubscriber({ ...account, numbers: [number, ...numbers] });
      const made = await createPhone({
        number,
        domain: "carrier.test",
        host,
        proxy: carrier.address,
        account,
      });
      await made.register();
      phones.push(made);
      return made;
    },
    async violations() {
      const { rtpPorts } = options;
      const aftermath = { dir, host, rtpPorts, receiver, smtp, invites: watch.invites, rows };
      return [...(await unsettled(aftermath)), ...(await wrongs(aftermath))];
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

export const SIP_PORT = 5460;
const BASE = (host: string) => `http://${host}:8480`;
