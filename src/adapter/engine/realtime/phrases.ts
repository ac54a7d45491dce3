/**
 * Texts that are said word for word by a model that would rather answer: each is asked for beside the
 * conversation and compared, as it is transcribed, with what it was to be. What the transcript confirms is
 * played at once; at the first other word it stops, and what is missing is asked for again.
 */
import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import { NOTHING_USED, UnsupportedText } from "../../../domain/conversation/engine-port.ts";
import type { RealtimeLink } from "./link.ts";
import type { RealtimeResponse, ResponseUsage } from "./response.ts";

const ATTEMPTS_MAX = 2;
/** Texts that are asked for before they are spoken. */
const AHEAD_MAX = 2;
const ANNOUNCED_MAX = 32;
/** Slow speech: sound that runs further ahead of its words waits for them. */
const MS_PER_LETTER_MAX = 130;
const UNCONFIRMED_MS_MAX = 300;
/** Rather a word twice than one that is missing. */
const MS_PER_CHARACTER_SPOKEN = 80;

export class Phrases {
  #usage: ResponseUsage = NOTHING_USED;
  /** Announced, and not asked for yet. */
  #announced: string[] = [];
  readonly #ahead = new Map<string, Promise<RealtimeResponse>>();

  constructor(
    private readonly link: RealtimeLink,
    /** How a text is to be read out. */
    private readonly manner: (language: AgentLanguage) => string,
  ) {}

  /** What phrases have used since it was last asked. */
  takeUsage(): ResponseUsage {
    const usage = this.#usage;
    this.#usage = NOTHING_USED;
    return usage;
  }

  prefetch(text: string): boolean {
    if (!this.#ahead.has(text) && this.#announced.length < ANNOUNCED_MAX) {
      this.#announced.push(text);
      this.#askAhead();
    }
    return this.#ahead.has(text);
  }

  dropPrefetched(): void {
    this.#announced = [];
    for (const asked of this.#ahead.values()) {
      asked.then(
        (response) => this.link.cancel(response),
        () => {},
      );
    }
    this.#ahead.clear();
  }

  /** Rejects with UnsupportedText where the model says something else. */
  async *speak(text: string, signal: AbortSignal): AsyncGenerator<Int16Array> {
    let unspoken = text;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const isAhead = this.#ahead.has(unspoken);
      const response = await this.#responseTo(unspoken);
      const onAbort = () => {
        this.link.cancel(response);
        this.dropPrefetched();
      };
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        unspoken = yield* this.#read(response, unspoken, signal);
      } finally {
        signal.removeEventListener("abort", onAbort);
        this.link.cancel(response);
      }
      if (signal.aborted) return;
      this.#count(response.usage);
      if (unspoken === "") return;
      const { failure } = response;
      if (!failure) continue;
      if (!this.link.alive) throw failure;
      // One that was asked for ahead may only have waited for the one before it.
      if (isAhead && failure.reason === "timeout") continue;
      // A phrase that fails is no reason to leave a session that stands.
      throw new UnsupportedText(failure.message, unspoken);
    }
    throw new UnsupportedText("it said something else, or nothing", unspoken);
  }

  /** Hands out what is confirmed as it comes; returns what was not said. */
  async *#read(
    response: RealtimeResponse,
    text: string,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array, string> {
    const { track } = response;
    const wanted = letters(text);
    let released = 0;
    for (;;) {
      const progress = response.progress();
      const isOver = response.over;
      const said = letters(response.transcript);
      const isVerbatim = wanted.startsWith(said);
      const isWhole = isOver && said === wanted;
      if (signal.aborted) return "";
      const limitMs = isWhole ? Number.POSITIVE_INFINITY : confirmedMs(isVerbatim ? said : "");
      const end = Math.min(track.samples, Math.floor((limitMs / 1_000) * track.sampleRateHz));
      if (end > released) {
        const pcm = track.pcm.slice(released, end);
        released = end;
        yield pcm;
      }
      if (isWhole && released > 0) return "";
      if (isOver || !isVerbatim) {
        return unspokenOf(text, track.msOf(released), sharedLength(wanted, said));
      }
      await progress;
    }
  }

  async #responseTo(text: string): Promise<RealtimeResponse> {
    this.#announced = this.#announced.filter((announced) => announced !== text);
    const ahead = this.#ahead.get(text);
    this.#ahead.delete(text);
    const asked = ahead ?? this.#ask(text);
    this.#askAhead();
    return await asked;
  }

  #askAhead(): void {
    while (this.#ahead.size < AHEAD_MAX) {
      const text = this.#announced.shift();
      if (text === undefined) return;
      const asked = this.#ask(text);
      asked.catch(() => {});
      this.#ahead.set(text, asked);
    }
  }

  #ask(text: string): Promise<RealtimeResponse> {
    const instructions = [
      this.manner(this.link.language),
      "Add nothing, leave nothing out, do not answer it.",
      `Text: ${JSON.stringify(text)}`,
    ].join(" ");
    const content = [{ type: "input_text", text: instructions }];
    const input = [{ type: "message", role: "user", content }];
    return this.link.ask({ conversation: "none", input, instructions, tool_choice: "none" }, true);
  }

  #count(usage: ResponseUsage): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + usage.inputTokens,
      outputTokens: this.#usage.outputTokens + usage.outputTokens,
    };
  }
}

/** How much sound these words can be. */
const confirmedMs = (said: string): number =>
  said === "" ? 0 : said.length * MS_PER_LETTER_MAX + UNCONFIRMED_MS_MAX;

/** What is left of a text of which so much was played, and so many letters were right. */
function unspokenOf(text: string, playedMs: number, lettersSaid: number): string {
  const right = endOfLetters(text, lettersSaid);
  const characters = Math.min(right, Math.floor(playedMs / MS_PER_CHARACTER_SPOKEN));
  if (characters <= 0) return text;
  if (characters >= text.length) return "";
  return text.slice(text.lastIndexOf(" ", characters) + 1).trim();
}

function sharedLength(wanted: string, said: string): number {
  let length = 0;
  while (length < said.length && said[length] === wanted[length]) length++;
  return length;
}

/** Where in a text its first so many letters end. */
function endOfLetters(text: string, count: number): number {
  let left = count;
  for (const { 0: letter, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    if (left <= 0) return index;
    left -= letters(letter).length;
  }
  return left <= 0 ? text.length : 0;
}

/** The same words, whatever the punctuation. */
export const letters = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
