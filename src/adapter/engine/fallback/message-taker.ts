/**
 * Answers when no language model does: apologises, asks for name, number and message in the caller's
 * language, thanks and ends the call. It needs no model and understands nothing: whatever is said after a
 * question is the answer, and what was not transcribed is on the recording.
 */
import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import type {
  ExpectedAnswer,
  LlmEvent,
  LlmInput,
} from "../../../domain/conversation/engine-port.ts";
import { MESSAGE_PHRASES, type MessagePhrases } from "./message-phrases.ts";

type Step = "name" | "number" | "message" | "taken";

interface TakenMessage {
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
  #step: Step | null = null;
  #name = "";
  #number = "";
  #message = "";
  #language: AgentLanguage;

  constructor(
    language: AgentLanguage,
    /** Where the caller is called back when no number is understood; may be empty. */
    private readonly callerNumber: string,
  ) {
    this.#language = language;
  }

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
  }

  get begun(): boolean {
    return this.#step !== null;
  }

  /** What is known of it so far, as text; empty before anything was asked. */
  get text(): string {
    if (!this.#step || this.#step === "name") return "";
    const { name, number, message } = this.#phrases;
    const { name: who, number: where, message: what } = this.#known();
    return `${name}: ${who}. ${number}: ${where}. ${message}: ${what}`;
  }

  get outage(): string {
    return this.#phrases.outage;
  }

  /** The first input is answered with the apology, whatever it was. */
  *respond(input: LlmInput): Generator<LlmEvent> {
    const phrases = this.#phrases;
    if (this.#step === null) {
      this.#step = "name";
      yield say(phrases.apology);
      yield say(phrases.askName);
    } else if (input.type === "silence" || input.type === "tool_result") {
      if (input.type === "silence") yield say(this.#question());
    } else yield* this.#answered(input);
    yield { type: "expect", answer: EXPECTED[this.#step ?? "taken"] };
    yield { type: "done", usage: { inputTokens: 0, outputTokens: 0 } };
  }

  get #phrases(): MessagePhrases {
    return MESSAGE_PHRASES[this.#language];
  }

  *#answered(input: Extract<LlmInput, { type: "utterance" | "digits" }>): Generator<LlmEvent> {
    const answer = (input.type === "digits" ? input.digits : input.text).trim();
    const clipped = answer.slice(0, ANSWER_CHARACTERS_MAX);
    switch (this.#step) {
      case "name":
        // Keys are no name: the caller is ahead of the question.
        if (input.type === "digits") this.#number = clipped;
        else this.#name = clipped;
        this.#step = this.#number === "" ? "number" : "message";
        break;
      case "number":
        this.#number = clipped;
        this.#step = "message";
        break;
      case "message":
        this.#message = clipped;
        this.#step = "taken";
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
      this.#step ?? "name"
    ];
  }

  #known(): TakenMessage {
    const { onTheRecording } = this.#phrases;
    const spoken = (text: string) => (text === "" ? onTheRecording : text);
    const number = this.#number || this.callerNumber;
    return { name: spoken(this.#name), number: spoken(number), message: spoken(this.#message) };
  }
}

const say = (text: string): LlmEvent => ({ type: "text", text });
