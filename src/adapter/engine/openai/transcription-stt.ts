/**
 * Speech to text over the Realtime transcription socket: the audio goes out while it is spoken,
 * words come back while it is spoken. The socket is the call's, opened with it; one that is gone is
 * opened again with the next utterance, which the new one gets from its beginning.
 */

import type { Clock } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import type { AgentLanguage } from "../../../domain/agent/agent.ts";
import type {
  ExpectedAnswer,
  SttResult,
  SttStream,
} from "../../../domain/conversation/engine-port.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import {
  type Dialect,
  type ServerEvent,
  textField,
  transcriptionUpdate,
} from "../realtime/events.ts";
import { RealtimeSocket } from "../realtime/socket.ts";
import { committedFor, Upload } from "../realtime/upload.ts";
import { type OpenAiSettings, realtimeUrlOf, serviceOf } from "./settings.ts";

interface TranscriptionSttOptions {
  readonly settings: OpenAiSettings;
  readonly language: AgentLanguage;
  readonly sampleRateHz: number;
  readonly clock: Clock;
  readonly log: Log;
}

const FORMAT = "pcm";
/** The caller speaks again while earlier words are still to come. */
const UPLOADS_MAX = 3;

export class TranscriptionSttStream implements SttStream {
  readonly capabilities = { partials: true };
  #language: AgentLanguage;
  #socket: RealtimeSocket;
  #ready: Promise<void> = Promise.resolve();
  #dialect: Dialect = "ga";
  #uploads: Upload[] = [];
  /** Words of items that are still growing. */
  readonly #words = new Map<string, string>();
  #onPartial: (text: string) => void = () => {};

  constructor(private readonly options: TranscriptionSttOptions) {
    this.#language = options.language;
    this.#socket = this.#connect();
  }

  startUtterance(lead: Int16Array): void {
    const { sampleRateHz, clock } = this.options;
    this.#uploads = this.#uploads.filter((upload) => upload.over).slice(1 - UPLOADS_MAX);
    const send = (event: Parameters<RealtimeSocket["send"]>[0]) => this.#socket.send(event);
    const isOpen = () => this.#socket.isOpen;
    const upload = new Upload({ format: FORMAT, sampleRateHz, clock, isOpen, send }, lead);
    this.#uploads.push(upload);
    this.#words.clear();
    this.#whenReady().then(
      () => upload.send(),
      () => {},
    );
  }

  push(pcm: Int16Array): void {
    this.#running?.push(pcm);
  }

  finalize(): Promise<SttResult> {
    const upload = this.#running;
    if (!upload) return Promise.reject(this.#socket.fail("protocol", "no utterance runs"));
    const timeoutMs = this.options.settings.stt_timeout_ms;
    const late = () => this.#socket.fail("timeout", `no text within ${timeoutMs} ms`);
    upload.end(timeoutMs, () => this.#reject(upload, late()));
    this.#whenReady().then(
      () => upload.commit(),
      (failure: ProviderFailure) => this.#reject(upload, failure),
    );
    return upload.result;
  }

  discard(): void {
    const upload = this.#running;
    if (!upload) return;
    this.#uploads = this.#uploads.filter((one) => one !== upload);
    this.#socket.send({ type: "input_audio_buffer.clear" });
  }

  onPartial(listener: (text: string) => void): void {
    this.#onPartial = listener;
  }

  expect(_: ExpectedAnswer): void {}

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
    if (this.#socket.alive) this.#configure();
  }

  close(): void {
    const failure = this.#socket.fail("protocol", "the session was closed");
    for (const upload of [...this.#uploads]) this.#reject(upload, failure);
    this.#socket.close();
  }

  get #running(): Upload | null {
    const last = this.#uploads.at(-1);
    return last && !last.over ? last : null;
  }

  async #whenReady(): Promise<void> {
    if (!this.#socket.alive) this.#socket = this.#connect();
    await this.#ready;
  }

  #connect(): RealtimeSocket {
    const { settings, clock } = this.options;
    const url = new URL(realtimeUrlOf(settings));
    url.searchParams.set("intent", "transcription");
    const socket = new RealtimeSocket({
      url: url.href,
      apiKey: serviceOf(settings, "stt").apiKey,
      connectTimeoutMs: settings.connect_timeout_ms,
      part: "stt",
      clock,
      onEvent: (event) => this.#receive(event),
      onGone: (failure) => this.#lost(failure),
    });
    this.#ready = socket.ready.then((dialect) => {
      this.#dialect = dialect;
      this.#configure();
      for (const upload of this.#uploads) upload.restart();
    });
    this.#ready.catch(() => {});
    return socket;
  }

  #configure(): void {
    const { stt_model: model } = this.options.settings;
    const request = { format: FORMAT, model, language: this.#language } as const;
    this.#socket.send(transcriptionUpdate(this.#dialect, request));
  }

  #receive({ type, body }: ServerEvent): void {
    const itemId = textField(body, "item_id");
    switch (type) {
      case "input_audio_buffer.committed":
        committedFor(this.#uploads)?.items.set(itemId, null);
        break;
      case "conversation.item.input_audio_transcription.delta":
        this.#grew(itemId, textField(body, "delta"));
        break;
      case "conversation.item.input_audio_transcription.completed":
        this.#written(itemId, textField(body, "transcript").trim());
        break;
      case "conversation.item.input_audio_transcription.failed":
      case "error":
        this.#rejected(itemId, this.#socket.failureOf(body));
        break;
    }
  }

  /** Words may come before the item they belong to is committed: they are the running one's. */
  #grew(itemId: string, delta: string): void {
    const words = `${this.#words.get(itemId) ?? ""}${delta}`;
    this.#words.set(itemId, words);
    const owner = this.#uploads.find(({ items }) => items.has(itemId));
    if (this.#running && (!owner || owner === this.#running)) this.#onPartial(words.trim());
  }

  #written(itemId: string, text: string): void {
    this.#words.delete(itemId);
    const upload = this.#uploads.find(({ items }) => items.has(itemId));
    if (!upload) return;
    upload.items.set(itemId, text);
    if (!upload.over || upload.text === null) return;
    this.#uploads = this.#uploads.filter((one) => one !== upload);
    upload.resolve(upload.text);
  }

  #rejected(itemId: string, failure: ProviderFailure): void {
    this.options.log.warn("stt.refused", { error: failure.message });
    const upload = this.#uploads.find(
      (one) => one.over && (itemId === "" || one.items.has(itemId)),
    );
    if (upload) this.#reject(upload, failure);
  }

  /** What is waited for fails; a running utterance goes to the next socket. */
  #lost(failure: ProviderFailure): void {
    this.options.log.warn("stt.connection_lost", { error: failure.message });
    for (const upload of this.#uploads.filter(({ over }) => over)) this.#reject(upload, failure);
  }

  #reject(upload: Upload, failure: ProviderFailure): void {
    this.#uploads = this.#uploads.filter((one) => one !== upload);
    upload.reject(failure);
  }
}
