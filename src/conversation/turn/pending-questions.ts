/**
 * The caller's words that need an answer. Joins pieces of a sentence and sends every question to the LLM
 * once, with the times for the latency measurement.
 */
import type { Clock } from "../../core/clock.ts";
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
  /** The question that is being answered; taken back if the caller continues before the answer is audible. */
  #answering = "";
  #unanswered = "";

  constructor(private readonly options: PendingQuestionsOptions) {}

  /** All unanswered text, with `text` last. */
  with(text: string): string {
    return [this.#unanswered, text].filter((part) => part !== "").join(" ");
  }

  /** The answer was audible, or no answer was needed. */
  answered(): void {
    this.#answering = "";
  }

  /** The words need no answer from the LLM. */
  forget(): void {
    this.#unanswered = "";
    this.#answering = "";
  }

  /** The caller continues before the answer: cancels it, to answer all words together later. */
  retract(): void {
    const { agent, llm, machine } = this.options;
    agent.forgetInputs();
    this.#unanswered = this.#answering;
    this.#answering = "";
    const { playedLlmText, playedMs } = agent.stop(0);
    if (playedLlmText !== null) llm.truncateSpoken(playedLlmText, playedMs);
    machine.apply({ type: "caller_spoke" });
  }

  /** Adds the words to the transcript. */
  record(text: string, { beganAt, lastSpeechAt }: Utterance): void {
    this.options.transcript.caller({ text, beganAt, endedAt: lastSpeechAt });
  }

  /** Asks the LLM, or waits for more if the caller is speaking. */
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

  /** Adds the keys to the transcript. */
  recordKeys(digits: string): void {
    const { transcript, clock } = this.options;
    const now = clock.monotonic();
    transcript.caller({ text: `[keys ${digits}]`, beganAt: now, endedAt: now });
  }

  /** Keys replace unanswered words. */
  numberEntered(digits: string): void {
    const { machine, agent, clock, fadeMs } = this.options;
    const now = clock.monotonic();
    // End the agent's turn first, so that it precedes the keys in the transcript.
    if (machine.state.name === "agent_speaking") agent.endTurn(fadeMs);
    this.recordKeys(digits);
    this.forget();
    agent.callerFinished({ lastSpeechAt: now, endpointAt: null, sttFinalAt: null, early: false });
    agent.ask({ type: "digits", digits });
  }
}
