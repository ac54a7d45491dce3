/**
 * One utterance on its way to a Realtime server: its audio goes out as it is spoken, and again from
 * its beginning when the session had to be opened anew. Ends with its text, or with a failure.
 */
import type { Clock, Timer } from "../../../core/clock.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { SttResult } from "../../../domain/conversation/engine-port.ts";
import { UtteranceAudio } from "../utterance-audio.ts";
import { AudioEncoder } from "./audio-codec.ts";
import { type AudioFormat, textField } from "./events.ts";

/** These services do not say how sure they are. */
const CONFIDENCE = 0.9;

interface UploadOptions {
  /** What is sent of it has this before a number as its event id. */
  readonly key: string;
  readonly format: AudioFormat;
  readonly sampleRateHz: number;
  readonly clock: Clock;
  /** The session stands. */
  readonly isOpen: () => boolean;
  /** False when there is no session. */
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
  /** Items the server made of it, each with its text once it is written. */
  readonly items = new Map<string, string | null>();
  /** It was committed by us, and the server has not said so yet. */
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

  /** Spoken to its end. */
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

  /** What has not gone out yet. */
  send(): void {
    const fresh = this.#audio.pcm.subarray(this.#sent);
    if (fresh.length === 0 || !this.options.isOpen()) return;
    const audio = this.#encoder.encode(fresh);
    const gone = audio === "" || this.#send({ type: "input_audio_buffer.append", audio });
    if (gone) this.#sent += fresh.length;
    else this.restart();
  }

  /** A new session knows nothing of it. */
  restart(): void {
    this.#sent = 0;
    this.#encoder = new AudioEncoder(this.options.format, this.options.sampleRateHz);
    this.items.clear();
    this.awaitsCommit = false;
  }

  /** The caller has finished: from now on `result` is waited for. */
  end(timeoutMs: number, onLate: () => void): void {
    this.#over = true;
    this.#timer = this.options.clock.after(timeoutMs, onLate);
  }

  /** The rest of it, and the commit; where the server found the end itself, it has committed. */
  commit(): void {
    this.send();
    const audio = this.#encoder.flush();
    if (audio !== "") this.#send({ type: "input_audio_buffer.append", audio });
    if (this.items.size > 0) return;
    this.awaitsCommit = true;
    this.#send({ type: "input_audio_buffer.commit" });
  }

  /** Whether an error is about something that was sent of it. */
  isAbout(error: JsonObject): boolean {
    const { event_id: id } = error;
    return typeof id === "string" && id.startsWith(`${this.options.key}_`);
  }

  #send(event: JsonObject): boolean {
    return this.options.send({ event_id: `${this.options.key}_${++this.#events}`, ...event });
  }

  /** All its texts, when all are written; null before. */
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

/** The utterance that an item the server made belongs to. */
export function committedFor(uploads: readonly Upload[]): Upload | null {
  const awaited = uploads.find((upload) => upload.awaitsCommit);
  if (awaited) awaited.awaitsCommit = false;
  return awaited ?? uploads.at(-1) ?? null;
}

/** The server found nothing in it that could be speech. */
export const isNothing = (error: JsonObject): boolean =>
  textField(error, "code") === "input_audio_buffer_commit_empty";
