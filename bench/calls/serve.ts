/**
 * The measured process: the whole appliance with capacity for many calls; the carrier is another
 * process. Prints one JSON line when it is ready; exits when its standard input closes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { raiseSignalling } from "../../src/platform/threads/priority.ts";
import { startAppliance } from "../../test/support/appliance/appliance.ts";
import { startCarrierProcess } from "./carrier-process.ts";
import { roomFor } from "./room.ts";
import { BENCH_HOST, type CallTarget, callerNumber } from "./target.ts";

raiseSignalling(); // as `serve` does
const calls = Number(process.argv[2] ?? 100);
const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
const world = await startAppliance({
  dataDir: directory,
  host: BENCH_HOST,
  carrier: await startCarrierProcess(BENCH_HOST),
  agent: { maxDurationSeconds: 3600, transcriptEmailEnabled: false },
  settings: roomFor(calls),
});
for (let index = 0; index < calls; index++) {
  const number = callerNumber(index);
  world.carrier.addSubscriber({ username: number, password: number, numbers: [number] });
}
const target: CallTarget = {
  base: world.app.addresses.http,
  key: world.apiKey,
  carrier: world.carrier.address,
  pid: process.pid,
};
console.log(JSON.stringify(target));

await new Response(Bun.stdin.stream()).text();
await world.close();
rmSync(directory, { recursive: true, force: true });
process.exit(0);
