/**
 * Rehearsals (simulated test calls of an agent): built-in suites, scenarios stored with an agent, runs with
 * transcripts, and the turn of each failure.
 */
import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { wireOf } from "../../core/wire-names.ts";
import { contract, rawRoute, route } from "../../http/contract.ts";
import {
  deletedReply,
  field,
  flag,
  integer,
  okReply,
  shown,
  timeOrNull,
  timeOut,
} from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { SCENARIO_CHARACTERS_MAX, SCENARIOS_OF_AGENT_MAX } from "../agent/agent-scenarios.ts";
import { recordingResponse } from "../call-log/routes.ts";
import { REHEARSAL_MODES, type RehearsalRun } from "./rehearsals.ts";

const tag = "Rehearsals";
const RUNS_MAX = 10;
const RESULTS_MAX = 500;

const SCENARIO =
  "name: Opening hours\nscript:\n  - say: When are you open?\n    must: [nine to five]\n  - hang_up: true\n";

const AgentScenario = z
  .strictObject({
    id: shown(z.int(), "Id of the scenario.", 1),
    name: shown(
      z.string(),
      "Name of the scenario, as in its YAML. Unique for each agent.",
      "Opening hours",
    ),
    yaml: shown(z.string(), "Scenario in YAML.", SCENARIO),
    updated_at: timeOut("Time of the last change."),
  })
  .meta({ id: "AgentScenario" });

export const listScenarios = contract({
  operationId: "listAgentScenarios",
  at: "GET /agents/{id}/scenarios",
  tag,
  noun: "agent",
  summary: "List an agent's scenarios",
  description: `Scenarios sorted by name, at most ${SCENARIOS_OF_AGENT_MAX}. Versions of the agent don't include them.`,
  reply: okReply({ scenarios: z.array(AgentScenario) }),
});

export const putScenario = contract({
  operationId: "putAgentScenario",
  at: "POST /agents/{id}/scenarios",
  tag,
  noun: "agent",
  summary: "Store a scenario for an agent",
  description: "Replaces the agent's scenario with the same `name`.",
  body: z
    .strictObject({
      yaml: field(z.string(), {
        description: `One scenario in YAML, in the format of \`linevoice rehearse\`, at most ${SCENARIO_CHARACTERS_MAX} characters.`,
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
    id: shown(z.uuid(), "Id of the scenario.", "019aa1b2-0000-7000-8000-000000000001"),
    suite: shown(
      z.string().nullable(),
      "Name of the suite or run. `null` for the agent's own scenarios.",
      "clinic",
    ),
    agent_id: shown(z.int().nullable(), "Id of the agent. `null` for the suite's agent.", 1),
    agent_name: shown(z.string(), "Name of the tool.", "Reception"),
    agent_version: shown(
      z.union([z.int(), z.literal("draft")]).nullable(),
      "Number of the tested version, or `draft`. `null` for the suite's agent.",
      3,
    ),
    started_at: timeOut("Start time."),
    ended_at: timeOrNull("End time. `null` while the run continues."),
    mode: shown(
      z.enum(REHEARSAL_MODES),
      "Mode: `text` (in writing) or `phone` (calls with speech).",
      "text",
    ),
    runs: shown(z.int(), "Number of runs per scenario.", 1),
    scenarios: shown(z.int(), "Number of scenarios.", 30),
    passed: shown(z.int(), "Number of scenarios that passed in every run.", 29),
  })
  .meta({ id: "RehearsalRun" });

const ms = (description: string) => shown(z.number(), description, 1_200);

const stageMs = (description: string) =>
  shown(z.number().nullable(), `${description} \`null\` if not measured.`, 120);

const Stages = z.object({
  endpointing_ms: stageMs("Time until the end of the turn was detected, ms."),
  stt_ms: stageMs("Time until the final transcription, ms."),
  llm_first_ms: stageMs("Time until the first words of the language model, ms."),
  tts_first_ms: stageMs("Time until the first audio, ms."),
});

/** Drops stored fields of a result that the API does not show. */
const Result = z
  .object({
    name: shown(z.string(), "Name of the scenario.", "Opening hours"),
    run: shown(z.int(), "Number of the run, from 1.", 1),
    passed: shown(z.boolean(), "Whether all expectations were met.", true),
    ended_reason: shown(z.string(), "Reason that ended the call.", "agent_hangup"),
    duration_ms: shown(z.number(), "Length of the call in ms.", 39_000),
    failures: z.array(
      z.object({
        expected: shown(z.string(), "Expected result.", "says 40 EUR"),
        found: shown(z.string(), "Actual result.", "the agent said nothing"),
        turn: shown(z.int().nullable(), "Index of the turn, from 0. `null` for the whole call.", 4),
      }),
    ),
    turns: z.array(
      z.object({
        index: shown(z.int(), "Index of the turn, from 0.", 0),
        speaker: shown(z.enum(["agent", "customer"]), "Speaker.", "agent"),
        text: shown(z.string(), "Spoken text.", "Hello!"),
        interrupted: shown(z.boolean(), "Whether the other side interrupted.", false),
        start_ms: ms("Time since the answer, ms."),
        end_ms: ms("Time since the answer, ms."),
        latency_ms: shown(
          z.number().nullable(),
          "Answer latency in ms. `null` if the turn is not an answer.",
          380,
        ),
        stages: shown(
          Stages.nullable(),
          "Stages of the answer latency. `null` if not measured.",
          null,
        ).default(null),
      }),
    ),
    timeline: z
      .array(
        z.object({
          lane: shown(z.string(), "Kind of the entry.", "stt"),
          start_ms: ms("Time since the answer, ms."),
          end_ms: ms("Time since the answer, ms."),
          label: shown(z.string(), "Short description.", "120 ms"),
        }),
      )
      .default([]),
    recording: shown(
      z.string().nullable(),
      "File name of the recording; download it with `GET /rehearsals/{uuid}/recording`. `null` if there is none.",
      null,
    ),
    tools: z.array(
      z.object({
        tool: shown(z.string(), "Name of the tool.", "check_appointment"),
        arguments: shown(z.record(z.string(), z.unknown()), "Arguments of the tool call.", {
          appointment_number: "4172",
        }),
        ok: shown(z.boolean(), "Whether the tool call succeeded.", true),
        output: shown(z.unknown(), "Response of the tool.", { message: "Tuesday at ten." }),
        at_ms: ms("Time since the answer, ms."),
        duration_ms: ms("Duration in ms."),
      }),
    ),
    transfers: z.array(
      z.object({
        target: shown(z.string(), "Destination of the transfer.", "reception"),
        outcome: shown(z.string(), "Result of the transfer.", "transferred"),
        at_ms: ms("Time since the answer, ms."),
      }),
    ),
    messages: z.array(
      z.object({
        text: shown(z.string(), "Text of the message.", "Call me back."),
        at_ms: ms("Time since the answer, ms."),
      }),
    ),
  })
  .meta({ id: "RehearsalResult" });

export const listRehearsals = contract({
  operationId: "listRehearsals",
  at: "GET /rehearsals",
  tag,
  summary: "List built-in suites and recent runs",
  reply: okReply({
    suites: z.array(
      z.strictObject({
        name: shown(z.string(), "Name of the suite.", "clinic"),
        scenarios: shown(z.int(), "Number of scenarios.", 30),
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
  summary: "One run with transcripts and failed turns",
  reply: okReply({ run: RunSummary, results: z.array(Result) }),
});

export const getRehearsalRecording = contract({
  operationId: "getRehearsalRecording",
  at: "GET /rehearsals/{uuid}/recording",
  noun: "recording",
  tag,
  summary: "Download the recording of a rehearsed call",
  description: "Only runs with `mode` `phone` have recordings. Range requests return 206.",
  query: z.strictObject({
    result: integer(1, RESULTS_MAX, "Number of the result within the run, from 1.", 1).default(1),
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
    "Returns at once; read the run by its UUID. Nothing is charged, mailed, sent to webhooks or counted. Tools return simulated answers unless the scenario sets `live`. Each company can have one run at a time. The newest 50 runs are stored.",
  body: z
    .strictObject({
      suite: field(z.string().min(1).max(120).nullable(), {
        description:
          "Name of a built-in suite. With `scenarios`, the name of the run. `null` for the agent's own scenarios.",
        example: "emergency",
        must: "be text of 1 to 120 characters or null",
      }).default(null),
      agent_id: field(z.int().positive().nullable(), {
        description: "Id of the agent. `null` for the suite's agent.",
        example: null,
        must: "be an agent's id or null",
      }).default(null),
      draft: flag(
        "Whether to test the agent's draft instead of the published version.",
        false,
      ).default(false),
      scenarios: field(z.string().nullable(), {
        description:
          "Scenarios in YAML, separated by lines of three dashes. `null` for the scenarios of the suite or the agent.",
        example: null,
        must: "be text or null",
      }).default(null),
      runs: integer(1, RUNS_MAX, "Number of runs per scenario.", 1).default(1),
      mode: field(z.enum(REHEARSAL_MODES), {
        description:
          "Mode: `text` (in writing) or `phone` (calls with speech, in a separate process, at most 60 per run).",
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
