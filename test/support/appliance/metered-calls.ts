/**
 * A whole appliance with its carrier in a separate process: one company with as much knowledge as a plan
 * allows, and its neighbour. Its one call worker measures its turns. Started with `Bun.spawn` and `ipc`.
 * It sends `CallsReady` once, then answers every message with `CallsMeasured`.
 */

import { systemClock } from "../../../src/core/clock.ts";
import { startCarrier } from "../../../src/demo/carrier/carrier.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";
import { agentFiles, files, phoneNumbers } from "../../../src/store/schema/index.ts";
import { browserOf } from "../browser/appliance-browser.ts";
import { TURNS_CHANNEL, type TurnReport } from "../process/turn-meter.ts";
import { insertAgent } from "../store/stored-rows.ts";
import { startAppliance } from "./appliance.ts";

const NEIGHBOUR_NUMBER = "+37052000002";

export interface CallsReady {
  readonly base: string;
  readonly key: string;
  readonly cookie: string;
  readonly agentId: number;
  readonly carrier: { readonly host: string; readonly port: number };
}

export interface CallsMeasured {
  /** Longest turn of the call worker since the previous message, in ms of CPU time. */
  readonly longestMs: number;
  /** Thread of the call worker, below /proc. */
  readonly thread: string;
}

const FILE_BYTES = 512_000;
const METER = new URL("../process/turn-meter.ts", import.meta.url).href;

const PlainWorker = globalThis.Worker;
globalThis.Worker = class extends PlainWorker {
  constructor(url: string | URL, options?: WorkerOptions) {
    const isCallWorker = String(url).endsWith("/call.worker.ts");
    super(url, isCallWorker ? { ...options, preload: METER } : options);
  }
} as typeof Worker;

const [dataDir = "", host = "", ...numbers] = process.argv.slice(2);
const carrier = await startCarrier({ host, domain: "carrier.test" });
for (const number of numbers)
  carrier.addSubscriber({ username: number, password: number, numbers: [number] });
const world = await startAppliance({
  dataDir,
  host,
  carrier,
  agent: { voice: "Nathan", language: "en" },
});
const { app, tenantId, agentId } = world;
await app.ask("credit", { tenant: tenantId, eur: 1000, note: "test" });

const THINGS = "crown filling implant bridge veneer whitening cleaning brace root canal".split(" ");
/** Different questions and answers in each file, as a large price list has them. */
function priceList(file: number): string {
  const parts: string[] = [];
  for (let at = 0, bytes = 0; bytes < FILE_BYTES; at++) {
    const name = `${THINGS[at % THINGS.length]} ${(file * 5_000 + at).toString(36)}`;
    const part = `## How much does a ${name} cost?\nA ${name} costs ${at % 900} euros and takes ${at % 90} minutes.\n\n`;
    parts.push(part);
    bytes += part.length;
  }
  return parts.join("").slice(0, FILE_BYTES);
}

const knowledgeBytes = Math.max(
  ...configSchema.parse({}).plans.map((plan) => plan.max_knowledge_bytes),
);
const now = systemClock.now();
const times = { createdAt: now, updatedAt: now };
for (let file = 0; file < Math.floor(knowledgeBytes / FILE_BYTES); file++)
  await app.database.tx(async (queries) => {
    const content = priceList(file);
    const [row] = await queries
      .insert(files)
      .values({
        tenantId,
        filename: `prices-${file}.md`,
        format: "md",
        content,
        sizeBytes: FILE_BYTES,
        ...times,
      })
      .returning({ id: files.id });
    await queries.insert(agentFiles).values({ agentId, fileId: row?.id ?? 0 });
  });

const neighbour = await app.ask("tenant.create", {
  name: "Neighbour",
  email: "desk@neighbour.example",
  plan: null,
});
await app.ask("credit", { tenant: neighbour.id, eur: 1000, note: "test" });
const neighbourAgent = await insertAgent(app.database, neighbour.id);
await app.database.tx((queries) =>
  queries.insert(phoneNumbers).values({
    tenantId: neighbour.id,
    numberE164: NEIGHBOUR_NUMBER,
    label: null,
    agentId: neighbourAgent,
    inboundEnabled: true,
    createdAt: now,
  }),
);
const trunk = { username: "neighbour", password: "correct horse" };
carrier.addSubscriber({ ...trunk, numbers: [NEIGHBOUR_NUMBER] });
await app.ask("trunk.set", {
  tenant: neighbour.id,
  server: carrier.address.host,
  port: carrier.address.port,
  transport: "udp",
  ...trunk,
  realm: null,
  outbound_proxy: null,
  channels: null,
  caller_id: NEIGHBOUR_NUMBER,
  register: true,
});
await carrier.registered(trunk.username, 10_000);

const { cookie } = await browserOf(app, { tenantId });
/** The first thread is the call worker's; the second one has chats and talks from a browser. */
const longest = new Map<string, number>();
new BroadcastChannel(TURNS_CHANNEL).onmessage = ({ data }: MessageEvent<TurnReport>) =>
  longest.set(data.thread, Math.max(longest.get(data.thread) ?? 0, data.longestMs));

const ready: CallsReady = {
  base: app.addresses.http,
  key: world.apiKey,
  cookie: cookie ?? "",
  agentId,
  carrier: carrier.address,
};
process.on("message", () => {
  const [[thread, longestMs] = ["", 0]] = longest;
  longest.set(thread, 0);
  const measured: CallsMeasured = { thread, longestMs };
  process.send?.(measured);
});
process.on("disconnect", () => void world.close().then(() => process.exit(0)));
process.send?.(ready);
