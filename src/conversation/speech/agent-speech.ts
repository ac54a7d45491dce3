/**
 * Converts the agent's text into played audio, and computes which text was really heard.
 *
 * Pieces are synthesised and queued in order, ahead of playout by a limited time. Each piece has its position
 * in the playout. After a cut, the text is split at the audio position: pieces played in full, the
 * words of the cut piece up to the cut, and the rest.
 */
import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { CallAudio } from "../audio-port.ts";
import { withDeadline } from "../deadline.ts";
import { EngineFailure, type TtsStream } from "../engine-port.ts";
import { PLAYOUT_AHEAD_MS_MAX, TTS_TIMEOUT_MS } from "../limits.ts";
import type { EchoGuard } from "./echo.ts";
import type { CachedPhrases } from "./phrase-cache.ts";

/**
 * Source of a piece. Only `llm` text belongs into the LLM's history. After a false interruption a greeting or
 * an answer is resumed; a filler is not.
 */
type PieceOrigin = "llm" | "greeting" | "phrase" | "disclosure";

interface Piece {
  readonly text: string;
  readonly origin: PieceOrigin;
  /** Position in the playout (`CallAudio.playedMs`); null before the first sample is queued. */
  startMs: number | null;
  endMs: number;
  complete: boolean;
}

export interface Spoken {
  /** All heard text, in order. */
  readonly playedText: string;
  /** Heard text of greeting and LLM; null if this turn had none. */
  readonly playedLlmText: string | null;
  /** Unheard greeting or answer text, beginning with the cut sentence. */
  readonly unplayed: readonly string[];
  /** True if some text was not heard. */
  readonly cut: boolean;
  /** Milliseconds of heard LLM text. */
  readonly playedMs: number;
}

interface AgentSpeechOptions {
  readonly audio: CallAudio;
  readonly tts: TtsStream;
  readonly phrases: CachedPhrases;
  readonly echo: EchoGuard;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each piece before its synthesis. */
  readonly onText?: (text: string) => void;
  /** Called when TTS fails twice in a row. */
  readonly onFailure: (failure: EngineFailure) => void;
  /** Called when the first samples of an LLM or greeting piece are queued. */
  readonly onFirstAudio?: () => void;
  readonly onSynthesised: (characters: number) => void;
  readonly onSynthesisedInVain: (characters: number) => void;
}

/** Slow speech rate, used to estimate the length of a piece whose synthesis was stopped. */
const MS_PER_CHARACTER = 65;
const BACKPRESSURE_POLL_MS = 100;
const PART_MS = 5_000;
const PIECES_MAX = 500;
/** A failed sentence is synthesised once more. */
const FAILURES_MAX = 2;

export class AgentSpeech {
  #pieces: Piece[] = [];
  #waiting: Piece[] = [];
  #synthesising = false;
  #abort = new AbortController();
  /** Text in synthesis for an answer that may never be said; empty: none. */
  #prepared = "";
  /** Last piece that may be finished before a transfer. */
  #lastPiece: Piece | null = null;
  #failuresInARow = 0;

  constructor(private readonly options: AgentSpeechOptions) {}

  /** Starts to synthesise a text that may be said next; `say` or `dropPrepared` follows. */
  prepare(text: string): void {
    const { phrases, tts } = this.options;
    if (phrases.get(text) === null && tts.prefetch?.(text)) this.#prepared = text;
  }

  /** Discards the prepared text. */
  dropPrepared(): void {
    if (this.#prepared === "") return;
    this.options.onSynthesisedInVain(this.#prepared.length);
    this.#prepared = "";
    this.options.tts.dropPrefetched?.();
  }

  /** Appends `text` to the playout. */
  say(text: string, origin: PieceOrigin): void {
    if (text.trim() === "" || this.#pieces.length >= PIECES_MAX) return;
    if (text === this.#prepared) this.#prepared = "";
    const piece: Piece = { text, origin, startMs: null, endMs: 0, complete: false };
    this.options.onText?.(text);
    this.#pieces.push(piece);
    this.#waiting.push(piece);
    if (this.#synthesising) this.options.tts.prefetch?.(text);
    if (!this.#synthesising) void this.#synthesiseWaiting();
  }

  /**
   * Says `text` immediately, before pieces that are still in synthesis. Returns false if it is not in the
   * cache, because it would not be faster then.
   */
  interject(text: string): boolean {
    const { audio, phrases, echo } = this.options;
    const pcm = phrases.get(text);
    if (!pcm || audio.queuedMs > 0) return false;
    const place = this.#placeNow();
    const before = this.#pieces.findIndex((piece) => piece.startMs === null);
    const piece: Piece = { text, origin: "phrase", startMs: place, endMs: 0, complete: true };
    echo.willPlay(pcm, place);
    audio.play(pcm);
    piece.endMs = this.#placeNow();
    this.#pieces.splice(before < 0 ? this.#pieces.length : before, 0, piece);
    return true;
  }

  /** Drops everything after the current sentence; `lastSentenceSaid` becomes true at its end. */
  keepToSentence(): void {
    const { playedMs } = this.options.audio;
    this.#lastPiece =
      this.#pieces.find(
        (piece) =>
          piece.startMs !== null && playedMs >= piece.startMs && this.#playedShare(piece) < 1,
      ) ?? null;
  }

  get lastSentenceSaid(): boolean {
    return this.#lastPiece === null || this.#playedShare(this.#lastPiece) >= 1;
  }

  /** True if no audio is queued for the caller. */
  get starving(): boolean {
    return this.options.audio.queuedMs === 0;
  }

  /** True while text is still to be synthesised or played. */
  get busy(): boolean {
    return this.#synthesising || this.#waiting.length > 0 || this.options.audio.queuedMs > 0;
  }

  /** True if at least one sample of the current turn has been played. */
  get audible(): boolean {
    const start = this.#pieces[0]?.startMs ?? null;
    return start !== null && this.options.audio.playedMs > start;
  }

  /** True if some text was not played to its end. */
  get hasWords(): boolean {
    return this.#pieces.length > 0;
  }

  /** True if some audio of the current turn was queued. */
  get hasSpoken(): boolean {
    return this.#pieces.some((piece) => piece.startMs !== null);
  }

  /** Heard share of the disclosure, 0 to 1; null if the current turn has none. */
  get disclosureShare(): number | null {
    const piece = this.#pieces.find(({ origin }) => origin === "disclosure");
    if (!piece) return null;
    return piece.startMs === null ? 0 : this.#playedShare(piece);
  }

  /** True while a piece that must not be cut is playing. */
  get protectedNow(): boolean {
    return this.#pieces.some(
      (piece) => piece.origin === "disclosure" && this.#playedShare(piece) < 1,
    );
  }

  /** Milliseconds still to be played; null while synthesis continues. */
  get remainingMs(): number | null {
    if (this.#synthesising || this.#waiting.length > 0) return null;
    return this.options.audio.queuedMs;
  }

  /** Ends the turn: everything was said. */
  finish(): Spoken {
    return this.#split(() => 1);
  }

  /** TTS was lost: synthesises the unfinished sentences again. */
  retry(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#waiting = this.#pieces.filter((piece) => !piece.complete);
    for (const piece of this.#waiting) piece.startMs = null;
    if (!this.#synthesising && this.#waiting.length > 0) void this.#synthesiseWaiting();
  }

  /** Cuts the turn short with a fade-out. */
  stop(fadeMs: number): Spoken {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#waiting = [];
    if (this.#prepared === "") this.options.tts.dropPrefetched?.();
    const spoken = this.#split((piece) => this.#playedShare(piece));
    this.options.audio.stopPlaying(fadeMs);
    return spoken;
  }

  #split(shareOf: (piece: Piece) => number): Spoken {
    const playedText: string[] = [];
    const playedLlmText: string[] = [];
    const unplayed: string[] = [];
    for (const piece of this.#pieces) {
      const share = shareOf(piece);
      const text = share >= 1 ? piece.text : wordsUpTo(piece.text, share);
      playedText.push(text);
      if (piece.origin === "llm" || piece.origin === "greeting") playedLlmText.push(text);
      const isResumable = piece.origin === "llm" || piece.origin === "greeting";
      if (isResumable && share < 1) unplayed.push(piece.text);
    }
    const cut = this.#pieces.some((piece) => shareOf(piece) < 1);
    const playedMs = this.#playedLlmMs(shareOf);
    this.#pieces = [];
    return {
      playedText: sentence(playedText),
      playedLlmText: playedLlmText.length > 0 ? sentence(playedLlmText) : null,
      unplayed,
      cut,
      playedMs,
    };
  }

  #playedLlmMs(shareOf: (piece: Piece) => number): number {
    const own = this.#pieces.filter(
      ({ origin, startMs }) => (origin === "llm" || origin === "greeting") && startMs !== null,
    );
    const ms = own.reduce(
      (sum, piece) => sum + (piece.endMs - (piece.startMs ?? 0)) * shareOf(piece),
      0,
    );
    return Math.round(ms);
  }

  /** Played share of a piece, 0 to 1. */
  #playedShare(piece: Piece): number {
    if (piece.startMs === null) return 0;
    const playedMs = this.options.audio.playedMs - piece.startMs;
    const knownMs = piece.endMs - piece.startMs;
    const lengthMs = piece.complete ? knownMs : Math.max(knownMs, guessMs(piece.text));
    return lengthMs <= 0 ? 1 : Math.max(0, Math.min(1, playedMs / lengthMs));
  }

  async #synthesiseWaiting(): Promise<void> {
    this.#synthesising = true;
    const { signal } = this.#abort;
    try {
      for (let piece = this.#waiting.shift(); piece; piece = this.#waiting.shift()) {
        await this.#synthesise(piece, signal);
        if (signal.aborted) break;
      }
    } catch (error) {
      if (!signal.aborted) this.#failed(asTtsFailure(error));
    } finally {
      this.#synthesising = false;
      if (this.#waiting.length > 0) void this.#synthesiseWaiting();
    }
  }

  #failed(failure: EngineFailure): void {
    this.#failuresInARow++;
    if (this.#failuresInARow >= FAILURES_MAX) {
      this.options.onFailure(failure);
      return;
    }
    this.options.log.warn("voice.retried", { error: describeError(failure) });
    this.retry();
  }

  async #synthesise(piece: Piece, signal: AbortSignal): Promise<void> {
    const cached = this.options.phrases.get(piece.text);
    if (cached) {
      await this.#play(piece, cached, signal);
    } else {
      this.options.onSynthesised(piece.text.length);
      const chunks = this.options.tts.speak(piece.text, signal)[Symbol.asyncIterator]();
      for (;;) {
        const next = await this.#within(chunks.next());
        if (signal.aborted) return;
        if (next.done) break;
        await this.#play(piece, next.value, signal);
      }
      this.#failuresInARow = 0;
    }
    if (!signal.aborted) piece.complete = true;
    if (piece.startMs === null) piece.startMs = piece.endMs = this.#placeNow();
  }

  /** Queues the audio in parts as space becomes free, because a long cached phrase may exceed the queue. */
  async #play(piece: Piece, pcm: Int16Array, signal: AbortSignal): Promise<void> {
    const { audio, echo, clock } = this.options;
    const partSamples = (audio.sampleRateHz / 1_000) * PART_MS;
    for (let start = 0; start < pcm.length; start += partSamples) {
      while (audio.queuedMs > PLAYOUT_AHEAD_MS_MAX && !signal.aborted) {
        await sleep(clock, BACKPRESSURE_POLL_MS);
      }
      if (signal.aborted) return;
      const part = pcm.subarray(start, start + partSamples);
      const place = this.#placeNow();
      echo.willPlay(part, place);
      audio.play(part);
      if (piece.startMs === null && piece.origin === "llm") this.options.onFirstAudio?.();
      piece.startMs ??= place;
      piece.endMs = this.#placeNow();
    }
  }

  #placeNow(): number {
    return this.options.audio.playedMs + this.options.audio.queuedMs;
  }

  #within<Value>(work: Promise<Value>): Promise<Value> {
    const failure = () => new EngineFailure("tts", `no audio within ${TTS_TIMEOUT_MS} ms`);
    return withDeadline(this.options.clock, work, TTS_TIMEOUT_MS, failure);
  }
}

const sentence = (parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join(" ");

const guessMs = (text: string): number => text.length * MS_PER_CHARACTER;

/** The whole words within the first `share` of the text. */
export function wordsUpTo(text: string, share: number): string {
  const end = Math.floor(text.length * share);
  if (end >= text.length) return text;
  const cut = text.slice(0, end + 1);
  const lastSpace = cut.search(/\s\S*$/);
  return lastSpace <= 0 ? "" : cut.slice(0, lastSpace).trimEnd();
}

function asTtsFailure(error: unknown): EngineFailure {
  if (error instanceof EngineFailure) return error;
  return new EngineFailure("tts", "synthesis failed", { cause: error });
}
