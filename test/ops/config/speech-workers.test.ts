/** `[engine.embedded] speech_workers`, from the configuration to the number of threads. */
import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { callWorkersOf, talkersMaxOf } from "../../../src/ops/config/engine-settings.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";

/** Nine pairs of ports. */
const rtp = { ports: "21900-21919" };
const configOf = (speech_workers: number) =>
  configSchema.safeParse({ rtp, engine: { embedded: { speech_workers } } });

test.each([
  [-1, false],
  [0, true],
  [64, true],
  [65, false],
])("%d speech workers are allowed: %p", (workers, allowed) => {
  expect(configOf(workers).success).toBe(allowed);
});

test.each([
  [0, Math.min(9, Math.max(1, availableParallelism() - 1))],
  [1, 1],
  [8, 8],
  [9, 9],
  [10, 9],
  [64, 9],
])("of %d speech workers %d run, each for four speakers", (workers, running) => {
  const config = configSchema.parse({ rtp, engine: { embedded: { speech_workers: workers } } });
  expect([callWorkersOf(config), talkersMaxOf(config)]).toEqual([running, 4 * running]);
});
