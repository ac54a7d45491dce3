/**
 * Speaks texts word for word with a model that would rather answer. Each text is requested outside
 * the conversation, and its transcript is compared with the text. Audio with a matching transcript
 * is played at once. At the first different word it stops, and the rest is requested again.
 */

import { NOTHING_USED, UnsupportedText } from "../../conversation/engine-port.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { RealtimeLink } from "./link.ts";
import type { RealtimeResponse, ResponseUsage } from "./response.ts";

const ATTEMPTS_MAX = 2;
/** Texts requested before they are spoken. */
const AHEAD_MAX = 2;
const ANNOUNCED_MAX = 32;
/** Duration per letter in slow speech. Audio further ahead of its words must wait for them. */
const MS_PER_LETTER_MAX = 130;
const UNCONFIRMED_MS_MAX = 300;
/** A repeated word is better than a missing one. */
const MS_PER_CHARACTER_SPOKEN = 80;

export class Phrases {
  #usage: ResponseUsage = NOTHING_USED;
  /** Texts announced but not requested yet. */
  #announced: string[] = [];
  readonly #ahead = new Map<string, Promise<RealtimeResponse>>();

  constructor(
    private readonly link: RealtimeLink,
    /** Instructions for reading a text aloud. */
    private readonly manner: (language: AgentLanguage) => string,
  ) {}

  /** Returns the usage since the last call. */
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

  /** Rejects with UnsupportedText if the model says something else. */
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
      // A text requested ahead may only have waited for the previous one.
      if (isAhead && failure.reason === "timeout") continue;
      // A failed phrase is no reason to give up a working session.
      throw new UnsupportedText(failure.message, unspoken);
    }
    throw new UnsupportedText("it said something else, or nothing", unspoken);
  }

  /** Yields confirmed audio as it arrives. Returns the unspoken text. */
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

/** Maximum duration of these words. */
const confirmedMs = (said: string): number =>
  said === "" ? 0 : said.length * MS_PER_LETTER_MAX + UNCONFIRMED_MS_MAX;

/** Remaining text after `playedMs` of audio and `lettersSaid` correct letters. */
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

/** Index after the first `count` letters of a text. */
function endOfLetters(text: string, count: number): number {
  let left = count;
  for (const { 0: letter, index } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    if (left <= 0) return index;
    left -= letters(letter).length;
  }
  return left <= 0 ? text.length : 0;
}

/** Letters of a text without punctuation, for comparison. */
export const letters = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
