/**
 * What the caller said and is to be answered: words that come in pieces are put together again, and
 * every question reaches the LLM once, with the times that the answer's latency counts from.
 */
import type { Clock } from "../../../core/clock.ts";
import type { LlmSession } from "../engine-port.ts";
import type { Transcript } from "../transcript.ts";
import type { AgentSide } from "./agent-side.ts";
import type { TurnMachine } from "./turn-taking.ts";
import type { Utterance } from "./utterance-segmenter.ts";

interface PendingQuestionsOptions {
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly llm: LlmSession;
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly fadeMs: number;
}

export class PendingQuestions {
  /** What is being answered; taken back when the caller goes on before the answer is heard. */
  #answering = "";
  #unanswered = "";

  constructor(private readonly options: PendingQuestionsOptions) {}

  /** All that is unanswered, `text` last. */
  with(text: string): string {
    return [this.#unanswered, text].filter((part) => part !== "").join(" ");
  }

  /** The answer was heard, or nothing was to be said. */
  answered(): void {
    this.#answering = "";
  }

  /** What was said needs no answer of the LLM's. */
  forget(): void {
    this.#unanswered = "";
    this.#answering = "";
  }

  /** The caller goes on while the agent is about to answer: the answer waits for all of it. */
  retract(): void {
    const { agent, llm, machine } = this.options;
    agent.forgetInputs();
    this.#unanswered = this.#answering;
    this.#answering = "";
    const { playedLlmText, playedMs } = agent.stop(0);
    if (playedLlmText !== null) llm.truncateSpoken(playedLlmText, playedMs);
    machine.apply({ type: "caller_spoke" });
  }

  /** Into the transcript. */
  record(text: string, { beganAt, lastSpeechAt }: Utterance): void {
    this.options.transcript.caller({ text, beganAt, endedAt: lastSpeechAt });
  }

  /** Asks the LLM, or waits for more while the caller speaks. */
  answer(text: string, confidence: number, utterance: Utterance): void {
    const { machine, agent, clock, fadeMs } = this.options;
    const { name } = machine.state;
    const all = this.with(text);
    if (name === "caller_speaking" || name === "endpointing") {
      this.#unanswered = all;
      return;
    }
    this.#unanswered = "";
    this.#answering = all;
    if (name === "agent_speaking" && !agent.protectedNow) agent.endTurn(fadeMs);
    const input = { type: "utterance", text: all, confidence } as const;
    agent.callerFinished({
      lastSpeechAt: utterance.lastSpeechAt,
      endpointAt: utterance.endedAt,
      sttFinalAt: clock.monotonic(),
      early: agent.isEarly(input),
    });
    agent.ask(input);
  }

  /** Into the transcript. */
  recordKeys(digits: string): void {
    const { transcript, clock } = this.options;
    const now = clock.monotonic();
    transcript.caller({ text: `[keys ${digits}]`, beganAt: now, endedAt: now });
  }

  /** Keys replace what was being said. */
  numberEntered(digits: string): void {
    const { machine, agent, clock, fadeMs } = this.options;
    const now = clock.monotonic();
    // First: the turn that the keys cut stands before them in the transcript.
    if (machine.state.name === "agent_speaking") agent.endTurn(fadeMs);
    this.recordKeys(digits);
    this.forget();
    agent.callerFinished({ lastSpeechAt: now, endpointAt: null, sttFinalAt: null, early: false });
    agent.ask({ type: "digits", digits });
  }
}
