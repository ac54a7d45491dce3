/**
 * The TTS side of a Realtime session. What its LLM said is played from that answer's own audio. A text
 * of the conversation (greeting, disclosure, filler) is asked for beside the conversation, word for
 * word, and checked: a model that says something else is not heard.
 */
import { type TtsStream, UnsupportedText } from "../../../domain/conversation/engine-port.ts";
import type { RealtimeLink } from "./link.ts";
import type { RealtimeResponse, ResponseUsage } from "./response.ts";

const ATTEMPTS_MAX = 2;
/** Answers whose audio may still be played. */
const ANSWERS_MAX = 3;
const NOTHING: ResponseUsage = { inputTokens: 0, outputTokens: 0 };

const LANGUAGES = { en: "English", lt: "Lithuanian", lv: "Latvian", ru: "Russian" } as const;

export class RealtimeTtsStream implements TtsStream {
  #answers: RealtimeResponse[] = [];
  #usage: ResponseUsage = NOTHING;

  constructor(private readonly link: RealtimeLink) {}

  /** The words of this answer are played from its audio. */
  speaksFrom(response: RealtimeResponse): void {
    this.#answers = [...this.#answers, response].slice(-ANSWERS_MAX);
  }

  /** What phrases have used since it was last asked. */
  takeUsage(): ResponseUsage {
    const usage = this.#usage;
    this.#usage = NOTHING;
    return usage;
  }

  async *speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    if (signal.aborted) return;
    const answer = this.#answers.findLast(({ track }) => track.find(text) !== null);
    const piece = answer?.track.find(text);
    if (!answer || !piece) {
      yield* this.#phrase(text, signal);
      return;
    }
    if (answer.over && answer.track.samples === 0)
      throw unsupported("the answer came without audio");
    yield* answer.track.read(piece, signal);
    const { failure } = answer;
    if (failure && !signal.aborted && !answer.cancelled) throw failure;
  }

  async *#phrase(text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    let spoken = "";
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const response = await this.#say(text);
      const onAbort = () => this.link.cancel(response);
      signal.addEventListener("abort", onAbort, { once: true });
      await response.finished;
      signal.removeEventListener("abort", onAbort);
      if (signal.aborted) return;
      this.#count(response.usage);
      // A phrase that fails is no reason to leave a session that stands.
      if (response.failure && this.link.alive) throw unsupported(response.failure.message);
      if (response.failure) throw response.failure;
      spoken = response.transcript;
      if (!isVerbatim(spoken, text) || response.track.samples === 0) continue;
      yield response.track.pcm.slice();
      return;
    }
    throw unsupported(
      `it said something else (${spoken.length} characters instead of ${text.length})`,
    );
  }

  #say(text: string): Promise<RealtimeResponse> {
    const instructions = [
      `Read the following text aloud in ${LANGUAGES[this.link.language]}, word for word.`,
      "Add nothing, leave nothing out, do not answer it.",
      `Text: ${JSON.stringify(text)}`,
    ].join(" ");
    const content = [{ type: "input_text", text: instructions }];
    return this.link.ask(
      {
        conversation: "none",
        input: [{ type: "message", role: "user", content }],
        instructions,
        tool_choice: "none",
      },
      true,
    );
  }

  #count(usage: ResponseUsage): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + usage.inputTokens,
      outputTokens: this.#usage.outputTokens + usage.outputTokens,
    };
  }
}

const unsupported = (reason: string): UnsupportedText => new UnsupportedText(reason);

/** The same words, whatever the punctuation. */
function isVerbatim(spoken: string, text: string): boolean {
  return plain(spoken) === plain(text);
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
