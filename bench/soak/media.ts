/**
 * `npm run soak media`: the appliance for LINEVOICE_SOAK_MINUTES (120) with LINEVOICE_SOAK_CALLS (50)
 * calls that turn over every half minute. Prints a line a round; exit 1 when its own memory or its
 * descriptors, with no call up, end higher than they were after the warm-up by more than a tenth.
 */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CallTarget } from "../calls/target.ts";
import { firstLine } from "../http/first-line.ts";
import { residentMemory } from "../process/usage.ts";

const minutes = Number(process.env.LINEVOICE_SOAK_MINUTES ?? 120);
const calls = Number(process.env.LINEVOICE_SOAK_CALLS ?? 50);
const ROUND_MS = 30_000;
const QUIET_MS = 3_000;
/** Heaps and caches fill up in these. */
const WARM_UP_ROUNDS = 3;
const GROWTH_MAX = 1.1;

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const descriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

const server = Bun.spawn([process.execPath, file("../calls/serve.ts"), String(calls)], {
  ...{ stdin: "pipe", stdout: "pipe", stderr: "inherit" },
});
const target = JSON.parse(await firstLine(server.stdout)) as CallTarget;

async function round(): Promise<number> {
  const callers = Bun.spawn(
    [process.execPath, file("../calls/callers.ts"), JSON.stringify(target), String(calls)],
    { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  );
  const { up } = JSON.parse(await firstLine(callers.stdout)) as { up: number };
  await Bun.sleep(ROUND_MS);
  await callers.stdin.end();
  await callers.exited;
  await Bun.sleep(QUIET_MS);
  return up;
}

const until = performance.now() + minutes * 60_000;
let first: { own: number; open: number } | null = null;
let last = { own: 0, open: 0 };
for (let number = 1; performance.now() < until; number++) {
  const up = await round();
  last = { own: residentMemory(target.pid).own, open: descriptors(target.pid) };
  if (number === WARM_UP_ROUNDS) first = last;
  console.log(
    `round ${number}: ${up} of ${calls} up, then ${last.own.toFixed(0)} MB, ${last.open} descriptors`,
  );
}
await server.stdin.end();
await server.exited;
const grew = first && (last.own > first.own * GROWTH_MAX || last.open > first.open * GROWTH_MAX);
console.log(grew ? "It grew." : "It did not grow.");
process.exit(grew ? 1 : 0);
