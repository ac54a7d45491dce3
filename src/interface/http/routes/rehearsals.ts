/** Rehearsals: suites that ship, scenarios kept with an agent, runs with their transcripts, and what failed at which turn. */
import { z } from "zod";
import { isoUtc } from "../../../core/clock.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { REHEARSAL_MODES, type RehearsalRun } from "../../../domain/rehearsal/rehearsals.ts";
import {
  SCENARIO_CHARACTERS_MAX,
  SCENARIOS_OF_AGENT_MAX,
} from "../../../operations/admin/agent-scenarios.ts";
import {
  deletedReply,
  field,
  flag,
  integer,
  okReply,
  shown,
  timeOrNull,
  timeOut,
} from "../../contracts/schema.ts";
import { contract, rawRoute, route } from "../contract.ts";
import { recordingResponse } from "./calls.ts";
import type { RouteContext } from "./context.ts";

const tag = "Rehearsals";
const RUNS_MAX = 10;
const RESULTS_MAX = 500;

const SCENARIO =
  "name: Opening hours\nscript:\n  - say: When are you open?\n    must: [nine to five]\n  - hang_up: true\n";

const AgentScenario = z
  .strictObject({
    id: shown(z.int(), "Id.", 1),
    name: shown(z.string(), "As its YAML has it: of an agent, each name once.", "Opening hours"),
    yaml: shown(z.string(), "The scenario.", SCENARIO),
    updated_at: timeOut("When it was last changed."),
  })
  .meta({ id: "AgentScenario" });

export const listScenarios = contract({
  operationId: "listAgentScenarios",
  at: "GET /agents/{id}/scenarios",
  tag,
  noun: "agent",
  summary: "List the scenarios kept with an agent",
  description: `By name, at most ${SCENARIOS_OF_AGENT_MAX}. They are no part of the agent's versions.`,
  reply: okReply({ scenarios: z.array(AgentScenario) }),
});

export const putScenario = contract({
  operationId: "putAgentScenario",
  at: "POST /agents/{id}/scenarios",
  tag,
  noun: "agent",
  summary: "Keep a scenario with an agent",
  description: "Replaces the agent's scenario of the same `name`.",
  body: z
    .strictObject({
      yaml: field(z.string(), {
        description: `One scenario, as a file of \`linevoice rehearse\`; at most ${SCENARIO_CHARACTERS_MAX} characters.`,
        example: SCENARIO,
        must: "be text",
      }),
    })
    .meta({ id: "NewAgentScenario" }),
  reply: okReply({ scenario: AgentScenario }),
  errors: ["conflict"],
});

export const deleteScenario = contract({
  operationId: "deleteAgentScenario",
  at: "DELETE /agents/{id}/scenarios/{number}",
  tag,
  noun: "agent",
  summary: "Delete a scenario of an agent",
  description: "`number` is the scenario's id.",
  reply: deletedReply(),
});

const RunSummary = z
  .strictObject({
    id: shown(z.uuid(), "Id.", "019aa1b2-0000-7000-8000-000000000001"),
    suite: shown(
      z.string().nullable(),
      "Suite, or what the run is called; null: the scenarios kept with the agent.",
      "clinic",
    ),
    agent_id: shown(z.int().nullable(), "Agent; null: the suite's own.", 1),
    agent_name: shown(z.string(), "Its name.", "Reception"),
    agent_version: shown(
      z.union([z.int(), z.literal("draft")]).nullable(),
      "The version that was rehearsed, or its draft; null: the suite's own agent.",
      3,
    ),
    started_at: timeOut("When it began."),
    ended_at: timeOrNull("When it ended. Null: it is under way."),
    mode: shown(z.enum(REHEARSAL_MODES), "In writing, or by telephone.", "text"),
    runs: shown(z.int(), "How often each scenario was rehearsed: N of pass^N.", 1),
    scenarios: shown(z.int(), "How many scenarios.", 30),
    passed: shown(
      z.int(),
      "How many passed every time; of all scenarios, their share is pass^N.",
      29,
    ),
  })
  .meta({ id: "RehearsalRun" });

const ms = (description: string) => shown(z.number(), description, 1_200);

const stageMs = (description: string) => shown(z.number().nullable(), description, 120);

const Stages = z.object({
  endpointing_ms: stageMs("Until the end of speech was sure."),
  stt_ms: stageMs("Until the words were known."),
  llm_first_ms: stageMs("Until the first words of the answer."),
  tts_first_ms: stageMs("Until its first sound."),
});

/** The fields that a kept result has and that are not shown are left out. */
const Result = z
  .object({
    name: shown(z.string(), "Scenario.", "Opening hours"),
    run: shown(z.int(), "Which time, from 1.", 1),
    passed: shown(z.boolean(), "Whether all was as it must be.", true),
    ended_reason: shown(z.string(), "Why the call ended.", "agent_hangup"),
    duration_ms: shown(z.number(), "Length of the call.", 39_000),
    failures: z.array(
      z.object({
        expected: shown(z.string(), "What must be.", "says 40 EUR"),
        found: shown(z.string(), "What was.", "the agent said nothing"),
        turn: shown(z.int().nullable(), "Index of the turn; null: the whole call.", 4),
      }),
    ),
    turns: z.array(
      z.object({
        index: shown(z.int(), "From 0.", 0),
        speaker: shown(z.enum(["agent", "customer"]), "Who.", "agent"),
        text: shown(z.string(), "What was said.", "Hello!"),
        interrupted: shown(z.boolean(), "Whether the other side spoke over it.", false),
        start_ms: ms("Since the answer."),
        end_ms: ms("Since the answer."),
        latency_ms: shown(z.number().nullable(), "Answer latency.", 380),
        stages: Stages.nullable().default(null),
      }),
    ),
    timeline: z
      .array(
        z.object({
          lane: shown(z.string(), "What.", "stt"),
          start_ms: ms("Since the answer."),
          end_ms: ms("Since the answer."),
          label: shown(z.string(), "In a word.", "120 ms"),
        }),
      )
      .default([]),
    recording: shown(
      z.string().nullable(),
      "File of the recording, which `GET /rehearsals/{uuid}/recording` answers; null: there is none.",
      null,
    ),
    tools: z.array(
      z.object({
        tool: shown(z.string(), "Tool.", "check_appointment"),
        arguments: shown(z.record(z.string(), z.unknown()), "What it was called with.", {
          appointment_number: "4172",
        }),
        ok: shown(z.boolean(), "Whether it answered.", true),
        output: shown(z.unknown(), "Its answer.", { message: "Tuesday at ten." }),
        at_ms: ms("Since the answer."),
        duration_ms: ms("How long it took."),
      }),
    ),
    transfers: z.array(
      z.object({
        target: shown(z.string(), "To whom.", "reception"),
        outcome: shown(z.string(), "How it ended.", "transferred"),
        at_ms: ms("Since the answer."),
      }),
    ),
    messages: z.array(
      z.object({
        text: shown(z.string(), "The message that was taken.", "Call me back."),
        at_ms: ms("Since the answer."),
      }),
    ),
  })
  .meta({ id: "RehearsalResult" });

export const listRehearsals = contract({
  operationId: "listRehearsals",
  at: "GET /rehearsals",
  tag,
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
  tag,
  summary: "A run with its transcripts and failed turns",
  reply: okReply({ run: RunSummary, results: z.array(Result) }),
});

export const getRehearsalRecording = contract({
  operationId: "getRehearsalRecording",
  at: "GET /rehearsals/{uuid}/recording",
  noun: "recording",
  tag,
  summary: "The recording of a rehearsed call",
  description: "Only calls by telephone have one. Answers Range requests with 206.",
  query: z.strictObject({
    result: integer(1, RESULTS_MAX, "Which of the run's results, from 1.", 1).default(1),
  }),
  reply: z.string().meta({ format: "binary" }),
  replyType: "audio/mpeg",
});

export const startRehearsal = contract({
  operationId: "startRehearsal",
  at: "POST /rehearsals",
  weight: 10,
  tag,
  summary: "Rehearse an agent, in writing or by telephone",
  description:
    "Answers at once; the run is followed by its id. Nothing is charged, mailed, posted or counted, and no tool is asked for real unless its scenario says `live`. One run of a company at a time; the newest 50 are kept.",
  body: z
    .strictObject({
      suite: field(z.string().min(1).max(120).nullable(), {
        description:
          "A suite that ships; with `scenarios`, what the run is called; null: the scenarios kept with the agent.",
        example: "emergency",
        must: "be text of 1 to 120 characters or null",
      }).default(null),
      agent_id: field(z.int().positive().nullable(), {
        description: "Agent; null: the suite's own.",
        example: null,
        must: "be an agent's id or null",
      }).default(null),
      draft: flag("Whether the agent's draft is rehearsed instead.", false).default(false),
      scenarios: field(z.string().nullable(), {
        description:
          "Scenarios in YAML, separated by lines of three dashes; null: the suite's, or the agent's.",
        example: null,
        must: "be text or null",
      }).default(null),
      runs: integer(1, RUNS_MAX, "How often each scenario is rehearsed.", 1).default(1),
      mode: field(z.enum(REHEARSAL_MODES), {
        description:
          "In writing, or by telephone: real calls with speech in a process of their own, at most 60 in a run.",
        example: "text",
        must: "be `text` or `phone`",
      }).default("text"),
    })
    .meta({ id: "NewRehearsal" }),
  reply: okReply({ run: RunSummary }),
  errors: ["conflict", "plan_limit_reached", "insufficient_balance", "not_found"],
});

const presentRun = ({ agentVersion = null, runs = 1, mode = "text", ...run }: RehearsalRun) => ({
  id: run.id,
  suite: run.suite,
  agent_id: run.agentId,
  agent_name: run.agentName,
  agent_version: agentVersion,
  mode,
  runs,
  scenarios: run.scenarios,
  passed: run.passed,
  started_at: isoUtc(run.startedAt),
  ended_at: run.endedAt === null ? null : isoUtc(run.endedAt),
});

export const rehearsalRoutes = ({ dependencies: { rehearsals, services } }: RouteContext) => [
  route(listScenarios)(async ({ tenantId, params }) => ({
    ok: true,
    scenarios: (await services.agentScenarios.list(tenantId, params.id)).map((scenario) =>
      wireOf(AgentScenario, scenario),
    ),
  })),
  route(putScenario)(async ({ tenantId, params, body }) => {
    const scenario = await services.agentScenarios.put(tenantId, params.id, body.yaml);
    return { ok: true, scenario: wireOf(AgentScenario, scenario) };
  }),
  route(deleteScenario)(async ({ tenantId, params: { id, number } }) => {
    await services.agentScenarios.remove(tenantId, id, number);
    return { ok: true, id: number, deleted: true };
  }),
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
      results: (run.report?.results ?? []).map((result) => Result.parse(result)),
    };
  }),
  rawRoute(getRehearsalRecording)(async ({ tenantId, params: { uuid }, query, http }) =>
    recordingResponse(rehearsals.recording(tenantId, uuid, query.result), uuid, http),
  ),
  route(startRehearsal)(async ({ tenantId, body: { agent_id: agentId, ...order } }) => {
    const run = await rehearsals.start(tenantId, { ...order, agentId });
    return { ok: true, run: presentRun(run) };
  }),
];
