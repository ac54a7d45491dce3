/**
 * Answers if no language model does. Apologises, asks for name, number and message in the caller's
 * language, thanks and ends the call. It needs no model and understands nothing: the words after a
 * question are its answer. The recording has whatever was not transcribed.
 */

import type { ExpectedAnswer, LlmEvent, LlmInput } from "../../conversation/engine-port.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import { MESSAGE_PHRASES, type MessagePhrases } from "./message-phrases.ts";

type Step = "name" | "number" | "message" | "taken";

/** `step`: the last question; null before the first one. */
interface TakenMessage {
  readonly step: Step | null;
  readonly name: string;
  readonly number: string;
  readonly message: string;
}

const EXPECTED: Readonly<Record<Step, ExpectedAnswer>> = {
  name: "name",
  number: "digits",
  message: "open",
  taken: "open",
};

const ANSWER_CHARACTERS_MAX = 2_000;

export class MessageTaker {
  #taken: TakenMessage = { step: null, name: "", number: "", message: "" };
  /** State before the last input. */
  #before = this.#taken;
  #language: AgentLanguage;

  constructor(
    language: AgentLanguage,
    /** Number for calling back if no number is understood; may be empty. */
    private readonly callerNumber: string,
  ) {
    this.#language = language;
  }

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
  }

  get begun(): boolean {
    return this.#taken.step !== null;
  }

  /** The message so far, as text; empty before the first question. */
  get text(): string {
    const { step } = this.#taken;
    if (step === null || step === "name") return "";
    const { onTheRecording, ...labels } = this.#phrases;
    const spoken = (text: string) => (text === "" ? onTheRecording : text);
    const name = spoken(this.#taken.name);
    const number = spoken(this.#taken.number || this.callerNumber);
    const message = spoken(this.#taken.message);
    return `${labels.name}: ${name}. ${labels.number}: ${number}. ${labels.message}: ${message}`;
  }

  get outage(): string {
    return this.#phrases.outage;
  }

  /** Answers the first input, whatever it is, with the apology. */
  *respond(input: LlmInput): Generator<LlmEvent> {
    const phrases = this.#phrases;
    this.#before = this.#taken;
    if (!this.begun) {
      this.#taken = { ...this.#taken, step: "name" };
      yield say(phrases.apology);
      yield say(phrases.askName);
    } else if (input.type === "silence" || input.type === "tool_result") {
      if (input.type === "silence") yield say(this.#question());
    } else yield* this.#answered(input);
    yield { type: "expect", answer: EXPECTED[this.#taken.step ?? "taken"] };
    yield { type: "done", usage: { inputTokens: 0, outputTokens: 0 } };
  }

  /**
   * A question that the caller did not hear has no answer. After half an apology, the caller has
   * not heard the question.
   */
  truncateSpoken(text: string): void {
    const isApology = this.#before.step === null;
    if (text === "" || (isApology && text.length <= this.#phrases.apology.length))
      this.#taken = this.#before;
  }

  get #phrases(): MessagePhrases {
    return MESSAGE_PHRASES[this.#language];
  }

  *#answered(input: Extract<LlmInput, { type: "utterance" | "digits" }>): Generator<LlmEvent> {
    const taken = this.#taken;
    const answer = (input.type === "digits" ? input.digits : input.text).trim();
    const clipped = answer.slice(0, ANSWER_CHARACTERS_MAX);
    switch (taken.step) {
      case "name":
        // Keys are not a name: the caller is ahead of the question.
        if (input.type === "digits") this.#taken = { ...taken, number: clipped, step: "message" };
        else this.#taken = { ...taken, name: clipped, step: "number" };
        break;
      case "number":
        this.#taken = { ...taken, number: clipped, step: "message" };
        break;
      case "message":
        this.#taken = { ...taken, message: clipped, step: "taken" };
        yield { type: "message", text: this.text };
        yield say(this.#phrases.thanks);
        yield { type: "end_call" };
        return;
      default:
        yield { type: "end_call" };
        return;
    }
    yield say(this.#question());
  }

  #question(): string {
    const { askName, askNumber, askMessage, thanks } = this.#phrases;
    return { name: askName, number: askNumber, message: askMessage, taken: thanks }[
      this.#taken.step ?? "name"
    ];
  }
}

const say = (text: string): LlmEvent => ({ type: "text", text });
