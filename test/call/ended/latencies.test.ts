/** The two latency values of a call. */
import { expect, test } from "bun:test";
import { latenciesOf } from "../../../src/call/ended/latencies.ts";

const of = (...values: (number | null)[]) =>
  latenciesOf(values.map((latencyMs) => ({ latencyMs })));

test("median and 95th percentile of a hundred are measured values, in whatever order", () => {
  const hundred = Array.from({ length: 100 }, (_, at) => ((at * 37) % 100) + 1);
  expect(of(...hundred)).toEqual({ latencyP50Ms: 50, latencyP95Ms: 95 });
  expect(of(900, 5, 70)).toEqual({ latencyP50Ms: 70, latencyP95Ms: 900 });
  expect(of(null, 600, null)).toEqual({ latencyP50Ms: 600, latencyP95Ms: 600 });
  expect(of(null)).toEqual({ latencyP50Ms: null, latencyP95Ms: null });
});
