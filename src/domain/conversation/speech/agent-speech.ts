/**
 * The agent's side: from pieces of text to played audio, and back to "what was really heard".
 *
 * Pieces are synthesised and queued in order, ahead of playout by a bounded time. Each knows its
 * place in the playout, so that after a cut the text is split where the audio was: whole pieces that
 * were played, the words of the cut one up to the cut, and the rest.
 */
import { type Clock, sleep } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { CallAudio } from "../audio-port.ts";
import { withDeadline } from "../deadline.ts";
import { EngineFailure, type TtsStream } from "../engine-port.ts";
import { PLAYOUT_AHEAD_MS_MAX, TTS_TIMEOUT_MS } from "../limits.ts";
import type { EchoGuard } from "./echo.ts";
import type { CachedPhrases } from "./phrase-cache.ts";

/**
 * Whose words a piece is. Only the LLM's own belong into its history; a greeting or an answer is
 * worth going on with after a false interruption, a filler is not.
 */
type PieceOrigin = "llm" | "greeting" | "phrase" | "disclosure";

interface Piece {
  readonly text: string;
  readonly origin: PieceOrigin;
  /** Place in the playout (`CallAudio.playedMs`); null before the first sample is queued. */
  startMs: number | null;
  endMs: number;
  complete: boolean;
}

export interface Spoken {
  /** All that was heard, in order. */
  readonly playedText: string;
  /** Of that, greeting and LLM's own words; null where there were none in this turn. */
  readonly playedLlmText: string | null;
  /** Greeting or answer that was not heard; begins with the sentence that was cut. */
  readonly unplayed: readonly string[];
  /** Something was not heard. */
  readonly cut: boolean;
  /** How long the LLM's own words sounded. */
  readonly playedMs: number;
}

interface AgentSpeechOptions {
  readonly audio: CallAudio;
  readonly tts: TtsStream;
  readonly phrases: CachedPhrases;
  readonly echo: EchoGuard;
  readonly clock: Clock;
  readonly log: Log;
  /** Each piece, before it is synthesised. */
  readonly onText?: (text: string) => void;
  /** The voice failed twice in a row. */
  readonly onFailure: (failure: EngineFailure) => void;
  /** The first samples of a piece that the LLM or the greeting wanted are queued. */
  readonly onFirstAudio?: () => void;
  readonly onSynthesised: (characters: number) => void;
  readonly onSynthesisedInVain: (characters: number) => void;
}

/** Slow speech, for a guess at the length of a piece whose synthesis was stopped. */
const MS_PER_CHARACTER = 65;
const BACKPRESSURE_POLL_MS = 100;
const PART_MS = 5_000;
const PIECES_MAX = 500;
/** A lost sentence is made once more. */
const FAILURES_MAX = 2;

export class AgentSpeech {
  #pieces: Piece[] = [];
  #waiting: Piece[] = [];
  #synthesising = false;
  #abort = new AbortController();
  /** Being made for an answer that may never be said; empty: nothing. */
  #prepared = "";
  /** What may still be said to its end before a transfer. */
  #lastPiece: Piece | null = null;
  #failuresInARow = 0;

  constructor(private readonly options: AgentSpeechOptions) {}

  /** Begins to make what will be said next, perhaps: `say` or `dropPrepared` follows. */
  prepare(text: string): void {
    const { phrases, tts } = this.options;
    if (phrases.get(text) === null && tts.prefetch?.(text)) this.#prepared = text;
  }

  /** It will not be said. */
  dropPrepared(): void {
    if (this.#prepared === "") return;
    this.options.onSynthesisedInVain(this.#prepared.length);
    this.#prepared = "";
    this.options.tts.dropPrefetched?.();
  }

  /** Says `text` after what is being said. */
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
   * Says `text` at once, before what is still being synthesised. False when it is not in the cache:
   * then nothing would be won.
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

  /** Only the sentence that is being played is still said; `lastSentenceSaid` tells its end. */
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

  /** Nothing is queued for the caller, although words are there. */
  get starving(): boolean {
    return this.options.audio.queuedMs === 0;
  }

  /** Anything still to be synthesised or played. */
  get busy(): boolean {
    return this.#synthesising || this.#waiting.length > 0 || this.options.audio.queuedMs > 0;
  }

  /** At least one sample of the running turn has been played. */
  get audible(): boolean {
    const start = this.#pieces[0]?.startMs ?? null;
    return start !== null && this.options.audio.playedMs > start;
  }

  /** Words are there that were not played to the end: the agent means to speak. */
  get hasWords(): boolean {
    return this.#pieces.length > 0;
  }

  /** Some of the running turn has been queued already. */
  get hasSpoken(): boolean {
    return this.#pieces.some((piece) => piece.startMs !== null);
  }

  /** 0 to 1: how much of the disclosure was heard; null when none is in the running turn. */
  get disclosureShare(): number | null {
    const piece = this.#pieces.find(({ origin }) => origin === "disclosure");
    if (!piece) return null;
    return piece.startMs === null ? 0 : this.#playedShare(piece);
  }

  /** What must not be cut is still being said. */
  get protectedNow(): boolean {
    return this.#pieces.some(
      (piece) => piece.origin === "disclosure" && this.#playedShare(piece) < 1,
    );
  }

  /** Milliseconds still to be played, as far as they are synthesised; null while more is to come. */
  get remainingMs(): number | null {
    if (this.#synthesising || this.#waiting.length > 0) return null;
    return this.options.audio.queuedMs;
  }

  /** Ends the turn: everything was said. */
  finish(): Spoken {
    return this.#split(() => 1);
  }

  /** The voice was lost: the sentences that it had not finished begin anew. */
  retry(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#waiting = this.#pieces.filter((piece) => !piece.complete);
    for (const piece of this.#waiting) piece.startMs = null;
    if (!this.#synthesising && this.#waiting.length > 0) void this.#synthesiseWaiting();
  }

  /** Cuts the turn short where it is, fading out. */
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

  /** 0 to 1: how much of a piece has been played. */
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

  /** Queues in parts, each when there is room: a long cached phrase would not fit at one go. */
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
