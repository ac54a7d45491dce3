/** The whole appliance on loopback with a carrier, as the remote party of scenario tests. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type App, startApp } from "../../../src/app/app.ts";
import type { Doctor } from "../../../src/app/dashboard.ts";
import type { AppSettings } from "../../../src/app/settings.ts";
import { settingsFromConfig } from "../../../src/app/settings-from-config.ts";
import { OPERATOR } from "../../../src/core/author.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { type Log, silentLog } from "../../../src/core/log.ts";
import { eurToMicro } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { type Carrier, startCarrier } from "../../../src/demo/carrier/carrier.ts";
import { createVoices, type Voices } from "../../../src/demo/voices.ts";
import { agentStore } from "../../../src/features/agent/agent-store.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";
import { agentFiles, type agents, files, phoneNumbers } from "../../../src/store/schema/index.ts";
import { createPhone, type Phone } from "../media/phone/phone.ts";
import { quotas, wideDialing } from "../plans.ts";
import { agentOf } from "../store/stored-rows.ts";

export const OWN_NUMBER = "+37052000001";
const TRUNK = { username: "clinic", password: "correct horse" };

const PHONES = [process.execPath, join(import.meta.dir, "../../../src/main.ts"), "phones"];

export interface Appliance {
  readonly app: App;
  readonly carrier: Carrier;
  readonly tenantId: number;
  readonly agentId: number;
  readonly apiKey: string;
  readonly dataDir: string;
  /** Creates a registered subscriber of the carrier with a synthesised voice. */
  phone(number: string, voice?: string): Promise<Phone>;
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: ApiBody }>;
  /** Polls the call until it is in one of the states; fails after `timeoutMs`. */
  callWhen(uuid: string, done: (call: CallView) => boolean, timeoutMs?: number): Promise<CallView>;
  mails(): string[];
  close(): Promise<void>;
}

/** The fields of a call in the API that scenarios check. */
export interface CallView {
  readonly call_uuid: string;
  readonly direction: string;
  readonly from_number: string;
  readonly to_number: string;
  readonly status: string;
  readonly ended_reason: string | null;
  readonly answered_at: string | null;
  readonly answered_by: string | null;
  readonly transfers: readonly unknown[];
  readonly ended_at: string | null;
  readonly billable_seconds: number;
  readonly cost_eur: number;
  readonly transcript: string | null;
  readonly summary: string | null;
  readonly recording_status: string;
  readonly billing: { readonly billable_seconds: number; readonly included_seconds: number };
  readonly turns: readonly { readonly speaker: string; readonly text: string }[];
  readonly agent_version: number | null;
}

/** Possible fields of a response body. */
export interface ApiBody {
  readonly ok: boolean;
  readonly error: string;
  readonly status: string;
  readonly call_uuid: string;
  readonly schedule_id: number;
  readonly scheduled_at: string;
  readonly agent: { readonly id: number; readonly version: number };
  readonly files: readonly { readonly id: number }[];
  readonly call: CallView;
  readonly calls: readonly CallView[];
  readonly schedules: readonly { readonly id: number }[];
  readonly phone_numbers: readonly { readonly id: number }[];
}

export function applianceSettings(dataDir: string, host: string): AppSettings {
  const masterKey = new Uint8Array(32).fill(7);
  const config = configSchema.parse({});
  const defaults = settingsFromConfig(config, { version: "0.0.0-test", masterKey, dataDir });
  const { storage, http, sip, callWorker, httpClient } = defaults;
  return {
    ...defaults,
    storage: { ...storage, backupAt: null },
    http: { ...http, listen: { host, port: 0 }, requestsPerMinute: 100_000 },
    metricsListen: null,
    sip: {
      ...sip,
      bind: { host, port: 0 },
      externalIp: host,
      allowNetworks: ["127.0.0.0/8"],
      ringTimeoutMs: 20_000,
      codecs: ["PCMA", "PCMU"],
    },
    callWorkers: 1,
    callWorker: {
      ...callWorker,
      rtpPorts: { first: 21_000, last: 21_999 },
      conversation: {
        ...callWorker.conversation,
        disclosure: { lt: "", lv: "", en: "", ru: "" },
      },
    },
    plans: [
      {
        slug: "start",
        name: "Start",
        includedMinutes: 100,
        pricePerMonth: eurToMicro(29),
        overagePerMinute: eurToMicro(0.15),
        maxConcurrentCalls: 5,
        maxAgents: 5,
        maxNumbers: 5,
        maxFiles: 20,
        maxWebhooks: 5,
        quotas,
      },
    ],
    httpClient: { ...httpClient, allowNetworks: ["127.0.0.0/8"] },
    lowBalanceThresholds: [],
    concurrentCallsMax: 50,
    heardCallsMax: Number.POSITIVE_INFINITY,
    dialing: wideDialing,
  };
}

export interface ApplianceOptions {
  readonly dataDir: string;
  /** Loopback address of the appliance. The carrier uses the same address with another port. */
  readonly host: string;
  readonly log?: Log;
  /** Free disk space to report. */
  readonly freeDiskBytes?: () => number;
  readonly settings?: (settings: AppSettings) => AppSettings;
  readonly knowledge?: string;
  /** Default: one in this process. Closed with the appliance. */
  readonly carrier?: Carrier;
  readonly agent?: Partial<typeof agents.$inferSelect>;
  /** For the operator's health page. Default: none. */
  readonly doctor?: Doctor;
}

const CLINIC = `## What are your opening hours?
We are open Monday to Friday from nine to five.

## Where are you located?
Our address is twelve Garden Street, next to the central station.

## How much does a consultation cost?
A consultation costs forty euros.
`;

/** Returns a started appliance whose trunk is registered and which is ready for calls. */
export async function startAppliance(options: ApplianceOptions): Promise<Appliance> {
  const { dataDir, host } = options;
  const base = applianceSettings(dataDir, host);
  const deps = {
    clock: systemClock,
    random: systemRandom,
    log: options.log ?? silentLog,
    freeDiskBytes: options.freeDiskBytes,
    phones: { command: PHONES, sections: () => configSchema.parse({}) },
    ...(options.doctor ? { doctor: options.doctor } : {}),
  };
  const carrier = options.carrier ?? (await startCarrier({ host, domain: "carrier.test" }));
  carrier.addSubscriber({ ...TRUNK, numbers: [OWN_NUMBER] });
  const app = await startApp(options.settings?.(base) ?? base, deps);
  const tenant = await app.ask("tenant.create", {
    name: "Dental clinic",
    email: "desk@example.com",
    plan: null,
  });
  const key = await app.ask("key.create", { tenant: tenant.id, label: "test" });
  const now = systemClock.now();
  const { agentId } = await app.database.tx(async (queries) => {
    const made = {
      ...agentOf(
        "Reception",
        "You answer for a dental clinic.",
        "Good afternoon, this is the dental clinic. How can I help you?",
      ),
      maxDurationSeconds: 120,
      fillerPhrases: "One moment please.\nLet me check.",
      transcriptEmail: "owner@example.com",
      transcriptEmailEnabled: true,
      createdAt: now,
      updatedAt: now,
      ...options.agent,
    };
    const note = { author: OPERATOR, nowMs: now };
    const agent = await agentStore(queries).insert(tenant.id, made, note);
    const content = options.knowledge ?? CLINIC;
    const [file] = await queries
      .insert(files)
      .values({
        tenantId: tenant.id,
        filename: "clinic.md",
        format: "md",
        content,
        sizeBytes: Buffer.byteLength(content),
        createdAt: now,
        updatedAt: now,
      })
      .returning();
    await queries.insert(agentFiles).values({ agentId: agent.id, fileId: file?.id ?? 0 });
    await queries.insert(phoneNumbers).values({
      tenantId: tenant.id,
      numberE164: OWN_NUMBER,
      label: null,
      agentId: agent.id,
      inboundEnabled: true,
      createdAt: now,
    });
    return { agentId: agent.id };
  });
  await app.ask("trunk.set", {
    tenant: tenant.id,
    server: carrier.address.host,
    port: carrier.address.port,
    transport: "udp",
    ...TRUNK,
    realm: null,
    outbound_proxy: null,
    channels: null,
    caller_id: OWN_NUMBER,
    register: true,
  });
  await carrier.registered(TRUNK.username, 10_000);
  await app.ready();

  const phones: Phone[] = [];
  let voices: Promise<Voices> | null = null;

  async function api(method: string, path: string, body?: unknown) {
    const response = await fetch(`${app.addresses.http}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key.secret}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as ApiBody };
  }

  return {
    app,
    carrier,
    tenantId: tenant.id,
    agentId,
    apiKey: key.secret,
    dataDir,
    async phone(number, voice = "en-us") {
      voices ??= createVoices();
      const account = { username: number, password: number };
      carrier.addSubscriber({ ...account, numbers: [number] });
      const phone = await createPhone({
        number,
        domain: "carrier.test",
        host,
        proxy: carrier.address,
        account,
        speech: (await voices).speaker(voice),
      });
      await phone.register();
      phones.push(phone);
      return phone;
    },
    api,
    async callWhen(uuid, done, timeoutMs = 20_000) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const { body } = await api("GET", `/calls/${uuid}`);
        const { call } = body;
        if (call && done(call)) return call;
        if (performance.now() > deadline)
          throw new Error(`call ${uuid} stayed ${JSON.stringify(call ?? body)}`);
        await Bun.sleep(50);
      }
    },
    mails: () => readdirSync(join(dataDir, "outbox")).filter((name) => name.endsWith(".eml")),
    async close() {
      await Promise.all(phones.map((phone) => phone.close()));
      await app.stop();
      carrier.close();
    },
  };
}
