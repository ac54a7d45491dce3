/**
 * The soak's callers: keeps a fixed number of calls up. Each lasts 20 to 60 seconds and is then
 * replaced by another call from a new phone; every tenth asks a question. Each line of standard
 * input prints the events since the previous line. When the input closes, all hang up.
 */

import { createVoices } from "../../src/demo/voices.ts";
import { OWN_NUMBER } from "../../test/support/appliance/appliance.ts";
import { createPhone } from "../../test/support/media/phone/phone.ts";
import { BENCH_HOST, type CallTarget, callerNumber } from "../calls/target.ts";

const target = JSON.parse(process.argv[2] ?? "{}") as CallTarget;
const calls = Number(process.argv[3] ?? 50);
const STAGGER_MS = 300;
const SHORTEST_MS = 20_000;
const LONGEST_MS = 60_000;
const ASKS_EVERY = 10;
const PAUSE_MS = 200;
/** Pause after a failed call, so that retries do not come all at once. */
const PAUSE_AFTER_FAILURE_MS = 10_000;

const speech = (await createVoices()).speaker("en-us");
let over = false;
let up = 0;
let placed = 0;
let setUpMs: number[] = [];
let failures: string[] = [];

/** Returns true if the call went as expected. */
async function callOnce(number: string): Promise<boolean> {
  const phone = await createPhone({
    number,
    domain: "carrier.test",
    host: BENCH_HOST,
    proxy: target.carrier,
    speech,
    account: { username: number, password: number },
  });
  try {
    await phone.register();
    const startedAt = performance.now();
    const call = await phone.call(OWN_NUMBER);
    const order = ++placed;
    await call.answered;
    setUpMs.push(performance.now() - startedAt);
    up++;
    const spoken = order % ASKS_EVERY === 0 ? call.say("What are your opening hours?") : null;
    spoken?.catch(() => {});
    await Promise.race([call.ended, Bun.sleep(lasting(order))]);
    up--;
    return true;
  } catch (error) {
    failures.push(String(error));
    return false;
  } finally {
    await phone.close();
  }
}

/** Durations spread evenly, the same in every run. */
const lasting = (order: number) =>
  SHORTEST_MS + ((order * 7919) % 1000) * ((LONGEST_MS - SHORTEST_MS) / 1000);

async function line(index: number): Promise<void> {
  await Bun.sleep(index * STAGGER_MS);
  while (!over) {
    const went = await callOnce(callerNumber(index));
    await Bun.sleep(went ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS);
  }
}

const lines = Array.from({ length: calls }, (_, index) => line(index));
for await (const _ of console) {
  const times = setUpMs.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  const answered = times.length;
  console.log(
    JSON.stringify({ up, placed, answered, failures, setUpP50Ms: at(0.5), setUpP99Ms: at(0.99) }),
  );
  setUpMs = [];
  failures = [];
}
over = true;
await Promise.race([Promise.allSettled(lines), Bun.sleep(LONGEST_MS + 10_000)]);
process.exit(0);
