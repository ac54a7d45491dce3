/** REST shape of a split: two agent versions share the callers (A/B test). */
import { z } from "zod";
import { OPERATOR } from "../../core/author.ts";
import { wireOf } from "../../core/wire-names.ts";
import { id, operation } from "../../http/contracts/operation.ts";
import { shown, timeOrNull, timeOut } from "../../http/contracts/schema.ts";
import { type ComparedSplit, SPLIT_CALLS_MAX } from "./agent-splits.ts";
import type { Estimate } from "./split-comparison.ts";
import { presentPublished, publishedShape } from "./versions-contract.ts";

const figure = (what: string, example: number | null) =>
  shown(z.number().nullable(), what, example);

const estimate = (what: string, [value, low, high]: readonly [number, number, number]) =>
  shown(
    z.strictObject({
      value: figure("Value of the measure. `null` if nothing was measured.", value),
      low: figure(
        "Lower end of the 95 % confidence interval. `null` if there are too few calls.",
        low,
      ),
      high: figure(
        "Upper end of the 95 % confidence interval. `null` if there are too few calls.",
        high,
      ),
    }),
    what,
    { value, low, high },
  );

const SplitMeasure = z
  .strictObject({
    measure: shown(
      z.enum([
        "answered",
        "length_sec",
        "latency_p50_ms",
        "latency_p95_ms",
        "cost",
        "ended_reason",
        "result",
      ] as const),
      "Measure. `answered`, `ended_reason`, `result`: share of the calls. `length_sec`: mean length of answered calls in seconds. `cost`: mean cost in EUR. `latency_p50_ms`: median of the calls' median answer latencies. `latency_p95_ms`: 95th percentile of the calls' 95th percentiles.",
      "answered",
    ),
    name: shown(
      z.string().nullable(),
      "Counted value: for `ended_reason` the reason, for `result` the status of the call or `message_taken`. `null` for other measures.",
      null,
    ),
    published: estimate("Value for the published version.", [0.92, 0.88, 0.95]),
    tried: estimate("Value for the version under test.", [0.94, 0.9, 0.96]),
    difference: estimate(
      "Value for the version under test minus the value for the published version.",
      [0.02, -0.03, 0.06],
    ),
    noise: shown(
      z.boolean(),
      "Whether the difference may be chance, or there are too few calls. Corrected for the number of measures: if no measure differs, at most 5 of 100 comparisons contain a wrong `false`.",
      true,
    ),
  })
  .meta({ id: "AgentSplitMeasure" });

export const AgentSplitOut = z
  .strictObject({
    version: shown(z.int(), "Number of the version under test.", 2),
    published_version: shown(z.int(), "Number of the published version.", 3),
    percent: shown(z.int(), "Percentage of callers that get `version`.", 20),
    started_at: timeOut("Time when the split was opened."),
    ended_at: timeOrNull(
      "Time when the split was closed or another version was published. `null` if it is open.",
    ),
    calls: shown(
      z.strictObject({
        published: shown(z.int(), "Number of calls with the published version.", 400),
        tried: shown(z.int(), "Number of calls with the version under test.", 100),
      }),
      `Number of finished calls in the comparison: at most the newest ${SPLIT_CALLS_MAX} of both versions.`,
      { published: 400, tried: 100 },
    ),
    measures: shown(z.array(SplitMeasure), "Measures of both versions."),
  })
  .meta({ id: "AgentSplit" });

const rounded = ({ value, low, high }: Estimate) => {
  const digits = (number: number | null) => number && Number(number.toPrecision(6));
  return { value: digits(value), low: digits(low), high: digits(high) };
};

export const presentSplit = ({ published, tried, measures, ...split }: ComparedSplit) =>
  wireOf(
    AgentSplitOut,
    { ...split, version: tried, publishedVersion: published },
    {
      measures: measures.map(({ isNoise, ...measure }) => ({
        ...measure,
        published: rounded(measure.published),
        tried: rounded(measure.tried),
        difference: rounded(measure.difference),
        noise: isNoise,
      })),
    },
  );

const ofAgent = { tenant: id, agent: id };

export const splitOperations = {
  /** Returns the newest split, open or closed; null if none exists. */
  "agent.split": operation({
    input: z.strictObject(ofAgent),
    output: AgentSplitOut.nullable(),
    role: "viewer",
    async run({ agentSplits }, { tenant, agent }) {
      const split = await agentSplits.get(tenant, agent);
      return split && presentSplit(split);
    },
  }),
  "agent.split.open": operation({
    input: z.strictObject({
      ...ofAgent,
      percent: z.int().min(1).max(99).default(20),
      version: z.string().regex(/^(?:[1-9]\d{0,8}|draft)$/),
    }),
    output: AgentSplitOut.nullable(),
    role: "member",
    async run({ agentSplits }, { tenant, agent, percent, version: which }) {
      const version = which === "draft" ? which : Number(which);
      const split = await agentSplits.open(tenant, agent, { version, percent }, OPERATOR);
      return split && presentSplit(split);
    },
  }),
  "agent.split.close": operation({
    input: z.strictObject({ ...ofAgent, keep: id }),
    output: z.strictObject(publishedShape),
    role: "member",
    run: async ({ agentSplits }, { tenant, agent, keep }) =>
      presentPublished(await agentSplits.close(tenant, agent, keep, OPERATOR)),
  }),
} as const;
