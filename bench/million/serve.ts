/**
 * The measured process: the whole appliance over a file with a tenant of very many calls and with very
 * many tenants. Prints one JSON line when it listens, answers each order on standard input with a line, and
 * ends with it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { startAppliance } from "../../test/support/appliance/appliance.ts";
import { browserOf } from "../../test/support/browser/appliance-browser.ts";
import {
  type EventLoopMeter,
  startEventLoopMeter,
} from "../../test/support/process/event-loop-meter.ts";
import { roomFor } from "../calls/room.ts";
import { BENCH_HOST } from "../calls/target.ts";

export interface MillionTarget {
  readonly base: string;
  readonly key: string;
  readonly fillSeconds: number;
}

/**
 * `cookie`: somebody signs in, who owns the tenant and operates the appliance. `change`: another tenant's
 * change is stored. `held`: how long the thread was held at once, from one such order to the next one.
 */
export type Order = "cookie" | "change" | "held";

const [calls = 1_000_000, tenants = 2_000] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(
  join(process.env.LINEVOICE_BENCH_DIR ?? tmpdir(), "linevoice-bench-"),
);
const path = join(directory, "linevoice.db");
const startedAt = performance.now();
// In a process of its own: what filling leaves behind (garbage, compiled code) is nothing that an appliance has.
const filling = Bun.spawnSync(
  [
    process.execPath,
    fileURLToPath(new URL("./fill.ts", import.meta.url)),
    ...[path, String(calls), String(tenants)],
  ],
  { stdout: "pipe", stderr: "inherit" },
);
if (filling.exitCode !== 0) throw new Error("the store could not be filled");
const large = Number(filling.stdout);
const fillSeconds = (performance.now() - startedAt) / 1000;
const world = await startAppliance({ dataDir: directory, host: BENCH_HOST, settings: roomFor(10) });
const { app } = world;
const { secret } = await app.ask("key.create", { tenant: large, label: "bench" });
const target: MillionTarget = { base: app.addresses.http, key: secret, fillSeconds };
console.log(JSON.stringify(target));

let meter: EventLoopMeter | null = null;
function held(): number {
  const longestMs = meter?.longestMs() ?? 0;
  meter?.stop();
  meter = meter ? null : startEventLoopMeter();
  return longestMs;
}
async function change(): Promise<void> {
  await app.database.tx((queries) =>
    queries.run(sql`UPDATE tenants SET name = 'Tenant ' || random() WHERE id = ${large - 1}`),
  );
}
const orders = new Map<string, () => unknown>(
  Object.entries({
    cookie: async () => (await browserOf(app, { tenantId: large, operator: true })).cookie,
    change,
    held,
  } satisfies Record<Order, () => unknown>),
);
for await (const order of console) console.log((await orders.get(order)?.()) ?? "");
await world.close();
rmSync(directory, { recursive: true, force: true });
process.exit(0);
