/**
 * Lives of the appliance from random seeds. After every step money is consistent, holds belong to live calls, each
 * call has one end, nothing is dialled twice, no port leaks. At the end every event and every mail has been sent
 * and no recording is left. `SEED=n` replays one; LINEVOICE_SEEDS is their number (100; `npm run soak` runs
 * 20,000) and LINEVOICE_STEPS their length. A life uses no real time, so that it is the same on a busy machine;
 * 100 take 9 s of processor time.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createSimulator } from "../support/simulation/simulation.ts";

const SEEDS = Number(process.env.LINEVOICE_SEEDS ?? 100);
/** Short lives in CI; long ones in the soak. */
const STEPS = Number(process.env.LINEVOICE_STEPS ?? 20);
const ONE = process.env.SEED === undefined ? null : Number(process.env.SEED);
const FIRST = Number(process.env.LINEVOICE_FIRST_SEED ?? 1);

/** A soak reports its progress. */
const TOLD_EVERY = 250;

setDefaultTimeout(60_000);

const simulator = await createSimulator();
afterAll(() => simulator.close());

test("a seed is one life: replayed, it takes the same steps to the same rows", async () => {
  for (const seed of [3, 17, 40, 77]) {
    const first = await simulator.run(seed, STEPS);
    expect(first.rows).not.toBe("");
    expect(await simulator.run(seed, STEPS)).toEqual(first);
  }
});

test(
  `${ONE === null ? `${SEEDS} lives` : `life ${ONE}`}: whatever happens, nothing is lost and nothing happens twice`,
  async () => {
    const counts: Record<string, number> = {};
    const seeds = ONE === null ? Array.from({ length: SEEDS }, (_, n) => FIRST + n) : [ONE];
    for (const [index, seed] of seeds.entries()) {
      if (process.env.LINEVOICE_SEEDS && index > 0 && index % TOLD_EVERY === 0)
        console.error(`${index} lives without a violation`);
      const outcome = await simulator.run(seed, STEPS);
      for (const [what, count] of Object.entries(outcome.counts))
        counts[what] = (counts[what] ?? 0) + count;
      if (outcome.violations.length === 0) continue;
      const story = outcome.steps.map((step, index) => `${index + 1}. ${step}`).join("\n");
      const replay = `Replay with SEED=${seed} LINEVOICE_STEPS=${STEPS} bun test test/property/simulation.test.ts`;
      throw new Error(`${story}\n${outcome.violations.join("\n")}\n${replay}`);
    }
    if (ONE !== null || process.env.LINEVOICE_SEEDS) console.error(counts);
    if (ONE === null && SEEDS >= 100)
      for (const what of ["crash", "disk", "clock", "call: interrupted", "call: caller_hangup"])
        expect([what, (counts[what] ?? 0) > 0]).toEqual([what, true]);
  },
  Math.max(300_000, SEEDS * 2_000),
);
