/** Report of a suite's run: for a person, turn by turn, and for a CI server (JUnit XML). */
import { stagesOf, timelineOf } from "../../call/timeline.ts";
import { percentile } from "./expectations.ts";
import { type RehearsedCall, transcriptOf } from "./rehearsed-call.ts";
import type { RehearsalResult } from "./result.ts";
import type { SuiteReport } from "./suite.ts";

/** One run of one scenario, with the failed turn. */
export function resultLines(
  { name, run, failures, call }: RehearsalResult,
  runs: number,
): string[] {
  const which = runs > 1 ? ` (run ${run} of ${runs})` : "";
  if (failures.length === 0) return [`ok    ${name}${which}`];
  const first = failures[0]?.turn ?? null;
  return [
    `FAIL  ${name}${which}`,
    ...call.turns.flatMap((turn) => {
      const here = failures.filter((failure) => failure.turn === turn.index);
      const speaker = turn.speaker === "agent" ? "Agent" : "Caller";
      const mark = here.length > 0 ? ">" : " ";
      const cut = turn.interrupted ? " …" : "";
      return [
        `    ${mark} ${String(turn.index + 1).padStart(2)}  ${speaker}: ${turn.text}${cut}`,
        ...here.map(({ expected, found }) => `          expected: ${expected}; found: ${found}`),
      ];
    }),
    ...failures
      .filter(({ turn }) => turn === null)
      .map(({ expected, found }) => `      the call: expected: ${expected}; found: ${found}`),
    ...(first === null ? [] : [`      failed at turn ${first + 1}`]),
  ];
}

export function summaryLine({ scenarios, passed, runs, results }: SuiteReport): string {
  const latencies = results.flatMap(({ call }) =>
    call.turns.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs])),
  );
  const p95 = percentile(latencies, 0.95);
  const share = scenarios === 0 ? 1 : passed / scenarios;
  return [
    `${scenarios} scenario${scenarios === 1 ? "" : "s"}: ${passed} passed, ${scenarios - passed} failed`,
    `pass^${runs} ${share.toFixed(2)}`,
    ...(p95 === null ? [] : [`latency p95 ${Math.round(p95)} ms`]),
    ...agentsOf(results).map(({ name, version }) => `agent ${name}${versionText(version)}`),
  ].join("; ");
}

type Rehearsed = SuiteReport["results"][number]["agent"];

/** The different agents of the results. */
const agentsOf = (results: SuiteReport["results"]): Rehearsed[] => [
  ...new Map(results.map(({ agent }) => [`${agent.id} ${agent.name}`, agent])).values(),
];

/** Empty if it was read from a file. */
const versionText = (version: Rehearsed["version"]): string =>
  version === null ? "" : version === "draft" ? ", its draft" : `, version ${version}`;

export function junitXml({ results }: SuiteReport, suite: string): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const cases = results.map((result) => {
    const { name, run, failures, call } = result;
    const seconds = (call.durationMs / 1000).toFixed(3);
    const head = `<testcase classname="${xml(suite)}" name="${xml(name)}${run > 1 ? ` #${run}` : ""}" time="${seconds}"`;
    const [first] = failures;
    if (!first) return `    ${head}/>`;
    const message = xml(
      `${first.turn === null ? "" : `turn ${first.turn + 1}: `}expected: ${first.expected}; found: ${first.found}`,
    );
    const body = xml(`${resultLines(result, 1).slice(1).join("\n")}\n\n${transcriptOf(call)}`);
    return `    ${head}>\n      <failure message="${message}">${body}</failure>\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${results.length}" failures="${failed}">`,
    `  <testsuite name="${xml(suite)}" tests="${results.length}" failures="${failed}">`,
    "    <properties>",
    ...agentsOf(results).flatMap(({ name, version }) => [
      `      <property name="agent" value="${xml(name)}"/>`,
      ...(version === null ? [] : [`      <property name="agent_version" value="${version}"/>`]),
    ]),
    "    </properties>",
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const xml = (text: string) =>
  text
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Lanes over time, as for a call. */
function timelineOfRehearsed({ turns, tools, transfers, sip = [] }: RehearsedCall) {
  const spans = timelineOf({
    zeroMs: 0,
    createdAt: 0,
    answeredAt: null,
    endedAt: null,
    notes: [],
    turns,
    toolCalls: tools.map(({ tool, atMs, durationMs }) => ({
      tool,
      durationMs,
      createdAt: atMs + durationMs,
    })),
    sip: [
      ...sip,
      ...transfers.map(({ outcome, atMs }) => ({
        atMs,
        direction: "out" as const,
        line: `transfer: ${outcome}`,
        detail: null,
      })),
    ],
  });
  return spans.map(({ lane, startMs, endMs, label }) => ({
    lane,
    label,
    start_ms: Math.round(startMs),
    end_ms: Math.round(endMs),
  }));
}

/** Duration of each step of an answer; null if not measured. */
function stagesJson(measures: Parameters<typeof stagesOf>[0]) {
  const stages = stagesOf(measures);
  return (
    stages && {
      endpointing_ms: stages.endpointingMs,
      stt_ms: stages.sttMs,
      llm_first_ms: stages.llmFirstMs,
      tts_first_ms: stages.ttsFirstMs,
    }
  );
}

/** Format of `--json` and of stored reports. */
export const reportJson = ({ results, ...totals }: SuiteReport) => ({
  ...totals,
  results: results.map(({ name, run, agent, failures, call }) => ({
    name,
    run,
    agent,
    passed: failures.length === 0,
    failures,
    ended_reason: call.endedReason,
    duration_ms: call.durationMs,
    recording: call.recording,
    timeline: timelineOfRehearsed(call),
    turns: call.turns.map(({ index, speaker, text, interrupted, measures, ...turn }) => ({
      index,
      speaker,
      text,
      interrupted,
      stages: stagesJson(measures),
      start_ms: turn.startMs,
      end_ms: turn.endMs,
      latency_ms: turn.latencyMs,
    })),
    tools: call.tools.map(({ tool, arguments: values, ok, output, atMs, durationMs }) => ({
      tool,
      arguments: values,
      ok,
      output,
      at_ms: atMs,
      duration_ms: durationMs,
    })),
    transfers: call.transfers.map(({ target, outcome, atMs }) => ({
      target,
      outcome,
      at_ms: atMs,
    })),
    messages: call.messages.map(({ text, atMs }) => ({ text, at_ms: atMs })),
  })),
});
