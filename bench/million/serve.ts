/**
 * The measured process: the whole appliance with a file that has one tenant with very many calls,
 * and very many tenants. Prints one JSON line when it listens, answers each order on standard input
 * with a line, and exits when the input ends.
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
 * `cookie`: a person signs in who owns the tenant and operates the appliance. `change`: stores a
 * change of another tenant. `held`: the longest time for which the thread was blocked since the
 * previous such order.
 */
export type Order = "cookie" | "change" | "held";

const [calls = 1_000_000, tenants = 2_000] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(
  join(process.env.LINEVOICE_BENCH_DIR ?? tmpdir(), "linevoice-bench-"),
);
const path = join(directory, "linevoice.db");
const startedAt = performance.now();
// A separate process, because an appliance does not have the garbage and compiled code of the
// filling.
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
