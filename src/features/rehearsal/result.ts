/** Result of a rehearsal: the call, and every failed expectation, including a language model's judgement. */
import type { RehearsedAgent } from "./agent-file.ts";
import { type Failure, failuresInTurns } from "./expectations.ts";
import { judge, type OpenModel } from "./language-model.ts";
import type { RehearsedCall } from "./rehearsed-call.ts";
import type { Scenario } from "./scenario.ts";

export interface RehearsalResult {
  readonly name: string;
  /** Starts at 1. */
  readonly run: number;
  /** Empty if passed. In order of turns. */
  readonly failures: readonly Failure[];
  readonly call: RehearsedCall;
}

/** The language model that plays personas and judges. */
export interface OpenedModel {
  readonly open: OpenModel;
  close(): Promise<void>;
}

export const NO_MODEL =
  "a persona and `judge` need a language model: set [engine] llm, or write a script";

/** Null if the scenario needs no model. Throws if it needs one but none is available. */
export async function modelFor(
  { persona, judge: sentences }: Scenario,
  openModel: (() => Promise<OpenedModel>) | null,
): Promise<OpenedModel | null> {
  if (persona === undefined && sentences.length === 0) return null;
  if (!openModel) throw new Error(NO_MODEL);
  return await openModel();
}

/** Rejects if the model fails. */
export async function resultOf(
  scenario: Scenario,
  run: number,
  call: RehearsedCall,
  model: OpenedModel | null,
): Promise<RehearsalResult> {
  const { name } = scenario;
  const judged = model ? await judge(model.open, scenario.judge, call) : [];
  const failures = await failuresInTurns(scenario, call);
  return { name, run, call, failures: [...failures, ...judged] };
}

/** Result of a rehearsal that could not run. */
export function failedResult(
  { name }: Scenario,
  run: number,
  { agent }: RehearsedAgent,
  found: string,
): RehearsalResult {
  const call: RehearsedCall = {
    turns: [],
    steps: [],
    tools: [],
    transfers: [],
    messages: [],
    languages: [],
    interruptions: [],
    unanswered: [],
    endedReason: "engine_failure",
    durationMs: 0,
    language: agent.language,
    day: "1970-01-01",
    recording: null,
  };
  const expected = "the rehearsal is carried out";
  return { name, run, call, failures: [{ expected, found, turn: null }] };
}
