/**
 * Checks a rehearsed call against its scenario: `must`, `never` and the limits. Every failure contains the turn
 * that shows it.
 */

import { wordsOf } from "../../conversation/words.ts";
import { yieldToEventLoop } from "../../core/clock.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { patternOf } from "./pattern.ts";
import { NOT_LIVE, type RehearsedCall, type RehearsedTurn } from "./rehearsed-call.ts";
import type { Expectation, Fact, Scenario } from "./scenario.ts";
import { saysDate, saysMoney, saysNumber } from "./values.ts";

export interface Failure {
  /** The expectation as text. */
  readonly expected: string;
  /** The actual result. */
  readonly found: string;
  /** Index of the turn; null: the whole call. */
  readonly turn: number | null;
}

/** A part of the call: all of it, or the answer to one step. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const WHOLE: Span = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** Empty if all expectations are met. */
export const failuresOf = (scenario: Scenario, call: RehearsedCall): Failure[] =>
  inOrder(call, [...failuresIn(scenario, call)].flat());

/** Like `failuresOf`, but yields to the event loop: a pattern may take long. */
export async function failuresInTurns(scenario: Scenario, call: RehearsedCall): Promise<Failure[]> {
  const all: Failure[] = [];
  for (const found of failuresIn(scenario, call)) {
    all.push(...found);
    await yieldToEventLoop();
  }
  return inOrder(call, all);
}

const inOrder = ({ turns }: RehearsedCall, all: Failure[]) =>
  all.sort((a, b) => (a.turn ?? turns.length) - (b.turn ?? turns.length));

/** Yields the failures of each expectation. */
function* failuresIn(scenario: Scenario, call: RehearsedCall): Generator<readonly Failure[]> {
  for (const [step, wanted] of (scenario.script ?? []).entries()) yield* ofStep(call, step, wanted);
  yield* ofSpan(call, WHOLE, scenario);
  yield call.unanswered.map((tool) => notAnswered(call, tool));
  yield limitFailures(scenario, call);
}

const failure = (expected: string, found: string, turn: number | null = null): Failure => ({
  expected,
  found,
  turn,
});

function notAnswered(call: RehearsedCall, tool: string): Failure {
  const asked = call.tools.find((each) => each.tool === tool && !each.ok);
  const isLive = isObject(asked?.output) && asked.output.error === NOT_LIVE;
  const found = isLive ? NOT_LIVE : `${tool} was called, and \`tools\` has no answer`;
  const turn = asked ? turnAt(call, asked.atMs) : null;
  return failure(`the scenario answers the tool ${tool}`, found, turn);
}

type Wanted = Pick<Scenario, "must" | "never">;

function* ofStep(call: RehearsedCall, step: number, wanted: Wanted): Generator<readonly Failure[]> {
  const place = call.steps.findIndex((done) => done.step === step);
  const begun = call.steps[place];
  if (!begun) {
    const missing = wanted.must.length > 0 || wanted.never.length > 0;
    const ended = `the call ended before (${call.endedReason})`;
    if (missing) yield [failure(`step ${step + 1} is reached`, ended, lastTurn(call)?.index)];
    return;
  }
  const toMs = call.steps[place + 1]?.atMs ?? Number.POSITIVE_INFINITY;
  yield* ofSpan(call, { fromMs: begun.atMs, toMs }, wanted);
}

function* ofSpan(
  call: RehearsedCall,
  span: Span,
  { must, never }: Wanted,
): Generator<readonly Failure[]> {
  for (const expectation of must) {
    const found = evidence(call, span, expectation);
    const turn = found.turn ?? shownAt(call, span);
    yield found.holds ? [] : [failure(inWords(expectation), found.found, turn)];
  }
  for (const expectation of never) {
    const found = evidence(call, span, expectation);
    const turn = found.turn ?? shownAt(call, span);
    yield found.holds ? [failure(`never: ${inWords(expectation)}`, found.found, turn)] : [];
  }
}

const lastTurn = ({ turns }: RehearsedCall): RehearsedTurn | undefined => turns.at(-1);

/** Turn that shows a missing action: the agent's last turn of the span, else the caller's. */
function shownAt(call: RehearsedCall, span: Span): number | null {
  const here = call.turns.filter(({ startMs }) => within(startMs, span));
  const agent = here.findLast(({ speaker }) => speaker === "agent");
  return agent?.index ?? here.at(-1)?.index ?? null;
}

const within = (atMs: number, { fromMs, toMs }: Span) => atMs >= fromMs && atMs < toMs;

/** The turn spoken at this time. */
const turnAt = ({ turns }: RehearsedCall, atMs: number): number | null =>
  turns.findLast(({ startMs }) => startMs <= atMs)?.index ?? null;

interface Evidence {
  readonly holds: boolean;
  readonly found: string;
  /** Null: no particular turn. */
  readonly turn: number | null;
}

const holds = (found: string, turn: number | null): Evidence => ({ holds: true, found, turn });
const fails = (found: string, turn: number | null = null): Evidence => ({
  holds: false,
  found,
  turn,
});

function evidence(call: RehearsedCall, span: Span, wanted: Expectation): Evidence {
  const { says, tool, message, language, ended } = wanted;
  if (says !== undefined) return sayingEvidence(call, span, says);
  if (tool !== undefined) return toolEvidence(call, span, tool, wanted.with);
  if (wanted.transferred_to !== undefined)
    return transferEvidence(call, span, wanted.transferred_to);
  if (message !== undefined) return messageEvidence(call, span, message);
  if (language !== undefined) return languageEvidence(call, span, language);
  const reason = `the call ended with ${call.endedReason}`;
  return call.endedReason === ended
    ? holds(reason, lastTurn(call)?.index ?? null)
    : fails(reason, lastTurn(call)?.index ?? null);
}

function sayingEvidence(call: RehearsedCall, span: Span, fact: Fact): Evidence {
  const turns = call.turns.filter(
    ({ speaker, startMs }) => speaker === "agent" && within(startMs, span),
  );
  const said = turns.find(({ text }) => saysFact(text, fact, call.day));
  if (said) return holds(`the agent said "${said.text}"`, said.index);
  const last = turns.at(-1);
  return fails(last ? `the agent said "${last.text}"` : "the agent said nothing");
}

function saysFact(text: string, fact: Fact, day: string): boolean {
  if (fact.words !== undefined) return saysWords(text, fact.words);
  if (fact.regex !== undefined) return patternOf(fact.regex).test(text);
  if (fact.number !== undefined) return saysNumber(text, fact.number);
  if (fact.money !== undefined) return saysMoney(text, fact.money);
  return saysDate(text, fact.date ?? "", day);
}

/** True if the words occur in order, ignoring case and punctuation. */
function saysWords(text: string, wanted: string): boolean {
  const said = wordsOf(text);
  const words = wordsOf(wanted);
  return said.some((_, from) => words.every((word, index) => said[from + index] === word));
}

function toolEvidence(
  call: RehearsedCall,
  span: Span,
  tool: string,
  values: Readonly<Record<string, unknown>> = {},
): Evidence {
  const called = call.tools.filter((each) => each.tool === tool && within(each.atMs, span));
  const fit = called.find((each) => contains(each.arguments, values as JsonValue));
  if (fit) return holds(`${tool} ${JSON.stringify(fit.arguments)}`, turnAt(call, fit.atMs));
  const last = called.at(-1);
  return last
    ? fails(`it was called with ${JSON.stringify(last.arguments)}`, turnAt(call, last.atMs))
    : fails(`${tool} was not called`);
}

/** True if `given` contains `wanted`: objects by their fields, everything else by value. */
function contains(given: JsonValue | undefined, wanted: JsonValue): boolean {
  if (isObject(wanted))
    return (
      isObject(given) &&
      Object.entries(wanted).every(([name, value]) => contains(given[name], value))
    );
  if (Array.isArray(wanted))
    return (
      Array.isArray(given) && wanted.every((item) => given.some((each) => contains(each, item)))
    );
  return given === wanted;
}

function transferEvidence(call: RehearsedCall, span: Span, wanted: string): Evidence {
  const here = call.transfers.filter(({ atMs }) => within(atMs, span));
  const fit = here.find(({ target, outcome }) => target === wanted && outcome === "transferred");
  if (fit) return holds(`the caller was transferred to ${wanted}`, turnAt(call, fit.atMs));
  const other = here.at(-1);
  return other
    ? fails(`transfer to ${other.target}: ${other.outcome}`, turnAt(call, other.atMs))
    : fails("the caller was not transferred");
}

function messageEvidence(call: RehearsedCall, span: Span, wanted: Fact): Evidence {
  const here = call.messages.filter(({ atMs }) => within(atMs, span));
  const fit = here.find(({ text }) => saysFact(text, wanted, call.day));
  if (fit) return holds(`the message "${fit.text}"`, turnAt(call, fit.atMs));
  const other = here.at(-1);
  return other
    ? fails(`the message "${other.text}"`, turnAt(call, other.atMs))
    : fails("no message was taken");
}

function languageEvidence(call: RehearsedCall, span: Span, wanted: string): Evidence {
  const until = call.languages.filter(({ atMs }) => atMs < span.toMs);
  const spoken = until.at(-1)?.language ?? call.language;
  return spoken === wanted ? holds(`it spoke ${wanted}`, null) : fails(`it spoke ${spoken}`);
}

function limitFailures({ limits }: Scenario, call: RehearsedCall): Failure[] {
  const { turns } = call;
  const found: Failure[] = [];
  if (limits.turns !== undefined && turns.length > limits.turns)
    found.push(failure(`at most ${limits.turns} turns`, `${turns.length}`, limits.turns));
  const latencies = turns.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
  const p95 = percentile(latencies, 0.95);
  if (limits.latency_p95_ms !== undefined && p95 !== null && p95 > limits.latency_p95_ms) {
    const slow = turns.find(({ latencyMs }) => latencyMs === p95);
    const expected = `answers within ${limits.latency_p95_ms} ms (p95)`;
    found.push(failure(expected, `${Math.round(p95)} ms`, slow?.index ?? null));
  }
  if (limits.dead_air_ms !== undefined) found.push(...deadAir(call, limits.dead_air_ms));
  if (limits.silent_after_interruption_ms !== undefined)
    found.push(...speaksOn(call, limits.silent_after_interruption_ms));
  if (limits.never_interrupts) found.push(...interruptsCaller(call));
  return found;
}

export function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

/** Silences before the agent's turns, except the first. The caller may be silent for any time. */
function deadAir({ turns }: RehearsedCall, limitMs: number): Failure[] {
  return turns.flatMap((turn, index) => {
    const before = turns[index - 1];
    if (turn.speaker !== "agent" || before?.speaker !== "customer") return [];
    const silentMs = turn.startMs - before.endMs;
    const expected = `no dead air above ${limitMs} ms`;
    return silentMs > limitMs
      ? [failure(expected, `${Math.round(silentMs)} ms of silence before it`, turn.index)]
      : [];
  });
}

function speaksOn(call: RehearsedCall, limitMs: number): Failure[] {
  return call.interruptions.flatMap(({ atMs, silentAfterMs }) => {
    if (silentAfterMs !== null && silentAfterMs <= limitMs) return [];
    const found = silentAfterMs === null ? "it spoke on" : `${Math.round(silentAfterMs)} ms`;
    const expected = `silent within ${limitMs} ms of an interruption`;
    const cut = call.turns.findLast((turn) => turn.speaker === "agent" && turn.startMs <= atMs);
    return [failure(expected, found, cut?.index ?? null)];
  });
}

/** Two people who start at the same time do not interrupt each other. */
const OVERLAP_MS = 200;

function interruptsCaller({ turns }: RehearsedCall): Failure[] {
  const callers = turns.filter(({ speaker }) => speaker === "customer");
  return turns.flatMap((turn) => {
    if (turn.speaker !== "agent") return [];
    const over = callers.find(
      ({ startMs, endMs }) => startMs < turn.startMs && turn.startMs < endMs - OVERLAP_MS,
    );
    const found = `it began while the caller said "${over?.text ?? ""}"`;
    return over ? [failure("the agent never interrupts", found, turn.index)] : [];
  });
}

function inWords(wanted: Expectation): string {
  const { says, tool, message, language, ended } = wanted;
  if (says !== undefined) return `says ${factInWords(says)}`;
  if (tool !== undefined)
    return `calls ${tool}${wanted.with ? ` with ${JSON.stringify(wanted.with)}` : ""}`;
  if (wanted.transferred_to !== undefined) return `transfers to ${wanted.transferred_to}`;
  if (message !== undefined) return `takes a message with ${factInWords(message)}`;
  return language === undefined ? `ends with ${ended}` : `speaks ${language}`;
}

function factInWords({ words, regex, number, money, date }: Fact): string {
  if (words !== undefined) return `"${words}"`;
  return regex === undefined ? String(number ?? money ?? date) : `/${regex}/`;
}
