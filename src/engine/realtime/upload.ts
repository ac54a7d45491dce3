/**
 * Upload of one utterance to a Realtime server. Its audio is sent while it is spoken, and again
 * from its beginning in a new session. Ends with its text or a failure.
 */

import type { SttResult } from "../../conversation/engine-port.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { UtteranceAudio } from "../utterance-audio.ts";
import { AudioEncoder } from "./audio-codec.ts";
import { type AudioFormat, textField } from "./events.ts";

/** These services report no confidence. */
const CONFIDENCE = 0.9;

interface UploadOptions {
  /** Prefix of its event ids, before a number. */
  readonly key: string;
  readonly format: AudioFormat;
  readonly sampleRateHz: number;
  readonly clock: Clock;
  /** True if the session is ready. */
  readonly isOpen: () => boolean;
  /** Returns false if there is no session. */
  readonly send: (event: JsonObject) => boolean;
}

export class Upload {
  readonly #audio: UtteranceAudio;
  #encoder: AudioEncoder;
  #sent = 0;
  #events = 0;
  #over = false;
  #timer: Timer | null = null;
  readonly #result = Promise.withResolvers<SttResult>();
  /** The server's items for it; each with its text once transcribed. */
  readonly items = new Map<string, string | null>();
  /** We have committed it, but the server has not confirmed that yet. */
  awaitsCommit = false;

  constructor(
    private readonly options: UploadOptions,
    lead: Int16Array,
  ) {
    this.#audio = new UtteranceAudio(options.sampleRateHz);
    this.#audio.start(lead);
    this.#encoder = new AudioEncoder(options.format, options.sampleRateHz);
    this.#result.promise.catch(() => {});
  }

  /** True after the end of speech. */
  get over(): boolean {
    return this.#over;
  }

  get audioMs(): number {
    return this.#audio.ms;
  }

  get result(): Promise<SttResult> {
    return this.#result.promise;
  }

  push(pcm: Int16Array): void {
    this.#audio.push(pcm);
    this.send();
  }

  /** Sends the rest of the audio. */
  send(): void {
    const fresh = this.#audio.pcm.subarray(this.#sent);
    if (fresh.length === 0 || !this.options.isOpen()) return;
    const audio = this.#encoder.encode(fresh);
    const gone = audio === "" || this.#send({ type: "input_audio_buffer.append", audio });
    if (gone) this.#sent += fresh.length;
    else this.restart();
  }

  /** For a new session: everything must be sent again. */
  restart(): void {
    this.#sent = 0;
    this.#encoder = new AudioEncoder(this.options.format, this.options.sampleRateHz);
    this.items.clear();
    this.awaitsCommit = false;
  }

  /** The caller has finished; `result` has a time limit from now on. */
  end(timeoutMs: number, onLate: () => void): void {
    this.#over = true;
    this.#timer = this.options.clock.after(timeoutMs, onLate);
  }

  /** Sends the rest and the commit. If the server detected the end, it has already committed. */
  commit(): void {
    this.send();
    const audio = this.#encoder.flush();
    if (audio !== "") this.#send({ type: "input_audio_buffer.append", audio });
    if (this.items.size > 0) return;
    this.awaitsCommit = true;
    this.#send({ type: "input_audio_buffer.commit" });
  }

  /** Whether an error is about an event of this upload. */
  isAbout(error: JsonObject): boolean {
    const { event_id: id } = error;
    return typeof id === "string" && id.startsWith(`${this.options.key}_`);
  }

  #send(event: JsonObject): boolean {
    return this.options.send({ event_id: `${this.options.key}_${++this.#events}`, ...event });
  }

  /** All its texts, if complete; otherwise null. */
  get text(): string | null {
    const texts = [...this.items.values()];
    if (texts.length === 0 || texts.includes(null)) return null;
    return texts.join(" ").trim();
  }

  resolve(text: string): void {
    this.#timer?.cancel();
    this.#result.resolve({ text, confidence: CONFIDENCE, audioMs: this.audioMs });
  }

  reject(error: Error): void {
    this.#timer?.cancel();
    this.#result.reject(error);
  }
}

/** The utterance of an item that the server created. */
export function committedFor(uploads: readonly Upload[]): Upload | null {
  const awaited = uploads.find((upload) => upload.awaitsCommit);
  if (awaited) awaited.awaitsCommit = false;
  return awaited ?? uploads.at(-1) ?? null;
}

/** The server found no speech in it. */
export const isNothing = (error: JsonObject): boolean =>
  textField(error, "code") === "input_audio_buffer_commit_empty";
