/** A split of an agent's callers between two versions, as REST shows it. */
import { z } from "zod";
import { OPERATOR } from "../../core/author.ts";
import { wireOf } from "../../core/wire-names.ts";
import type { Estimate } from "../../domain/agent/split-comparison.ts";
import { type ComparedSplit, SPLIT_CALLS_MAX } from "../../operations/admin/agent-splits.ts";
import { presentPublished, publishedShape } from "./agent-versions.ts";
import { id, operation } from "./operation.ts";
import { shown, timeOrNull, timeOut } from "./schema.ts";

const figure = (what: string, example: number | null) =>
  shown(z.number().nullable(), what, example);

const estimate = (what: string, [value, low, high]: readonly [number, number, number]) =>
  shown(
    z.strictObject({
      value: figure("Null: nothing was measured.", value),
      low: figure("Lower end of the 95 % interval; null: too few calls to tell.", low),
      high: figure("Upper end.", high),
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
      "`answered`, `ended_reason`, `result`: share of the calls. `length_sec`: mean of the answered calls. `cost`: mean, EUR. `latency_p50_ms`, `latency_p95_ms`: median of the calls' median answer latencies, 95th percentile of their 95th percentiles.",
      "answered",
    ),
    name: shown(
      z.string().nullable(),
      "The end reason; of a result the call's status or `message_taken`; otherwise null.",
      null,
    ),
    published: estimate("Of the published version.", [0.92, 0.88, 0.95]),
    tried: estimate("Of the version beside it.", [0.94, 0.9, 0.96]),
    difference: estimate("How much higher it is with the version beside it.", [0.02, -0.03, 0.06]),
    noise: shown(
      z.boolean(),
      "Whether the difference may be chance, or there are too few calls to tell. Judged for all measures together: where none differs, one is wrongly false in at most 5 of 100 comparisons.",
      true,
    ),
  })
  .meta({ id: "AgentSplitMeasure" });

export const AgentSplitOut = z
  .strictObject({
    version: shown(z.int(), "The version beside the published one.", 2),
    published_version: shown(z.int(), "The version that was published when it was opened.", 3),
    percent: shown(z.int(), "How many of a hundred callers get `version`.", 20),
    started_at: timeOut("When it was opened."),
    ended_at: timeOrNull("When it was closed, or another version was published. Null: it is open."),
    calls: shown(
      z.strictObject({
        published: shown(z.int(), "Of the published version.", 400),
        tried: shown(z.int(), "Of `version`.", 100),
      }),
      `Calls that are over and are compared: the newest ${SPLIT_CALLS_MAX} of both.`,
      { published: 400, tried: 100 },
    ),
    measures: shown(z.array(SplitMeasure), "The comparison."),
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
  /** The newest one, open or closed; null: there was none. */
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
