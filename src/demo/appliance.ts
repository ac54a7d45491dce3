/**
 * Starts the real appliance with the demo's configuration and sets up the demo's tenant, by
 * operator commands and the REST API.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type App, startApp } from "../app/app.ts";
import { settingsFromConfig } from "../app/settings-from-config.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { type Config, configSchema } from "../ops/config/schema.ts";
import { MASTER_KEY_BYTES } from "../platform/secrets/vault.ts";
import { createDemoApi, type DemoApi } from "./api-client.ts";
import type { Carrier } from "./carrier/carrier.ts";
import type { CompanyServer } from "./company/company-server.ts";
import { AGENT, COMPANY, KNOWLEDGE, REMINDERS, TOOL } from "./script.ts";

export interface DemoAppliance {
  readonly app: App;
  readonly outboxDir: string;
}

interface ApplianceOptions {
  readonly host: string;
  readonly dataDir: string;
  /** PEM of the demo's certificate authority. */
  readonly authority: string;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly adaptCall?: (config: CallConfig) => CallConfig;
  /** Additional sections of the configuration. Default: none. */
  readonly sections?: Partial<Pick<Config, "engine" | "conversation">>;
}

export async function startDemoAppliance(options: ApplianceOptions): Promise<DemoAppliance> {
  const { host, dataDir } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const caFile = join(dataDir, "demo-authority.pem");
  writeFileSync(caFile, options.authority);
  const config = configSchema.parse({
    server: { listen: `${host}:0`, metrics_listen: "" },
    storage: { data_dir: dataDir },
    sip: {
      bind: `${host}:0`,
      external_ip: host,
      user_agent: "Linevoice demo",
      allow_networks: [`${host}/32`],
    },
    http_client: { allow_networks: [`${host}/32`], ca_file: caFile },
    limits: { requests_per_minute: 600 },
    plans: [
      {
        slug: "demo",
        name: "Demo",
        included_minutes: 1,
        price_eur_per_month: 0,
        overage_eur_per_min: 0.12,
        max_concurrent_calls: 5,
      },
    ],
  });
  const masterKey = new Uint8Array(randomBytes(MASTER_KEY_BYTES));
  const own = { ...config, ...options.sections };
  const settings = settingsFromConfig(own, { version: options.version, masterKey, dataDir });
  const app = await startApp(settings, options);
  return { app, outboxDir: join(dataDir, "outbox") };
}

export interface DemoTenant {
  readonly tenantId: number;
  readonly agentId: number;
  /** Id of the agent that sends no mail. */
  readonly remindersId: number;
  readonly api: DemoApi;
  readonly key: string;
}

interface TenantParts {
  readonly carrier: Carrier;
  readonly company: CompanyServer;
  readonly toolSecret: { readonly header: string; readonly value: string };
  readonly trunkPassword: string;
  readonly clock: Clock;
}

export async function setUpTenant(
  appliance: DemoAppliance,
  parts: TenantParts,
): Promise<DemoTenant> {
  const { ask, addresses } = appliance.app;
  const { name, email, number, trunkUser } = COMPANY;
  const tenant = await ask("tenant.create", { name, email, plan: null });
  const welcome = "Welcome credit of the demo";
  await ask("credit", { tenant: tenant.id, eur: 20, note: welcome });
  const key = await ask("key.create", { tenant: tenant.id, label: "demo" });
  await ask("trunk.set", {
    tenant: tenant.id,
    server: parts.carrier.address.host,
    port: parts.carrier.address.port,
    transport: "udp",
    username: trunkUser,
    password: parts.trunkPassword,
    realm: null,
    outbound_proxy: null,
    channels: null,
    caller_id: number,
    register: true,
  });
  const api = createDemoApi(`${addresses.http}/api/v1`, key.secret, parts.clock);
  const agent = await createAgent(api, AGENT);
  const reminders = await createAgent(api, REMINDERS);
  await api.post("/phone-numbers", {
    number_e164: number,
    label: "Reception",
    agent_id: agent.id,
  });
  await ask("tool.create", {
    tenant: tenant.id,
    agent_id: agent.id,
    name: TOOL.name,
    description: TOOL.description,
    url: parts.company.toolUrl,
    secret_header: parts.toolSecret.header,
    secret: parts.toolSecret.value,
    parameters: TOOL.parameters,
  });
  return {
    tenantId: tenant.id,
    agentId: agent.id,
    remindersId: reminders.id,
    api,
    key: key.secret,
  };
}

/** Creates an agent with the clinic's knowledge. */
async function createAgent(api: DemoApi, draft: typeof AGENT | typeof REMINDERS) {
  const { agent } = await api.post<{ agent: { id: number } }>("/agents", draft);
  await api.post("/files", { ...KNOWLEDGE, agent_id: agent.id });
  return agent;
}
