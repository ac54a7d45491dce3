/**
 * `bun test/support/appliance/kill-soak.ts <cycles>`: kills the compiled program under load with
 * SIGKILL at random moments and restarts it, again and again. Prints statistics and every
 * violation; exit 1 if there is one.
 *
 * LINEVOICE_APPLIANCES (1) share the cycles, each with a separate address, data, carrier and
 * callers. LINEVOICE_BINARY is the program to kill; otherwise it is built. SEED makes load and
 * moments repeatable, as far as a real machine allows. `starved` counts repeated starts: the first
 * attempt failed because the machine had no CPU time for it.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seededRandom } from "../../../src/core/random.ts";
import type { IncomingCall } from "../media/phone/incoming-call.ts";
import { tempDir } from "../temp-dir.ts";
import { type Killable, killable, OWN_NUMBER } from "./killable.ts";
import { StartFailed } from "./served-process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CHECK_EVERY = 10;
const CALLERS = 4;
const OUTBOUND_A_CYCLE = 4;
/** More than the soak can use: calls rejected for lack of money would test nothing. */
const MINUTES = 1_000_000;
/** Share of transferred outbound calls. Each goes to a different number. */
const HANDED_OVER = 0.6;
/** Share of cycles long enough for a transferred call to be connected when the program dies. */
const LONG_CYCLES = 0.2;
/** A failed start that waited this long for a CPU is not a failure of the program. */
const STARVED_MS = 8_000;
const STARVED_MAX = 10;

/** Copies the program, so that a build during the soak does not change it. */
async function program(): Promise<string> {
  const given = process.env.LINEVOICE_BINARY;
  if (given !== undefined) return given;
  const build = Bun.spawn([process.execPath, "scripts/build.ts", "--if-changed"], {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  if ((await build.exited) !== 0) throw new Error("The program was not built.");
  const copy = join(tempDir(), "linevoice");
  copyFileSync(join(ROOT, "dist/linevoice"), copy);
  return copy;
}

const isStarved = (error: unknown): error is StartFailed =>
  error instanceof StartFailed && error.waitedMs >= STARVED_MS;

/** Starts an appliance with its carrier, phones and servers. */
async function arrange(binary: string, index: number): Promise<Killable> {
  const host = `127.0.8.${92 + index}`;
  for (let tries = 1; ; tries++)
    try {
      return await killable({
        dir: tempDir(),
        host,
        rtpPorts: "24000-24399",
        concurrentCallsMax: 20,
        binary,
        includedMinutes: MINUTES,
      });
    } catch (error) {
      if (!isStarved(error) || tries === STARVED_MAX) throw error;
    }
}

/** Runs one appliance's cycles; resolves with the number of violations. */
async function soak(binary: string, index: number, cycles: number, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const between = (low: number, high: number) =>
    low + Math.floor(random.float() * (high - low + 1));
  const chance = (share: number) => random.float() < share;
  const say = (what: string) => console.log(`[${index}] ${what}`);
  const counts = {
    cycles: 0,
    inbound: 0,
    outbound: 0,
    answered: 0,
    handedOver: 0,
    checks: 0,
    starved: 0,
  };
  const violations: string[] = [];
  let slowest = 0;
  let isDown = false;

  const world = await arrange(binary, index);
  world.write("UPDATE tenants SET calls_per_minute_max = 100000");

  /**
   * One subscriber with a separate number for every call, so that a second call to a number is an
   * error.
   */
  const numbersFrom = (first: number) =>
    Array.from({ length: cycles * OUTBOUND_A_CYCLE }, (_, n) => `+3706${String(first + n)}`);
  const numbers = numbersFrom(1_000_000);
  const desks = numbersFrom(3_000_000);
  const callee = await world.phone("+37069999999", [...numbers, ...desks]);
  callee.onCall((call) => void behave(call).catch(() => undefined));

  async function behave(call: IncomingCall): Promise<void> {
    call.answered.catch(() => undefined);
    call.rang.catch(() => undefined);
    await Bun.sleep(between(0, 200));
    if (chance(0.15)) return call.reject(486);
    call.ring();
    await Bun.sleep(between(0, 400));
    if (chance(0.15)) return; // rings until one side gives up
    counts.answered++;
    await call.answer();
    await Bun.sleep(between(100, chance(HANDED_OVER) ? 6_000 : 2_500));
    await call.hangUp();
  }

  async function caller(number: string): Promise<void> {
    const phone = await world.phone(number);
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
        await Bun.sleep(100); // rejected, or the appliance is down
      }
    }
  }

  async function ask(number: string, desk: string): Promise<void> {
    const schedule_at = chance(0.3)
      ? new Date(Date.now() + between(300, 4_000)).toISOString()
      : undefined;
    counts.outbound++;
    const call = { to_number: number, agent_id: world.agentId, schedule_at };
    const asked = await world.api("POST", "/calls", call).catch(() => undefined);
    if (asked && schedule_at === undefined && chance(HANDED_OVER))
      void handOver(asked.body.call_uuid, desk).catch(() => undefined);
  }

  /** Transfers the call as soon as it is answered; does nothing if the program dies first. */
  async function handOver(uuid: string, desk: string): Promise<void> {
    while (!isDown) {
      await Bun.sleep(100);
      const { status } = await world.api("POST", `/calls/${uuid}/transfer`, { to: desk });
      if (status === 404) return;
      if (status !== 200) continue;
      counts.handedOver++;
      return;
    }
  }

  /** Repeats the start if the machine had no CPU time for it, as a supervisor would. */
  async function startAgain(error: unknown): Promise<void> {
    for (let tries = 0; tries < STARVED_MAX; tries++) {
      await world.kill();
      if (!isStarved(error)) break;
      counts.starved++;
      try {
        await world.start();
        return;
      } catch (next) {
        error = next;
      }
    }
    violations.push(String(error));
    say(`${error}\n${(await Bun.file(`${world.dir}/serve.log`).text()).slice(-2_000)}`);
    await world.start();
  }

  async function killAndStart(): Promise<void> {
    await world.kill();
    try {
      const { registeredMs } = await world.start();
      slowest = Math.max(slowest, registeredMs);
    } catch (error) {
      await startAgain(error);
    }
  }

  /** Checks while the load is paused; scheduled calls still start and end. */
  async function check(cycle: number): Promise<void> {
    await Bun.sleep(4_000);
    // Registrations expire after five minutes; without them nobody would answer.
    await callee.register().catch((error) => say(`the callee did not register again: ${error}`));
    for (const call of callee.calls)
      if (call.state !== "ended") void call.hangUp().catch(() => undefined);
    const found = await world.violations();
    counts.checks++;
    violations.push(...found);
    const at = new Date().toISOString().slice(11, 19);
    say(`${at} cycle ${cycle + 1}: ${found.length} violations, ${JSON.stringify(counts)}`);
    for (const what of found) say(`  ${what}`);
  }

  const callers = Array.from({ length: CALLERS }, (_, n) => caller(`+3706888800${n}`));
  for (let cycle = 0; cycle < cycles; cycle++) {
    const load = Array.from({ length: OUTBOUND_A_CYCLE }, async (_, n) => {
      await Bun.sleep(between(0, 1_500));
      const place = cycle * OUTBOUND_A_CYCLE + n;
      if (!isDown) await ask(numbers[place] ?? "", desks[place] ?? "");
    });
    await Bun.sleep(chance(LONG_CYCLES) ? between(2_500, 6_000) : between(50, 2_500));
    isDown = true;
    await killAndStart();
    await Promise.all(load);
    counts.cycles = cycle + 1;
    if ((cycle + 1) % CHECK_EVERY === 0 || cycle === cycles - 1) await check(cycle);
    isDown = false;
  }
  await Promise.race([Promise.all(callers), Bun.sleep(10_000)]);
  const ends = world.rows(
    "SELECT ended_reason, count(*) AS calls FROM calls GROUP BY 1 ORDER BY 2 DESC",
  );
  await world.close();
  say(JSON.stringify({ seed, ...counts, slowest_registration_ms: Math.round(slowest), ends }));
  return violations.length;
}

/**
 * Starts this program again for one appliance, so that each has a separate thread for its callers.
 */
async function another(binary: string, index: number, cycles: number, seed: number) {
  const child = Bun.spawn([process.execPath, import.meta.path, String(cycles)], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    env: {
      ...process.env,
      LINEVOICE_BINARY: binary,
      LINEVOICE_APPLIANCE: String(index),
      SEED: String(seed),
    },
  });
  return await child.exited;
}

const cycles = Number(process.argv[2] ?? 50);
const seed = Number(process.env.SEED ?? 1);
const index = process.env.LINEVOICE_APPLIANCE;
const appliances = Number(process.env.LINEVOICE_APPLIANCES ?? 1);
const binary = await program();
if (index !== undefined || appliances === 1) {
  const violations = await soak(binary, Number(index ?? 0), cycles, seed);
  console.log(`${cycles} cycles of kill −9, ${violations} violations`);
  process.exit(violations === 0 ? 0 : 1);
}
const exits = await Promise.all(
  Array.from({ length: appliances }, (_, n) =>
    another(binary, n, Math.ceil(cycles / appliances), seed + n),
  ),
);
const failed = exits.filter((status) => status !== 0).length;
console.log(
  `${cycles} cycles of kill −9 over ${appliances} appliances: ${failed} found violations`,
);
process.exit(failed === 0 ? 0 : 1);
