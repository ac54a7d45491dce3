/**
 * Speech to text over the Realtime transcription socket. Audio is sent and words are received while
 * the caller speaks. The call opens the socket. A lost socket is opened again at the next
 * utterance, which the new one gets from its beginning. An expiring session is replaced between two
 * utterances.
 */

import type { ExpectedAnswer, SttResult, SttStream } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { AgentLanguage } from "../../features/agent/agent.ts";
import type { Trust } from "../../platform/net/trust.ts";
import { wordsHeard } from "../noise-words.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import { detailOf, dialectOf, errorOf, type ServerEvent, textField } from "../realtime/events.ts";
import { SessionRenewal } from "../realtime/session-renewal.ts";
import { formatProblem, transcriptionUpdate } from "../realtime/session-update.ts";
import { RealtimeSocket } from "../realtime/socket.ts";
import { committedFor, isNothing, Upload } from "../realtime/upload.ts";
import { isOpenAi } from "../server-keys.ts";
import {
  isEchoOfPrompt,
  type TranscriptionHints,
  writesWhileSpoken,
} from "../transcription-hints.ts";
import { liveModelOf, type OpenAiSettings, realtimeUrlOf, serviceOf } from "./settings.ts";

interface TranscriptionSttOptions {
  readonly settings: OpenAiSettings;
  readonly hints: TranscriptionHints;
  readonly keywords: readonly string[];
  readonly language: AgentLanguage;
  readonly sampleRateHz: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly trust?: Trust | undefined;
}

const FORMAT = "pcm";
/** Prefix of the event ids of language updates. */
const LANGUAGE = "language";
/** The caller may speak again while earlier words are pending. */
const UPLOADS_MAX = 3;
/** Limits for an unfinished item's text, and for the number of such items. */
const WORDS_CHARACTERS_MAX = 5_000;
const ITEMS_MAX = 100;

export class TranscriptionSttStream implements SttStream {
  readonly capabilities: SttStream["capabilities"];
  readonly #model: string;
  #language: AgentLanguage;
  #socket: RealtimeSocket;
  readonly #renewal: SessionRenewal;
  #ready: Promise<void> = Promise.resolve();
  #created: ServerEvent | null = null;
  /** The last transcription settings sent. */
  #told: JsonObject = {};
  #utterances = 0;
  #updates = 0;
  #uploads: Upload[] = [];
  /** Words of unfinished items. */
  readonly #words = new Map<string, string>();
  #onPartial: (text: string) => void = () => {};

  constructor(private readonly options: TranscriptionSttOptions) {
    this.#language = options.language;
    this.#model = liveModelOf(options.settings);
    this.capabilities = { partials: writesWhileSpoken(this.#model) };
    this.#renewal = new SessionRenewal({
      clock: options.clock,
      open: () => this.#open(),
      isIdle: () => this.#uploads.length === 0,
      succeed: (successor) => this.#succeed(successor),
      onFailed: ({ message }) => options.log.warn("stt.not_renewed", { error: message }),
    });
    this.#socket = this.#adopt(this.#open());
  }

  startUtterance(lead: Int16Array): void {
    const { sampleRateHz, clock } = this.options;
    this.#uploads = this.#uploads.filter((upload) => upload.over).slice(1 - UPLOADS_MAX);
    const send = (event: Parameters<RealtimeSocket["send"]>[0]) => this.#socket.send(event);
    const isOpen = () => this.#socket.isOpen;
    const key = `utterance_${++this.#utterances}`;
    const upload = new Upload({ key, format: FORMAT, sampleRateHz, clock, isOpen, send }, lead);
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
    this.#tellLanguage();
  }

  close(): void {
    const failure = this.#socket.fail("protocol", "the session was closed");
    for (const upload of [...this.#uploads]) this.#reject(upload, failure);
    this.#renewal.close();
    this.#socket.close();
  }

  get #running(): Upload | null {
    const last = this.#uploads.at(-1);
    return last && !last.over ? last : null;
  }

  async #whenReady(): Promise<void> {
    if (!this.#socket.alive) this.#socket = this.#adopt(this.#renewal.take() ?? this.#open());
    await this.#ready;
  }

  /** Uses the socket for the call from now on. */
  #adopt(socket: RealtimeSocket): RealtimeSocket {
    this.#ready = socket.ready.then(({ expiresAt }) => {
      this.#renewal.schedule(expiresAt);
      for (const upload of this.#uploads) upload.restart();
    });
    this.#ready.catch(() => {});
    return socket;
  }

  #succeed(successor: RealtimeSocket): void {
    const before = this.#socket;
    this.#socket = this.#adopt(successor);
    before.close();
    // The session may have started before the language changed.
    this.#tellLanguage();
  }

  #open(): RealtimeSocket {
    const { settings, clock, hints, trust } = this.options;
    const { apiKey, apiKeyHeader } = serviceOf(settings, "stt");
    const socket: RealtimeSocket = new RealtimeSocket({
      url: transcriptionUrlOf(settings, this.#model),
      apiKey,
      apiKeyHeader,
      trust,
      connectTimeoutMs: settings.connect_timeout_ms,
      part: "stt",
      clock,
      session: {
        update: (created) => {
          this.#created = created;
          return this.#update(created);
        },
        updateWithout: (error) =>
          this.#created && hints.learn(this.#told, detailOf(error))
            ? this.#update(this.#created)
            : null,
        problemOf: (session) => formatProblem(session, FORMAT, ["input"]),
      },
      onEvent: (event) => {
        if (socket === this.#socket) this.#receive(event);
      },
      onGone: (failure) => {
        if (socket === this.#socket) this.#lost(failure);
      },
    });
    return socket;
  }

  #update(created: ServerEvent): JsonObject {
    const { hints, keywords, settings } = this.options;
    const prompt = settings.stt_prompt;
    const request = { model: this.#model, language: this.#language, keywords, prompt };
    this.#told = hints.fieldsOf(request);
    return transcriptionUpdate(dialectOf(created), {
      format: FORMAT,
      transcription: this.#told,
      isConversation: created.body.type === "session.created",
    });
  }

  #tellLanguage(): void {
    if (!this.#created || !this.#socket.isOpen) return;
    const event_id = `${LANGUAGE}_${++this.#updates}`;
    this.#socket.send({ event_id, ...this.#update(this.#created) });
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
        this.#failed(
          this.#uploads.find(({ items }) => items.has(itemId)),
          this.#socket.failureOf(body),
        );
        break;
      case "error":
        this.#receiveError(body);
        break;
    }
  }

  /**
   * An error is about an utterance only if it names one of our events. Other errors are warnings.
   */
  #receiveError(body: JsonObject): void {
    const error = errorOf(body);
    const failure = this.#socket.failureOf(body);
    const upload = this.#uploads.find((one) => one.isAbout(error));
    if (upload?.over && isNothing(error)) this.#resolve(upload, "");
    else this.#failed(upload, failure);
    if (textField(error, "code") === "session_expired") this.#socket.giveUp(failure);
    const isLanguage = textField(error, "event_id").startsWith(LANGUAGE);
    if (isLanguage && this.options.hints.learn(this.#told, detailOf(error))) this.#tellLanguage();
  }

  /** Words of an item may come before it is committed. They belong to the current utterance. */
  #grew(itemId: string, delta: string): void {
    const known = this.#words.get(itemId);
    if (known === undefined && this.#words.size >= ITEMS_MAX) return;
    const words = `${known ?? ""}${delta}`;
    if (words.length > WORDS_CHARACTERS_MAX) return;
    this.#words.set(itemId, words);
    const owner = this.#uploads.find(({ items }) => items.has(itemId));
    if (this.#running && (!owner || owner === this.#running)) this.#onPartial(wordsHeard(words));
  }

  #written(itemId: string, text: string): void {
    this.#words.delete(itemId);
    const upload = this.#uploads.find(({ items }) => items.has(itemId));
    if (!upload) return;
    upload.items.set(itemId, text);
    if (!upload.over || upload.text === null) return;
    const words = wordsHeard(upload.text, { audioMs: upload.audioMs });
    this.#resolve(upload, isEchoOfPrompt(words, this.#told) ? "" : words);
  }

  #resolve(upload: Upload, text: string): void {
    this.#uploads = this.#uploads.filter((one) => one !== upload);
    upload.resolve(text);
  }

  #failed(upload: Upload | undefined, failure: ProviderFailure): void {
    this.options.log.warn("stt.refused", { error: failure.message });
    if (upload?.over) this.#reject(upload, failure);
  }

  /** Pending results fail. The current utterance goes to the next socket. */
  #lost(failure: ProviderFailure): void {
    this.#renewal.cancel();
    this.options.log.warn("stt.connection_lost", { error: failure.message });
    for (const upload of this.#uploads.filter(({ over }) => over)) this.#reject(upload, failure);
  }

  #reject(upload: Upload, failure: ProviderFailure): void {
    this.#uploads = this.#uploads.filter((one) => one !== upload);
    upload.reject(failure);
  }
}

/** OpenAI takes the model only in the session. Self-hosted servers need it in the address. */
function transcriptionUrlOf(settings: OpenAiSettings, model: string): string {
  const intent = { intent: "transcription" };
  const isTheirs = isOpenAi(realtimeUrlOf(settings, "stt", {}));
  return realtimeUrlOf(settings, "stt", isTheirs ? intent : { ...intent, model });
}
