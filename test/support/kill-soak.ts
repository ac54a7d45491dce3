/**
 * `bun test/support/kill-soak.ts <cycles>`: the real program under load, killed with SIGKILL at a random
 * moment and started again, over and over. Prints what it did and every violation; exit 1 when there
 * is one. SEED makes the load and the moments repeatable, as far as a real machine is.
 */
import { seededRandom } from "../../src/core/random.ts";
import type { IncomingCall } from "../../src/demo/phone/incoming-call.ts";
import { type Killable, killable, OWN_NUMBER } from "./killable.ts";
import { tempDir } from "./temp-dir.ts";

const cycles = Number(process.argv[2] ?? 50);
const seed = Number(process.env.SEED ?? 1);
const random = seededRandom(seed);
const between = (low: number, high: number) => low + Math.floor(random.float() * (high - low + 1));
const chance = (share: number) => random.float() < share;

const HOST = "127.0.8.92";
const CHECK_EVERY = 10;
const CALLERS = 4;
const OUTBOUND_A_CYCLE = 4;

const counts = { cycles: 0, inbound: 0, outbound: 0, answered: 0, checks: 0 };
const violations: string[] = [];
let slowest = 0;
let isDown = false;

const world: Killable = await killable({
  ...{ dir: tempDir(), host: HOST, rtpPorts: "24000-24399", concurrentCallsMax: 20 },
});
world.write("UPDATE tenants SET calls_per_minute_max = 100000");
world.write("UPDATE wallets SET balance = balance");

/** One subscriber with a number for every call: whoever is dialled twice is dialled twice wrongly. */
const numbers = Array.from(
  { length: cycles * OUTBOUND_A_CYCLE },
  (_, n) => `+3706${String(1_000_000 + n)}`,
);
const callee = await world.phone("+37069999999", numbers);
callee.onCall((call) => void behave(call).catch(() => undefined));

async function behave(call: IncomingCall): Promise<void> {
  call.answered.catch(() => undefined);
  call.rang.catch(() => undefined);
  await Bun.sleep(between(0, 200));
  if (chance(0.15)) return call.reject(486);
  call.ring();
  await Bun.sleep(between(0, 400));
  if (chance(0.15)) return; // rings until somebody gives up
  counts.answered++;
  await call.answer();
  await Bun.sleep(between(100, 2_500));
  await call.hangUp();
}

async function caller(index: number): Promise<void> {
  const phone = await world.phone(`+3706888800${index}`);
  while (counts.cycles < cycles) {
    if (isDown) {
      await Bun.sleep(50);
      continue;
    }
    counts.inbound++;
    try {
      const call = await phone.call(OWN_NUMBER);
      call.rang.catch(() => undefined);
      await Promise.race([call.answered, Bun.sleep(3_000)]);
      await Bun.sleep(between(50, 2_500));
      await Promise.race([call.hangUp(), Bun.sleep(2_000)]);
    } catch {
      await Bun.sleep(100); // refused, or nobody there
    }
  }
}

async function ask(number: string): Promise<void> {
  const schedule_at = chance(0.3)
    ? new Date(Date.now() + between(300, 4_000)).toISOString()
    : undefined;
  counts.outbound++;
  await world
    .api("POST", "/calls", { to_number: number, agent_id: world.agentId, schedule_at })
    .catch(() => undefined);
}

const callers = Array.from({ length: CALLERS }, (_, index) => caller(index));
for (let cycle = 0; cycle < cycles; cycle++) {
  const load = Array.from({ length: OUTBOUND_A_CYCLE }, async (_, n) => {
    await Bun.sleep(between(0, 1_500));
    if (!isDown) await ask(numbers[cycle * OUTBOUND_A_CYCLE + n] ?? "");
  });
  await Bun.sleep(between(50, 2_500));
  isDown = true;
  await world.kill();
  try {
    const { registeredMs } = await world.start();
    slowest = Math.max(slowest, registeredMs);
  } catch (error) {
    violations.push(`cycle ${cycle}: ${error}`);
    console.log(`cycle ${cycle + 1}: ${error}`);
    console.log((await Bun.file(`${world.dir}/serve.log`).text()).slice(-2_000));
    await world.kill();
    await world.start();
  }
  await Promise.all(load);
  counts.cycles = cycle + 1;
  if ((cycle + 1) % CHECK_EVERY === 0 || cycle === cycles - 1) {
    // The load rests; scheduled calls still go out and end.
    await Bun.sleep(4_000);
    for (const call of callee.calls)
      if (call.state !== "ended") void call.hangUp().catch(() => undefined);
    const found = await world.violations();
    counts.checks++;
    violations.push(...found.map((what) => `cycle ${cycle}: ${what}`));
    console.log(`cycle ${cycle + 1}: ${found.length} violations, ${JSON.stringify(counts)}`);
    for (const what of found) console.log(`  ${what}`);
  }
  isDown = false;
}
await Promise.race([Promise.all(callers), Bun.sleep(10_000)]);
const ends = world.rows(
  "SELECT ended_reason, count(*) AS calls FROM calls GROUP BY 1 ORDER BY 2 DESC",
);
await world.close();
console.log(
  JSON.stringify({ seed, ...counts, slowest_registration_ms: Math.round(slowest), ends }),
);
console.log(`${counts.cycles} cycles of kill −9, ${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);
