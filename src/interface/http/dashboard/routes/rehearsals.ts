/** Rehearsals: suites that ship, runs with their transcripts, and what failed at which turn. */
import { z } from "zod";
import { isoUtc } from "../../../../core/clock.ts";
import type { RehearsalRun } from "../../../../domain/rehearsal/rehearsals.ts";
import { field, flag, okReply, shown } from "../../../contracts/schema.ts";
import { contract, route } from "../../contract.ts";
import type { ProductContext } from "./context.ts";

const SCENARIOS_CHARACTERS_MAX = 100_000;

const RunSummary = z
  .strictObject({
    id: shown(z.uuid(), "Id.", "019aa1b2-0000-7000-8000-000000000001"),
    suite: shown(z.string(), "Suite.", "clinic"),
    agent_id: shown(z.int().nullable(), "Agent; null: the suite's own.", 1),
    agent_name: shown(z.string(), "Its name.", "Reception"),
    agent_version: shown(
      z.union([z.int(), z.literal("draft")]).nullable(),
      "The version that was rehearsed, or its draft; null: the suite's own agent.",
      3,
    ),
    started_at: shown(z.string(), "When it began.", "2026-11-23T10:00:00+00:00"),
    ended_at: shown(z.string().nullable(), "When it ended; null: under way.", null),
    scenarios: shown(z.int(), "How many scenarios.", 30),
    passed: shown(z.int(), "How many passed.", 29),
  })
  .meta({ id: "RehearsalRun" });

const Result = z.strictObject({
  name: shown(z.string(), "Scenario.", "Opening hours"),
  passed: shown(z.boolean(), "Whether all was as it must be.", true),
  ended_reason: shown(z.string(), "Why the call ended.", "agent_hangup"),
  duration_ms: shown(z.number(), "Length of the call.", 39_000),
  failures: z.array(
    z.strictObject({
      expected: shown(z.string(), "What must be.", "says 40 EUR"),
      found: shown(z.string(), "What was.", "the agent said nothing"),
      turn: shown(z.int().nullable(), "Index of the turn; null: the whole call.", 4),
    }),
  ),
  turns: z.array(
    z.strictObject({
      index: shown(z.int(), "From 0.", 0),
      speaker: shown(z.enum(["agent", "customer"]), "Who.", "agent"),
      text: shown(z.string(), "What was said.", "Hello!"),
      start_ms: shown(z.number(), "From the answer.", 20),
      latency_ms: shown(z.number().nullable(), "Answer latency.", 380),
    }),
  ),
});

export const listRehearsals = contract({
  operationId: "listRehearsals",
  at: "GET /rehearsals",
  tag: "Rehearsals",
  summary: "Suites that ship, and the last runs",
  reply: okReply({
    suites: z.array(
      z.strictObject({
        name: shown(z.string(), "Name.", "clinic"),
        scenarios: shown(z.int(), "How many scenarios.", 30),
      }),
    ),
    runs: z.array(RunSummary),
  }),
});

export const getRehearsal = contract({
  operationId: "getRehearsal",
  at: "GET /rehearsals/{uuid}",
  noun: "rehearsal",
  tag: "Rehearsals",
  summary: "A run with its transcripts and failed turns",
  reply: okReply({ run: RunSummary, results: z.array(Result) }),
});

export const startRehearsal = contract({
  operationId: "startRehearsal",
  at: "POST /rehearsals",
  weight: 10,
  tag: "Rehearsals",
  summary: "Rehearse an agent in writing",
  description:
    "Answers at once; the run is followed by its id. Nothing is charged, mailed, posted or counted, and no tool is asked for real.",
  body: z
    .strictObject({
      agent_id: field(z.int().positive().nullable(), {
        ...{ description: "Agent; null: the suite's own.", example: 1 },
        must: "be an agent's id or null",
      }).default(null),
      draft: flag("Whether the agent's draft is rehearsed instead.", false).default(false),
      suite: field(z.string().min(1).max(120), {
        ...{ description: "A suite that ships, or what the run is called.", example: "clinic" },
        must: "be text of 1 to 120 characters",
      }),
      scenarios: field(z.string().max(SCENARIOS_CHARACTERS_MAX).nullable(), {
        description: "Scenarios in YAML, separated by lines of three dashes; null: the suite's.",
        example: null,
        must: `be text of at most ${SCENARIOS_CHARACTERS_MAX} characters or null`,
      }).default(null),
    })
    .meta({ id: "NewRehearsal" }),
  reply: okReply({ run: RunSummary }),
  errors: ["conflict", "plan_limit_reached"],
});

const presentRun = (run: RehearsalRun): z.output<typeof RunSummary> => ({
  ...{ id: run.id, suite: run.suite, agent_id: run.agentId, agent_name: run.agentName },
  agent_version: run.agentVersion ?? null,
  ...{ scenarios: run.scenarios, passed: run.passed, started_at: isoUtc(run.startedAt) },
  ended_at: run.endedAt === null ? null : isoUtc(run.endedAt),
});

export const rehearsalRoutes = ({ parts: { rehearsals } }: ProductContext) => [
  route(listRehearsals)(async ({ tenantId }) => ({
    ok: true,
    suites: [...rehearsals.suites],
    runs: rehearsals.list(tenantId).map(presentRun),
  })),
  route(getRehearsal)(async ({ tenantId, params }) => {
    const run = rehearsals.find(tenantId, params.uuid);
    return {
      ok: true,
      run: presentRun(run),
      results: (run.report?.results ?? []).map(({ failures, turns, ...result }) => ({
        ...{ name: result.name, passed: result.passed, ended_reason: result.ended_reason },
        duration_ms: result.duration_ms,
        failures: failures.map(({ expected, found, turn }) => ({ expected, found, turn })),
        turns: turns.map(({ index, speaker, text, start_ms, latency_ms }) => ({
          ...{ index, speaker, text, start_ms, latency_ms },
        })),
      })),
    };
  }),
  route(startRehearsal)(async ({ tenantId, body }) => {
    const { agent_id: agentId, draft, suite, scenarios } = body;
    const run = await rehearsals.start(tenantId, { agentId, draft, suite, scenarios });
    return { ok: true, run: presentRun(run) };
  }),
];
