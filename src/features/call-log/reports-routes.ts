/** Analytics and usage (specification 4, decisions 8). Days and months are in the tenant's time zone. */

import { z } from "zod";
import { CALL_STATUSES } from "../../core/ended-reason.ts";
import { microToEur } from "../../core/money.ts";
import { contract, route } from "../../http/contract.ts";
import { eurOut, integer, okReply, shown } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { eur, minutesOf } from "../../http/route-present.ts";
import type { Figures, Reports } from "./reports.ts";

/** The percentiles cover the newest 1000 turns. */
const latencyStage = (what: string) =>
  z.strictObject({
    p50_ms: shown(z.number().nullable(), `${what} Median, newest 1000 turns.`, 20),
    p95_ms: shown(z.number().nullable(), `${what} 95th percentile.`, 60),
  });

const count = (what: string) => shown(z.int(), what, 3);
const minutes = (what: string) => shown(z.number(), what, 12.5);

const figures = {
  calls: count("Number of calls."),
  answered: count("Number of answered calls."),
  minutes: minutes("Billable minutes, rounded to 0.01."),
  cost_eur: eurOut("Amount charged to the wallet."),
};
const dayOf = shown(z.iso.date(), "Day in the tenant's time zone, `YYYY-MM-DD`.", "2026-11-21");
const agentOf = {
  agent_id: shown(z.int().nullable(), "Id of the agent. `null` if no agent was assigned.", 1),
  name: shown(
    z.string().nullable(),
    "Name of the agent. `null` if it was deleted or none was assigned.",
    "Reception",
  ),
};

export const getAnalytics = contract({
  operationId: "getAnalytics",
  at: "GET /analytics",
  cacheable: "today",
  tag: "Reports",
  summary: "Statistics of the last days",
  query: z.strictObject({
    days: integer(1, 365, "Number of days, including today.", 30).default(30),
  }),
  reply: okReply({
    days: shown(z.int(), "Number of days in the report.", 30),
    totals: z.strictObject({ ...figures, billable_seconds: count("Number of billable seconds.") }),
    by_day: z.array(z.strictObject({ date: dayOf, ...figures })),
    by_status: z.strictObject(
      Object.fromEntries(
        CALL_STATUSES.map((status) => [status, count(`Calls now ${status}.`)]),
      ) as Record<(typeof CALL_STATUSES)[number], z.ZodInt>,
    ),
    by_direction: z.strictObject({
      inbound: count("Number of inbound calls."),
      outbound: count("Number of outbound calls."),
    }),
    by_agent: z.array(z.strictObject({ ...agentOf, ...figures })),
    by_hour: shown(
      z.array(z.int()).length(24),
      "Number of calls per hour of the day, 24 values from hour 0 to 23.",
      [0, 0, 0, 0, 0, 0, 0, 0, 3, 4, 2, 1, 0, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
    latency: z.strictObject({
      p50_ms: shown(
        z.number().nullable(),
        "Median of the calls' median answer latencies in ms, from the newest 1000 calls. `null` if nothing was measured.",
        640,
      ),
      p95_ms: shown(
        z.number().nullable(),
        "95th percentile of the calls' 95th percentile latencies in ms, from the newest 1000 calls. `null` if nothing was measured.",
        1200,
      ),
      stages: z.strictObject({
        endpoint: latencyStage(
          "Time from the end of the caller's speech until the end of the turn is detected, ms. `null` if nothing was measured.",
        ),
        stt: latencyStage(
          "Time from the end of the turn to the final transcription, ms. `null` if nothing was measured.",
        ),
        llm: latencyStage(
          "Time from the final transcription to the first words of the language model, ms. `null` if nothing was measured.",
        ),
        tts: latencyStage(
          "Time from the first words of the language model to the first audio, ms. `null` if nothing was measured.",
        ),
        packet: latencyStage(
          "Time from the first audio to the first RTP packet, ms. `null` if nothing was measured.",
        ),
      }),
    }),
    answer_rate: shown(
      z.number().nullable(),
      "Share of answered calls, 0 to 1. `null` if there were no calls.",
      0.9,
    ),
    average_duration_sec: shown(
      z.number().nullable(),
      "Mean duration of answered calls in seconds. `null` if no call was answered.",
      63.4,
    ),
  }),
  errors: ["valid_days_required"],
});

export const getUsage = contract({
  operationId: "getUsage",
  at: "GET /usage",
  cacheable: "today",
  tag: "Reports",
  summary: "Minutes, tokens and costs of a month",
  query: z.strictObject({
    year: integer(2000, 2100, "Calendar year. Default: the current year.", 2026).optional(),
    month: integer(1, 12, "Calendar month, 1 to 12. Default: the current month.", 11).optional(),
  }),
  reply: okReply({
    year: shown(z.int(), "Calendar year.", 2026),
    month: shown(z.int(), "Calendar month, 1 to 12.", 11),
    usage: z.strictObject({
      calls: count("Number of calls."),
      minutes: minutes("Billable minutes, rounded to 0.01."),
      billable_seconds: count("Number of billable seconds."),
      included_minutes_used: minutes("Plan minutes used in the month."),
      included_minutes_left: minutes("Plan minutes left in the month."),
      overage_minutes: minutes("Minutes charged to the wallet."),
      tokens: z.strictObject({
        input: count("Number of input tokens of the language model."),
        cached_input: count("Number of input tokens that the provider read from its cache."),
        output: count("Number of output tokens of the language model."),
      }),
      tts_characters: count("Number of characters sent to text to speech."),
      stt_seconds: shown(z.number(), "Seconds of audio sent to speech to text.", 812.5),
      cost_eur: eurOut("Amount charged to the wallet for calls."),
      cost_of_goods_eur: eurOut("Known cost of the calls for the operator."),
      discarded: z
        .strictObject({
          tokens: count("Number of input and output tokens."),
          tts_characters: count("Number of characters sent to text to speech."),
          stt_seconds: shown(z.number(), "Seconds of audio sent to speech to text.", 4.2),
          cost_of_goods_eur: eurOut("Known cost of this usage for the operator."),
        })
        .describe(
          "Usage for early answers, discarded because the caller continued to speak. Included in the values above.",
        ),
      trials: z
        .strictObject({
          minutes: minutes("Trial minutes in the month. 10,000 tokens count as one minute."),
          tokens: z.strictObject({
            input: count("Number of input tokens of the language model."),
            output: count("Number of output tokens of the language model."),
          }),
          tts_characters: count("Number of characters sent to text to speech."),
          stt_seconds: shown(z.number(), "Seconds of audio sent to speech to text.", 42.5),
          cost_eur: eurOut("Amount charged to the wallet."),
          cost_of_goods_eur: eurOut("Known cost of the trials for the operator."),
          minutes_today: minutes("Trial minutes used today."),
          free_minutes_per_day: shown(
            z.int(),
            "Free trial minutes per day. Further minutes are charged to the wallet.",
            30,
          ),
        })
        .describe(
          "Usage of trials with a paid engine: chats, browser calls and rehearsals. Phone calls are not included.",
        ),
      by_day: z.array(z.strictObject({ date: dayOf, ...figures })),
      by_agent: z.array(z.strictObject({ ...agentOf, ...figures })),
    }),
    wallet_balance_eur: eurOut("Current wallet balance."),
  }),
  errors: ["valid_year_required", "valid_month_required"],
});

type Usage = Awaited<ReturnType<Reports["usage"]>>;

const present = (figures: Figures) => ({
  calls: figures.calls,
  answered: figures.answered,
  minutes: minutesOf(figures.billableSeconds),
  cost_eur: eur(figures.cost),
});

const presentDay = (day: Figures & { readonly date: string }) => ({
  date: day.date,
  ...present(day),
});

const presentAgent = (
  row: Figures & { readonly agentId: number; readonly name: string | null },
) => ({
  agent_id: row.agentId === 0 ? null : row.agentId,
  name: row.name,
  ...present(row),
});

const presentTrials = (trials: Usage["trials"]) => ({
  minutes: minutesOf(trials.seconds),
  tokens: { input: trials.llmInputTokens, output: trials.llmOutputTokens },
  tts_characters: trials.ttsCharacters,
  stt_seconds: round(trials.sttSeconds, 3),
  cost_eur: eur(trials.charged),
  cost_of_goods_eur: eur(trials.costOfGoods),
  minutes_today: minutesOf(trials.secondsToday),
  free_minutes_per_day: trials.freeMinutes,
});

interface Stage {
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

const presentStage = ({ p50Ms, p95Ms }: Stage) => ({ p50_ms: p50Ms, p95_ms: p95Ms });

const presentStages = <Name extends string>(stages: Readonly<Record<Name, Stage>>) =>
  Object.fromEntries(
    Object.entries<Stage>(stages).map(([name, stage]) => [name, presentStage(stage)]),
  ) as Record<Name, ReturnType<typeof presentStage>>;

const round = (value: number, digits: number) => Number(value.toFixed(digits));

export const reportRoutes = ({ dependencies: { services } }: RouteContext) => [
  route(getAnalytics)(async ({ tenantId, query: { days } }) => {
    const { totals, stages, ...report } = await services.reports.analytics(tenantId, days);
    const { calls, answered, billableSeconds } = totals;
    return {
      ok: true,
      days,
      totals: { ...present(totals), billable_seconds: billableSeconds },
      by_day: report.byDay.map(presentDay),
      by_status: report.byStatus,
      by_direction: { inbound: report.inbound, outbound: report.outbound },
      by_agent: report.byAgent.map(presentAgent),
      by_hour: report.byHour,
      latency: {
        ...presentStage(report),
        stages: presentStages(stages),
      },
      answer_rate: calls === 0 ? null : round(answered / calls, 4),
      average_duration_sec: answered === 0 ? null : round(report.answeredMs / 1000 / answered, 1),
    };
  }),
  route(getUsage)(async ({ tenantId, query }) => {
    const { year, month, totals, ...used } = await services.reports.usage(tenantId, query);
    return {
      ok: true,
      year,
      month,
      usage: {
        calls: totals.calls,
        minutes: minutesOf(totals.billableSeconds),
        billable_seconds: totals.billableSeconds,
        included_minutes_used: minutesOf(used.includedSecondsUsed),
        included_minutes_left: minutesOf(used.includedSecondsLeft),
        overage_minutes: minutesOf(used.overageSeconds),
        tokens: {
          input: used.llmInputTokens,
          cached_input: used.llmCachedInputTokens,
          output: used.llmOutputTokens,
        },
        tts_characters: used.ttsCharacters,
        stt_seconds: round(used.sttSeconds, 3),
        cost_eur: eur(totals.cost),
        cost_of_goods_eur: eur(used.costOfGoods),
        discarded: {
          tokens: used.discarded.tokens,
          tts_characters: used.discarded.characters,
          stt_seconds: round(used.discarded.sttSeconds, 3),
          cost_of_goods_eur: eur(used.discarded.cost),
        },
        trials: presentTrials(used.trials),
        by_day: used.byDay.map(presentDay),
        by_agent: used.byAgent.map(presentAgent),
      },
      wallet_balance_eur: microToEur(used.balance),
    };
  }),
];
