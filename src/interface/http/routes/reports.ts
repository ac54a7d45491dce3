/** Analytics and usage (specification 4, decisions 8). Days and months are of the tenant's zone. */

import { z } from "zod";
import { CALL_STATUSES } from "../../../core/ended-reason.ts";
import { microToEur } from "../../../core/money.ts";
import type { Figures, Reports } from "../../../operations/admin/reports.ts";
import { eurOut, integer, okReply, shown } from "../../contracts/schema.ts";
import { contract, route } from "../contract.ts";
import type { RouteContext } from "./context.ts";
import { eur, minutesOf } from "./present.ts";

/** The percentiles cover the newest 1000 turns. */
const latencyStage = (what: string) =>
  z.strictObject({
    p50_ms: shown(z.number().nullable(), `${what} Median, newest 1000 turns.`, 20),
    p95_ms: shown(z.number().nullable(), `${what} 95th percentile.`, 60),
  });

const count = (what: string) => shown(z.int(), what, 3);
const minutes = (what: string) => shown(z.number(), what, 12.5);

const figures = {
  calls: count("Calls."),
  answered: count("Of these, answered."),
  minutes: minutes("Billable minutes."),
  cost_eur: eurOut("What the wallet paid."),
};
const dayOf = shown(z.iso.date(), "Day in the tenant's time zone.", "2026-11-21");
const agentOf = {
  agent_id: shown(z.int().nullable(), "The agent; null: none.", 1),
  name: shown(z.string().nullable(), "Its name; null: deleted or none.", "Reception"),
};

export const getAnalytics = contract({
  operationId: "getAnalytics",
  at: "GET /analytics",
  cacheable: "today",
  tag: "Reports",
  summary: "Calls of the last days",
  query: z.strictObject({
    days: integer(1, 365, "How many days, today included.", 30).default(30),
  }),
  reply: okReply({
    days: shown(z.int(), "As asked for.", 30),
    totals: z.strictObject({ ...figures, billable_seconds: count("Billable seconds.") }),
    by_day: z.array(z.strictObject({ date: dayOf, ...figures })),
    by_status: z.strictObject(
      Object.fromEntries(
        CALL_STATUSES.map((status) => [status, count(`Calls now ${status}.`)]),
      ) as Record<(typeof CALL_STATUSES)[number], z.ZodInt>,
    ),
    by_direction: z.strictObject({ inbound: count("Inbound."), outbound: count("Outbound.") }),
    by_agent: z.array(z.strictObject({ ...agentOf, ...figures })),
    by_hour: shown(
      z.array(z.int()).length(24),
      "Calls by hour of the day, 0 to 23.",
      [0, 0, 0, 0, 0, 0, 0, 0, 3, 4, 2, 1, 0, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
    latency: z.strictObject({
      p50_ms: shown(
        z.number().nullable(),
        "Median of the calls' median latencies (newest 1000 calls).",
        640,
      ),
      p95_ms: shown(
        z.number().nullable(),
        "95th percentile of the calls' 95th percentiles (newest 1000 calls).",
        1200,
      ),
      stages: z.strictObject({
        endpoint: latencyStage("The caller's last speech to the judgement that it was the last."),
        stt: latencyStage("From there to the final text."),
        llm: latencyStage("From there to the LLM's first words."),
        tts: latencyStage("From there to the first audio."),
        packet: latencyStage("From there to the first packet."),
      }),
    }),
    answer_rate: shown(z.number().nullable(), "Answered of all, 0 to 1; null: no calls.", 0.9),
    average_duration_sec: shown(
      z.number().nullable(),
      "Mean talk time of answered calls; null: none.",
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
    year: integer(2000, 2100, "Year; default: this one.", 2026).optional(),
    month: integer(1, 12, "Month; default: this one.", 11).optional(),
  }),
  reply: okReply({
    year: shown(z.int(), "Year.", 2026),
    month: shown(z.int(), "Month.", 11),
    usage: z.strictObject({
      calls: count("Calls."),
      minutes: minutes("Billable minutes."),
      billable_seconds: count("Billable seconds."),
      included_minutes_used: minutes("Plan minutes used."),
      included_minutes_left: minutes("Plan minutes left of that month."),
      overage_minutes: minutes("Minutes paid by the wallet."),
      tokens: z.strictObject({
        input: count("Tokens read by the language model."),
        cached_input: count(
          "Of these, tokens that the provider still had from an earlier request.",
        ),
        output: count("Tokens written by the language model."),
      }),
      tts_characters: count("Characters spoken."),
      stt_seconds: shown(z.number(), "Seconds of speech recognised.", 812.5),
      cost_eur: eurOut("What the wallet paid for calls."),
      cost_of_goods_eur: eurOut("What the calls cost the operator, as far as known."),
      discarded: z
        .strictObject({
          tokens: count("Tokens read and written."),
          tts_characters: count("Characters spoken."),
          stt_seconds: shown(z.number(), "Seconds of speech recognised.", 4.2),
          cost_of_goods_eur: eurOut("What this cost the operator, as far as known."),
        })
        .describe(
          "Of these, what was begun at the caller's first silence and thrown away because they went on.",
        ),
      trials: z
        .strictObject({
          minutes: minutes("Minutes of trials of that month; 10 000 tokens count as one."),
          tokens: z.strictObject({
            input: count("Tokens read by the language model."),
            output: count("Tokens written by the language model."),
          }),
          tts_characters: count("Characters spoken."),
          stt_seconds: shown(z.number(), "Seconds of speech recognised.", 42.5),
          cost_eur: eurOut("What the wallet paid."),
          cost_of_goods_eur: eurOut("What they cost the operator, as far as known."),
          minutes_today: minutes("Minutes used today."),
          free_minutes_per_day: shown(z.int(), "Free minutes per day; then the wallet pays.", 30),
        })
        .describe("Chats, browser talks and rehearsals with a paid engine. Calls are not in it."),
      by_day: z.array(z.strictObject({ date: dayOf, ...figures })),
      by_agent: z.array(z.strictObject({ ...agentOf, ...figures })),
    }),
    wallet_balance_eur: eurOut("Wallet balance now."),
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
