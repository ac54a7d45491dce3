/**
 * Speech to text of a Realtime session. The audio of each utterance is sent while it is spoken. Its
 * end commits it and requests the answer at once, so that the model works during the transcription.
 * With the server's turn detection, the server decides when the caller has finished.
 *
 * An answer that nobody uses (after a cough or "mhm") is cancelled and deleted.
 */

import type { ExpectedAnswer, SttResult, SttStream } from "../../conversation/engine-port.ts";
import type { Timer } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { wordsHeard } from "../noise-words.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import { errorOf, type ServerEvent, textField } from "./events.ts";
import type { RealtimeLink } from "./link.ts";
import type { RealtimeResponse } from "./response.ts";
import type { RealtimeSettings } from "./settings.ts";
import { committedFor, isNothing, Upload } from "./upload.ts";

/** Text of an utterance without a transcript. */
const UNWRITTEN = "…";
/** An answer requested ahead is cancelled if nobody uses it within this time. */
const UNFETCHED_MS_MAX = 4_000;
/** The caller may speak again during the transcription. */
const UPLOADS_MAX = 3;

export class RealtimeSttStream implements SttStream {
  readonly capabilities = { partials: false };
  /** The current utterance last. Before it, those whose text is pending. */
  #uploads: Upload[] = [];
  #ahead: { readonly response: RealtimeResponse; readonly timer: Timer } | null = null;
  #committed = false;
  #utterances = 0;
  #onEndpoint: () => void = () => {};

  constructor(
    private readonly link: RealtimeLink,
    private readonly settings: RealtimeSettings,
  ) {
    link.busyWhile(() => this.#uploads.length > 0 || this.#ahead !== null);
    link.onEvent((event) => this.#receive(event));
    link.onReconnect(() => this.#reconnected());
    link.onLost(() => this.#lost());
  }

  startUtterance(lead: Int16Array): void {
    const { format, sampleRateHz, clock } = this.link.options;
    this.#uploads = this.#uploads.filter((upload) => upload.over).slice(1 - UPLOADS_MAX);
    const upload = new Upload(
      {
        key: `utterance_${++this.#utterances}`,
        format,
        sampleRateHz,
        clock,
        isOpen: () => this.link.isOpen,
        send: (event) => this.link.send(event),
      },
      lead,
    );
    this.#uploads.push(upload);
    this.link.ready().then(
      () => upload.send(),
      () => {},
    );
  }

  push(pcm: Int16Array): void {
    this.#running?.push(pcm);
  }

  finalize(): Promise<SttResult> {
    const upload = this.#running;
    if (!upload) return Promise.reject(this.link.fail("stt", "protocol", "no utterance runs"));
    upload.end(this.settings.response_timeout_ms, () => this.#late(upload));
    this.link.ready().then(
      () => this.#commit(upload),
      (failure: ProviderFailure) => this.#reject(upload, failure),
    );
    return upload.result;
  }

  discard(): void {
    const upload = this.#running;
    if (!upload) return;
    this.#uploads = this.#uploads.filter((one) => one !== upload);
    this.link.send({ type: "input_audio_buffer.clear" });
    for (const id of upload.items.keys()) this.#deleteItem(id);
  }

  onPartial(_: (text: string) => void): void {}

  onEndpoint(listener: () => void): void {
    this.#onEndpoint = listener;
  }

  expect(_: ExpectedAnswer): void {}

  /** The early answer to the last utterance. The caller of this function owns it. */
  takeAhead(): RealtimeResponse | null {
    const ahead = this.#ahead;
    this.#ahead = null;
    ahead?.timer.cancel();
    return ahead?.response ?? null;
  }

  /** Whether the server's conversation contains the last utterance as audio. */
  takeCommitted(): boolean {
    const committed = this.#committed && this.link.alive;
    this.#committed = false;
    return committed;
  }

  close(): void {
    this.#dropAhead();
    const failure = this.link.fail("stt", "protocol", "the session was closed");
    for (const upload of [...this.#uploads]) this.#reject(upload, failure);
  }

  get #running(): Upload | null {
    const last = this.#uploads.at(-1);
    return last && !last.over ? last : null;
  }

  #commit(upload: Upload): void {
    if (!this.#uploads.includes(upload)) return;
    upload.commit();
    this.#committed = true;
    this.#askAhead();
    if (this.settings.transcription_model === "") this.#resolve(upload, UNWRITTEN);
    else this.#checkWritten(upload);
  }

  #askAhead(): void {
    this.#dropAhead();
    const { clock, looksUpKnowledge = false } = this.link.options;
    // The passages for the answer are known only after the transcription.
    if (this.link.active || looksUpKnowledge) return;
    const response = this.link.askNow();
    this.#ahead = { response, timer: clock.after(UNFETCHED_MS_MAX, () => this.#dropAhead()) };
  }

  #dropAhead(): void {
    const response = this.takeAhead();
    if (!response) return;
    this.link.cancel(response);
    void response.settled.then(() => {
      for (const { id } of response.items) this.#deleteItem(id);
    });
  }

  #deleteItem(id: string): void {
    if (id !== "") this.link.send({ type: "conversation.item.delete", item_id: id });
  }

  /** Ended utterances wait for text from the lost session. Another session must transcribe them. */
  #lost(): void {
    const waiting = this.#uploads.filter(({ over }) => over);
    if (waiting.length === 0) return;
    this.link.ready().then(
      () => {
        for (const upload of waiting) if (upload.items.size === 0) this.#commit(upload);
      },
      (failure: ProviderFailure) => {
        for (const upload of waiting) this.#reject(upload, failure);
      },
    );
  }

  /** A new session has no pending utterances: sends them again. */
  #reconnected(): void {
    for (const upload of this.#uploads) upload.restart();
    this.#running?.send();
  }

  #receive({ type, body }: ServerEvent): void {
    switch (type) {
      case "input_audio_buffer.committed":
        committedFor(this.#uploads)?.items.set(textField(body, "item_id"), null);
        break;
      case "input_audio_buffer.speech_stopped":
        if (this.#running) this.#onEndpoint();
        break;
      case "conversation.item.input_audio_transcription.completed":
        this.#written(textField(body, "item_id"), textField(body, "transcript"));
        break;
      case "conversation.item.input_audio_transcription.failed":
        this.#written(textField(body, "item_id"), UNWRITTEN);
        break;
      case "error":
        this.#rejected(errorOf(body));
        break;
    }
  }

  #written(itemId: string, text: string): void {
    const upload = this.#uploads.find(({ items }) => items.has(itemId));
    if (!upload) return;
    const isWritten = text !== UNWRITTEN;
    upload.items.set(itemId, isWritten ? wordsHeard(text, { audioMs: upload.audioMs }) : text);
    this.#checkWritten(upload);
  }

  /** Too short to be speech, so there is nothing to answer. */
  #rejected(error: JsonObject): void {
    const upload = this.#uploads.find((one) => one.over && one.isAbout(error));
    if (!upload || !isNothing(error)) return;
    this.#dropAhead();
    this.#committed = false;
    this.#resolve(upload, "");
  }

  #checkWritten(upload: Upload): void {
    if (upload.over && upload.text !== null) this.#resolve(upload, upload.text);
  }

  /** The text is late, but the answer must not be. */
  #late(upload: Upload): void {
    if (this.link.alive && upload.items.size > 0) this.#resolve(upload, UNWRITTEN);
    else {
      const reason = "the server did not accept the utterance";
      this.#reject(upload, this.link.fail("stt", "timeout", reason));
    }
  }

  #resolve(upload: Upload, text: string): void {
    this.#uploads = this.#uploads.filter((one) => one !== upload);
    upload.resolve(text);
  }

  #reject(upload: Upload, failure: ProviderFailure): void {
    this.#uploads = this.#uploads.filter((one) => one !== upload);
    upload.reject(failure);
  }
}
