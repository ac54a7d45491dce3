/** The home page and live calls. */

import { z } from "zod";
import { CALL_STATUSES } from "../../core/ended-reason.ts";
import { contract, type Route, route } from "../../http/contract.ts";
import { eurOut, okReply, shown, timeOrNull, timeOut } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { eur, minutesOf } from "../../http/route-present.ts";
import { PROBLEM_CODES, problemsOf } from "../appliance/problems-contract.ts";
import {
  STATUS_CODES,
  type StatusIndicator as Status,
  statusesOf,
} from "../appliance/status-routes.ts";
import { presentTrunk } from "../trunk/contract.ts";
import { presentLive } from "./present-live.ts";
import { FoundCallItem, presentFound } from "./search-routes.ts";

const values = shown(
  z.record(z.string(), z.union([z.string(), z.number()])),
  "Values in the sentence.",
  { server: "sip.example.com" },
);

const StatusIndicator = z
  .strictObject({
    state: shown(z.enum(["ok", "warning", "failed", "unknown"]), "State.", "ok"),
    code: shown(z.enum(STATUS_CODES), "Code of the sentence, for translation.", "trunk_registered"),
    values,
    sentence: shown(z.string(), "Description of the state in English.", "Registered."),
    remedy: shown(z.string().nullable(), "Advice. `null` if nothing needs to be done.", null),
  })
  .meta({ id: "StatusIndicator" });

const optionalMs = (what: string) => shown(z.number().nullable(), what, 640);

const HomeDay = z
  .strictObject({
    date: shown(z.iso.date(), "Day in the tenant's time zone.", "2026-11-21"),
    calls: shown(z.int(), "Number of calls.", 3),
    answered: shown(z.int(), "Number of answered calls.", 2),
    minutes: shown(z.number(), "Billable minutes.", 12.5),
    cost_eur: eurOut("Amount charged to the wallet."),
    p95_ms: optionalMs("95th percentile of the answer latencies in ms."),
  })
  .meta({ id: "HomeDay" });

export const getHome = contract({
  operationId: "getHome",
  at: "GET /home",
  tag: "Home",
  summary: "Overview: state, money, recent calls and problems",
  reply: okReply({
    statuses: z.strictObject({
      trunk: StatusIndicator,
      engine: StatusIndicator,
      disk: StatusIndicator,
      backup: StatusIndicator,
      mail: StatusIndicator,
    }),
    live_calls: shown(z.int(), "Number of live calls.", 0),
    today: z.strictObject({
      calls: shown(z.int(), "Number of calls since midnight in the tenant's time zone.", 3),
      minutes: shown(z.number(), "Billable minutes.", 12.5),
      cost_eur: eurOut("Amount charged to the wallet."),
    }),
    week: z.strictObject({
      days: shown(z.array(HomeDay), "Last seven days, ending with today.", []),
      before: shown(z.array(HomeDay), "The seven days before them.", []),
      missed: shown(
        z.int(),
        "Number of missed calls in the last seven days: GET /calls with the status `missed`.",
        2,
      ),
    }),
    money: z.strictObject({
      plan: shown(z.string(), "Name of the plan.", "Start"),
      included_minutes_left: shown(z.number(), "Plan minutes left this month.", 42.5),
      balance_eur: eurOut("Wallet balance."),
    }),
    last_calls: z.array(FoundCallItem),
    latency: z.strictObject({
      p50_ms: optionalMs("Median answer latency of the last 24 hours in ms."),
      p90_ms: optionalMs("90th percentile of the answer latency of the last 24 hours in ms."),
    }),
    problems: z.array(
      z.strictObject({
        code: shown(
          z.enum([...STATUS_CODES, ...PROBLEM_CODES]),
          "Code of the sentence, for translation.",
          "trunk_failed",
        ),
        values,
        sentence: shown(
          z.string(),
          "Description of the problem in English.",
          "The trunk is not registered.",
        ),
        remedy: shown(z.string(), "Advice.", "Check the password."),
        href: shown(
          z.string().nullable(),
          "Page of the dashboard where it can be fixed. `null` if there is none.",
          "/app/trunk",
        ),
      }),
    ),
    checklist: z.array(
      z.strictObject({
        id: shown(
          z.enum(["agent", "knowledge", "talk", "trunk", "number", "first_call"]),
          "Setup step before the first call.",
          "agent",
        ),
        done: shown(z.boolean(), "Whether the step is done.", false),
        href: shown(z.string(), "Page of the dashboard for the step.", "/app/agents"),
      }),
    ),
  }),
});

export const LiveTurn = z
  .strictObject({
    index: shown(z.int(), "Number of the turn, from 0, in order of their start.", 0),
    speaker: shown(z.enum(["agent", "customer"]), "Speaker.", "agent"),
    text: shown(z.string(), "Text so far.", "Hello!"),
    start_ms: shown(z.int(), "Time since the answer in ms.", 0),
    end_ms: shown(z.int(), "Time since the answer in ms.", 1800),
    interrupted: shown(z.boolean(), "Whether the other side interrupted.", false),
    latency_ms: shown(
      z.int().nullable(),
      "Answer latency in ms. `null` for turns of the caller.",
      640,
    ),
  })
  .meta({ id: "LiveTurn" });

export const LiveCall = z
  .strictObject({
    call_uuid: shown(z.uuid(), "UUID of the call.", "019aa1b2-0000-7000-8000-000000000001"),
    direction: shown(z.enum(["inbound", "outbound"]), "Direction of the call.", "inbound"),
    from_number: shown(
      z.string().nullable(),
      "Number of the caller. `null` if withheld.",
      "+37060000001",
    ),
    to_number: shown(z.string(), "Called number.", "+37060000002"),
    agent_id: shown(z.int().nullable(), "Id of the agent. `null` if there is none.", 1),
    agent_name: shown(z.string().nullable(), "Its name.", "Reception"),
    status: shown(z.enum(CALL_STATUSES), "State.", "in_progress"),
    started_at: timeOut("Start of the call."),
    answered_at: timeOrNull("Time of the answer. `null` if it is not answered yet."),
    last_turn: LiveTurn.nullable(),
  })
  .meta({ id: "LiveCall" });

/**
 * Live updates of this list over the WebSocket `/api/dashboard/ws` (session cookie, same Origin).
 *
 * At the start: one `{type:"call",call}` per live call with its turns so far, then one `{type:"ready"}`.
 *
 * Then: `{type:"call",call}` on each change, `{type:"turn",call_uuid,turn}` (a turn repeats as it grows),
 * `{type:"ended",call_uuid,status,ended_reason}`, `{type:"registration",status,last_code,explanation}`, and
 * `{type:"ping"}` every 20 s.
 *
 * The server closes it with 4401 when the session ends, and disconnects a client that reads too slowly.
 */
export const listLive = contract({
  operationId: "listLiveCalls",
  at: "GET /live",
  tag: "Home",
  summary: "List live calls",
  description: "The WebSocket `/api/dashboard/ws` sends changes.",
  reply: okReply({ calls: z.array(LiveCall) }),
});

const LAST_CALLS = 5;

function homeParts({ dependencies, parts }: ProductContext) {
  const { billing, services, clock } = dependencies;
  const { live, remoteNodes, statusSources, lastChecks } = parts;
  const liveCalls = async (tenantId: number) => [
    ...live.list(tenantId),
    ...((await remoteNodes?.list(tenantId)) ?? []),
  ];
  async function week(tenantId: number) {
    const { days, before } = await services.reports.week(tenantId);
    const present = ({
      date,
      calls,
      answered,
      billableSeconds,
      cost,
      p95Ms,
    }: (typeof days)[number]) => ({
      date,
      calls,
      answered,
      minutes: minutesOf(billableSeconds),
      cost_eur: eur(cost),
      p95_ms: p95Ms,
    });
    return {
      days: days.map(present),
      before: before.map(present),
      missed: await services.callSearch.missed(tenantId, days[0]?.date),
    };
  }
  const lastCalls = async (tenantId: number) =>
    (await services.callSearch.latest(tenantId, LAST_CALLS)).map(presentFound);
  async function checklist(tenantId: number, trunk: Status) {
    const done = await services.tenants.progress(tenantId);
    // Suggests the newest agent, which is the only one in a new company.
    const agent = done.talk ? undefined : (await services.agents.list(tenantId)).at(-1);
    const steps = [
      ["agent", done.agent, "/app/agents/new"],
      ["knowledge", done.knowledge, "/app/knowledge"],
      ["talk", done.talk, agent ? `/app/agents/${agent.id}?tab=test` : "/app/agents/new"],
      // After the first call a failing trunk is a problem, not a step of the checklist.
      ["trunk", trunk.state === "ok" || done.first_call, "/app/trunk"],
      ["number", done.number, "/app/numbers"],
      ["first_call", done.first_call, "/app/calls"],
    ] as const;
    return steps.map(([id, isDone, href]) => ({ id, done: isDone, href }));
  }
  return {
    billing,
    services,
    clock,
    statusSources,
    lastChecks,
    liveCalls,
    week,
    lastCalls,
    checklist,
  };
}

type Parts = ReturnType<typeof homeParts>;

const routesOf = ({
  billing,
  services,
  clock,
  statusSources,
  lastChecks,
  liveCalls,
  week,
  lastCalls,
  checklist,
}: Parts): Route[] => [
  route(getHome)(async ({ tenantId, session }) => {
    const trunk = await services.trunks.get(tenantId);
    const shownTrunk = trunk && presentTrunk(trunk);
    const statuses = await statusesOf(statusSources, shownTrunk, clock.now());
    const { p50Ms, p90Ms } = await services.reports.latency(tenantId);
    const seven = await week(tenantId);
    const today = seven.days.at(-1);
    const money = await billing.balance(tenantId);
    return {
      ok: true,
      statuses,
      live_calls: (await liveCalls(tenantId)).length,
      today: {
        calls: today?.calls ?? 0,
        minutes: today?.minutes ?? 0,
        cost_eur: today?.cost_eur ?? 0,
      },
      week: seven,
      money: {
        plan: money.plan.name,
        included_minutes_left: minutesOf(money.includedSecondsLeft),
        balance_eur: eur(money.balance),
      },
      last_calls: await lastCalls(tenantId),
      latency: { p50_ms: p50Ms, p90_ms: p90Ms },
      problems: problemsOf({
        statuses,
        webhooks: await services.webhooks.states(tenantId),
        numbers: await services.numbers.list(tenantId),
        money,
        badLines: await services.reports.badLines(tenantId),
        turnedAway: await services.reports.turnedAway(tenantId),
        checks: lastChecks(),
        isOperator: session?.user.operator === true,
      }),
      checklist: await checklist(tenantId, statuses.trunk),
    };
  }),
  route(listLive)(async ({ tenantId }) => {
    const agents = await services.agents.list(tenantId);
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    return {
      ok: true,
      calls: (await liveCalls(tenantId)).map((call) =>
        presentLive(call, call.agentId === null ? null : (names.get(call.agentId) ?? null)),
      ),
    };
  }),
];

export const homeRoutes = (context: ProductContext): Route[] => routesOf(homeParts(context));
