/**
 * The measured process: the whole appliance over a file with a tenant of very many calls and with very
 * many tenants. Prints one JSON line when it listens; answers each line of standard input with how long
 * the thread was held at once since the last, and ends with it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/adapter/store/database.ts";
import { indexSomeCalls } from "../../src/app/call-indexing.ts";
import { yieldToEventLoop } from "../../src/core/clock.ts";
import { startAppliance } from "../../test/support/appliance.ts";
import { browserOf } from "../../test/support/appliance-browser.ts";
import { startEventLoopMeter } from "../../test/support/event-loop-meter.ts";
import { roomFor } from "../calls/room.ts";
import { BENCH_HOST } from "../calls/target.ts";
import { fillPast } from "./fill.ts";

export interface MillionTarget {
  readonly base: string;
  readonly key: string;
  /** Of the tenant's owner, who operates the appliance too. */
  readonly cookie: string;
  readonly fillSeconds: number;
}

const [calls = 1_000_000, tenants = 2_000] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(
  join(process.env.LINEVOICE_BENCH_DIR ?? tmpdir(), "linevoice-bench-"),
);
const path = join(directory, "linevoice.db");
await openDatabase(path, Date.now()).close();
const startedAt = performance.now();
const past = { calls, tenants, contacts: 20_000, spoken: 10_000, untilMs: Date.now() - 120_000 };
const large = fillPast(path, past);
// As it is in life: after an upgrade the appliance does this beside its work.
const filled = openDatabase(path, Date.now());
while (await indexSomeCalls(filled, Date.now(), yieldToEventLoop));
await filled.close();
const fillSeconds = (performance.now() - startedAt) / 1000;
const world = await startAppliance({ dataDir: directory, host: BENCH_HOST, settings: roomFor(10) });
const { app } = world;
const { secret } = await app.ask("key.create", { tenant: large, label: "bench" });
const { cookie } = await browserOf(app, { tenantId: large, operator: true });
const meter = startEventLoopMeter();
const target: MillionTarget = {
  base: app.addresses.http,
  key: secret,
  cookie: cookie ?? "",
  fillSeconds,
};
console.log(JSON.stringify(target));

for await (const _ of console) console.log(meter.longestMs());
meter.stop();
await world.close();
rmSync(directory, { recursive: true, force: true });
process.exit(0);
