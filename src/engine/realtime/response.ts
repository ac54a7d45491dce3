/**
 * One response of the model, from `response.create` to `response.done`. It contains the words in
 * speakable pieces, their audio, tool calls and usage. One reader. Every wait has a limit: first
 * for the first event, then for every pause.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { isObject } from "../../core/json.ts";
import { ARGUMENT_CHARACTERS_MAX, tokenCount, toolArguments } from "../openai/answer-reader.ts";
import { SpokenPieces } from "../openai/spoken-pieces.ts";
import { estimateTokens } from "../prompt-size.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import type { AudioDecoder } from "./audio-codec.ts";
import { objectField, type ServerEvent, textField } from "./events.ts";
import { reasonOf } from "./socket.ts";
import { SpeechTrack } from "./speech-track.ts";

export interface ResponseCall {
  /** The server's id: the result is sent back under it. */
  readonly callId: string;
  readonly name: string;
  /** Null if not a JSON object, or too long. */
  readonly arguments: JsonObject | null;
}

type ResponseEvent =
  | { readonly type: "piece"; readonly text: string }
  | { readonly type: "call"; readonly call: ResponseCall };

/** A message of the response. A model may send several (commentary first, then its answer). */
interface SpokenItem {
  readonly id: string;
  /** Number of samples in the track before it. */
  readonly from: number;
  /** Number of samples up to its end, as far as they have arrived. */
  through: number;
}

export interface ResponseUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** End of a response that did not fail. */
type ResponseEnding = "whole" | "brokeOff" | "noAnswer" | "withheld";

interface ResponseOptions {
  /** Our id, for `response.create` and its metadata. */
  readonly key: string;
  /** Outside the conversation: a phrase to speak. */
  readonly outOfBand: boolean;
  readonly decoder: AudioDecoder;
  readonly sampleRateHz: number;
  readonly firstMsMax: number;
  readonly clock: Clock;
  readonly fail: (reason: ProviderFailure["reason"], message: string) => ProviderFailure;
}

const PAUSE_MS_MAX = 5_000;
/** Limit per event: its conversion blocks the audio of other calls. */
const SOUND_MS_MAX = 20_000;
/** Limit per answer; its audio is stored for two minutes. */
const WORDS_CHARACTERS_MAX = 10_000;
const RECEIVED_MAX = 20_000;
const EVENTS_MAX = 2_000;
/** Audio without words is played after this time. */
const WORDLESS_MS = 400;
const NO_WORDS = "…";

export class RealtimeResponse {
  readonly track: SpeechTrack;
  readonly #pieces = new SpokenPieces();
  readonly #events: ResponseEvent[] = [];
  readonly #finished = Promise.withResolvers<void>();
  readonly #settled = Promise.withResolvers<void>();
  #id = "";
  readonly #items: SpokenItem[] = [];
  #saying = "";
  #firstWords = "";
  #transcript = "";
  /** Items whose words have arrived. */
  readonly #written = new Set<string>();
  readonly #calls = new Set<string>();
  #speaking = false;
  #usage: ResponseUsage = { inputTokens: 0, outputTokens: 0 };
  #isUsageReported = false;
  #called = "";
  #failure: ProviderFailure | null = null;
  #over = false;
  #ending: ResponseEnding = "whole";
  #cancelled = false;
  #received = 0;
  #wake: (() => void) | null = null;
  #onProgress: (() => void) | null = null;
  #timer: Timer | null;

  constructor(readonly options: ResponseOptions) {
    const { clock, firstMsMax, fail } = options;
    this.track = new SpeechTrack(options.sampleRateHz);
    this.#timer = clock.after(firstMsMax, () =>
      this.fail(fail("timeout", `no answer within ${firstMsMax} ms`)),
    );
  }

  /** The server's id; empty before `response.created`. */
  get id(): string {
    return this.#id;
  }

  /** Its messages in the server's conversation so far, in order of speech. */
  get items(): readonly SpokenItem[] {
    return this.#items;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Whether and how the ended response is incomplete. */
  get ending(): ResponseEnding {
    return this.#ending;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get usage(): ResponseUsage {
    return this.#usage;
  }

  /** False if the server reported no usage. */
  get isUsageReported(): boolean {
    return this.#isUsageReported;
  }

  /** Estimate from the words and tool calls. */
  get outputTokensEstimated(): number {
    return estimateTokens(this.#transcript + this.#called);
  }

  /** All its words so far. */
  get transcript(): string {
    return this.#transcript;
  }

  /** Resolves when no more events of it come, for any reason. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  /** Resolves when the server has ended it too. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  settle(): void {
    this.#settled.resolve();
  }

  get failure(): ProviderFailure | null {
    return this.#failure;
  }

  /** Resolves when there are more words or audio, or at the end. One reader. */
  progress(): Promise<void> {
    if (this.#over) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onProgress = resolve;
    });
  }

  created(id: string): void {
    this.#id = id;
  }

  receive({ type, body }: ServerEvent): void {
    if (type === "response.done") this.settle();
    if (type === "response.output_item.added") this.#itemAdded(objectField(body, "item"));
    if (this.#over) return;
    this.#received++;
    if (this.#received > RECEIVED_MAX) {
      this.#endless();
      return;
    }
    switch (type) {
      case "response.output_audio.delta":
        this.#sound(body);
        break;
      case "response.output_audio_transcript.delta":
      case "response.output_text.delta":
        this.#words(textField(body, "item_id"), textField(body, "delta"));
        break;
      case "response.output_audio_transcript.done":
        // Some servers send the words only at the end.
        if (!this.#written.has(textField(body, "item_id"))) {
          this.#words(textField(body, "item_id"), textField(body, "transcript"));
        }
        break;
      case "response.output_item.done":
        this.#itemDone(objectField(body, "item"));
        break;
      case "response.done":
        this.#finish(objectField(body, "response"));
        return;
    }
    this.#alive();
  }

  /** Stops it here and keeps the data so far. The calling code must notify the server. */
  cancel(): void {
    this.#cancelled = true;
    this.#end();
  }

  fail(failure: ProviderFailure): void {
    if (this.#over) return;
    this.#failure = failure;
    this.#end();
  }

  /** Null at the end. Rejects with ProviderFailure. */
  async next(): Promise<ResponseEvent | null> {
    while (this.#events.length === 0 && !this.#over) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const event = this.#events.shift();
    if (event) return event;
    if (this.#failure && !this.#cancelled) throw this.#failure;
    return null;
  }

  #itemAdded(item: JsonObject): void {
    if (textField(item, "type") === "message") this.#itemOf(textField(item, "id"));
  }

  /** The item with this id, or the newest if the server sends no id. */
  #itemOf(id: string): SpokenItem {
    const known = this.#items.findLast((item) => id === "" || item.id === id);
    if (known) return known;
    const { samples } = this.track;
    const item: SpokenItem = { id, from: samples, through: samples };
    this.#items.push(item);
    return item;
  }

  #sound(body: JsonObject): void {
    const { decoder, fail } = this.options;
    const delta = textField(body, "delta");
    if (decoder.msOf(delta) > SOUND_MS_MAX) {
      this.fail(fail("protocol", `more than ${SOUND_MS_MAX} ms of sound in one event`));
      return;
    }
    const item = this.#itemOf(textField(body, "item_id"));
    this.track.add(decoder.decode(delta));
    item.through = this.track.samples;
    if (!this.#speaking) this.#begin();
    this.#progressed();
  }

  #endless(): void {
    this.fail(this.options.fail("protocol", "an answer that does not end"));
  }

  #words(itemId: string, words: string): void {
    if (this.#transcript.length + words.length > WORDS_CHARACTERS_MAX) {
      this.#endless();
      return;
    }
    const isNext = this.#saying !== itemId && this.#transcript !== "";
    this.#saying = itemId;
    this.#written.add(itemId);
    const delta = isNext && !/\s$/.test(this.#transcript) ? ` ${words}` : words;
    this.#transcript += delta;
    if (this.#speaking) this.#say(this.#pieces.push(delta));
    else {
      this.#firstWords += delta;
      this.#begin();
    }
    this.#progressed();
  }

  /** Once there is audio, the first whole words are a piece, so that nothing waits. */
  #begin(): void {
    if (this.track.samples === 0) return;
    const space = this.#firstWords.lastIndexOf(" ");
    const wordless = this.#firstWords === "" && this.track.ms >= WORDLESS_MS;
    if (space <= 0 && !wordless) return;
    this.#speaking = true;
    const isPlain = !/[<[{(|◁`]/u.test(this.#firstWords);
    const words = wordless ? NO_WORDS : this.#firstWords.slice(0, space).trim();
    const rest = isPlain ? this.#firstWords.slice(Math.max(0, space)) : this.#firstWords;
    if (isPlain && words !== "") this.#say([words]);
    this.#say(this.#pieces.push(rest));
  }

  #say(texts: readonly string[]): void {
    for (const text of texts) {
      this.track.addPiece(text);
      this.#emit({ type: "piece", text });
    }
  }

  #itemDone(item: JsonObject): void {
    if (textField(item, "type") !== "function_call") return;
    const id = textField(item, "call_id") || textField(item, "id");
    if (this.#calls.has(id)) return;
    this.#calls.add(id);
    const args = textField(item, "arguments");
    const call = {
      callId: id,
      name: textField(item, "name"),
      arguments: args.length > ARGUMENT_CHARACTERS_MAX ? null : toolArguments(args),
    };
    this.#called += call.name + args.slice(0, ARGUMENT_CHARACTERS_MAX);
    this.#emit({ type: "call", call });
  }

  #finish(response: JsonObject): void {
    // Calls without separate events.
    for (const item of Array.isArray(response.output) ? response.output : []) {
      if (isObject(item)) this.#itemDone(item);
    }
    const { input_tokens: input, output_tokens: output } = objectField(response, "usage");
    this.#isUsageReported = typeof input === "number" || typeof output === "number";
    this.#usage = { inputTokens: tokenCount(input), outputTokens: tokenCount(output) };
    this.#failure = this.#failureOf(response);
    this.#end();
    this.#ending = endingOf(response, this.#transcript === "" && this.track.samples === 0);
  }

  #failureOf(response: JsonObject): ProviderFailure | null {
    if (textField(response, "status") !== "failed") return null;
    const error = objectField(objectField(response, "status_details"), "error");
    const said = textField(error, "message") || textField(error, "code") || "failed";
    return this.options.fail(reasonOf(error), said);
  }

  #end(): void {
    if (this.#over) return;
    this.track.add(this.options.decoder.flush());
    const rest = this.#speaking ? [] : this.#pieces.push(this.#firstWords);
    this.#speaking = true;
    this.#say([...rest, ...this.#pieces.end()]);
    this.#over = true;
    this.#timer?.cancel();
    this.#timer = null;
    this.track.end();
    this.#wake?.();
    this.#progressed();
    this.#finished.resolve();
  }

  #progressed(): void {
    this.#onProgress?.();
    this.#onProgress = null;
  }

  #alive(): void {
    if (this.#over) return;
    const { clock, fail } = this.options;
    this.#timer?.cancel();
    this.#timer = clock.after(PAUSE_MS_MAX, () =>
      this.fail(fail("timeout", `the answer stopped for ${PAUSE_MS_MAX} ms`)),
    );
  }

  #emit(event: ResponseEvent): void {
    if (this.#events.length >= EVENTS_MAX) return;
    this.#events.push(event);
    this.#wake?.();
  }
}

function endingOf(response: JsonObject, isSilent: boolean): ResponseEnding {
  const isIncomplete = textField(response, "status") === "incomplete";
  const { reason } = objectField(response, "status_details");
  if (isIncomplete && reason === "content_filter") return "withheld";
  if (isSilent) return "noAnswer";
  return isIncomplete ? "brokeOff" : "whole";
}
