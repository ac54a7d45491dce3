/**
 * Speech to text over the Realtime transcription socket: the audio goes out while it is spoken,
 * words come back while it is spoken. The socket is the call's, opened with it; one that is gone is
 * opened again with the next utterance, whose audio it then gets from its beginning.
 */
import type { AgentLanguage } from "../../agent/agent.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Ear, ExpectedAnswer, Heard } from "../ports.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import { AudioEncoder } from "../realtime/audio-codec.ts";
import {
  type Dialect,
  type ServerEvent,
  textField,
  transcriptionUpdate,
} from "../realtime/events.ts";
import { RealtimeSocket } from "../realtime/socket.ts";
import type { SttSettings } from "../settings.ts";
import { UtteranceAudio } from "../utterance-audio.ts";
import type { Service } from "./service.ts";

export interface TranscriptionEarOptions {
  readonly service: Service;
  readonly settings: SttSettings;
  readonly language: AgentLanguage;
  readonly sampleRateHz: number;
  readonly clock: Clock;
  readonly log: Log;
}

const CONFIDENCE = 0.9;
const FORMAT = "pcm";

interface Waiting {
  resolve(heard: Heard): void;
  reject(error: ProviderFailure): void;
  readonly timer: Timer;
  readonly audioMs: number;
}

export class TranscriptionEar implements Ear {
  readonly capabilities = { partials: true };
  readonly #audio: UtteranceAudio;
  #language: AgentLanguage;
  #socket: RealtimeSocket | null = null;
  #dialect: Dialect | null = null;
  #encoder: AudioEncoder;
  /** Samples of the utterance that went out on this socket. */
  #sent = 0;
  #running = false;
  #waiting: Waiting | null = null;
  #itemId = "";
  #words = "";
  #onPartial: (text: string) => void = () => {};

  constructor(private readonly options: TranscriptionEarOptions) {
    this.#audio = new UtteranceAudio(options.sampleRateHz);
    this.#encoder = new AudioEncoder(FORMAT, options.sampleRateHz);
    this.#language = options.language;
    this.#connect();
  }

  begin(lead: Int16Array): void {
    this.#forget("another utterance began");
    this.#audio.begin(lead);
    this.#running = true;
    if (!this.#socket?.alive) this.#connect();
    else {
      this.#startUtterance();
      this.#send();
    }
  }

  push(pcm: Int16Array): void {
    if (!this.#running) return;
    this.#audio.push(pcm);
    this.#send();
  }

  end(): Promise<Heard> {
    const { clock, settings, service } = this.options;
    const audioMs = this.#audio.ms;
    this.#running = false;
    return new Promise<Heard>((resolve, reject) => {
      const late = () => service.fail("timeout", `no text within ${settings.timeoutMs} ms`);
      const timer = clock.after(settings.timeoutMs, () => this.#settle(late()));
      this.#waiting = { resolve, reject, timer, audioMs };
      if (this.#dialect !== null) this.#commit();
      else if (!this.#socket?.alive) this.#connect();
    });
  }

  cancel(): void {
    this.#running = false;
    this.#forget("cancelled");
    this.#audio.clear();
    this.#socket?.send({ type: "input_audio_buffer.clear" });
  }

  onPartial(listener: (text: string) => void): void {
    this.#onPartial = listener;
  }

  expect(_: ExpectedAnswer): void {}

  switchLanguage(language: AgentLanguage): void {
    this.#language = language;
    if (this.#dialect) this.#configure(this.#dialect);
  }

  close(): void {
    this.#running = false;
    this.#forget("the session was closed");
    this.#socket?.close();
  }

  #connect(): void {
    const { settings, clock } = this.options;
    const url = new URL(settings.realtimeUrl);
    url.searchParams.set("intent", "transcription");
    this.#dialect = null;
    const socket = new RealtimeSocket({
      url: url.href,
      apiKey: settings.apiKey,
      connectTimeoutMs: settings.connectTimeoutMs,
      part: "ear",
      clock,
      onEvent: (event) => this.#receive(event),
      onGone: (failure) => this.#lost(failure),
    });
    this.#socket = socket;
    socket.ready.then(
      (dialect) => this.#ready(dialect),
      () => {},
    );
  }

  /** What was said meanwhile goes out now. */
  #ready(dialect: Dialect): void {
    this.#dialect = dialect;
    this.#configure(dialect);
    if (!this.#running && !this.#waiting) return;
    this.#startUtterance();
    this.#send();
    if (this.#waiting) this.#commit();
  }

  #configure(dialect: Dialect): void {
    const { model } = this.options.settings;
    const wish = { format: FORMAT, model, language: this.#language } as const;
    this.#socket?.send(transcriptionUpdate(dialect, wish));
  }

  #startUtterance(): void {
    this.#sent = 0;
    this.#words = "";
    this.#itemId = "";
    this.#encoder = new AudioEncoder(FORMAT, this.options.sampleRateHz);
  }

  #send(): void {
    if (this.#dialect === null) return;
    const fresh = this.#audio.pcm.subarray(this.#sent);
    if (fresh.length === 0) return;
    const audio = this.#encoder.encode(fresh);
    if (audio === "") return;
    if (this.#socket?.send({ type: "input_audio_buffer.append", audio })) {
      this.#sent += fresh.length;
    }
  }

  #commit(): void {
    this.#send();
    const audio = this.#encoder.flush();
    if (audio !== "") this.#socket?.send({ type: "input_audio_buffer.append", audio });
    this.#socket?.send({ type: "input_audio_buffer.commit" });
  }

  #receive({ type, body }: ServerEvent): void {
    switch (type) {
      case "input_audio_buffer.committed":
        if (this.#waiting) this.#itemId = textField(body, "item_id");
        break;
      case "conversation.item.input_audio_transcription.delta":
        if (!this.#isOurs(body)) break;
        this.#words += textField(body, "delta");
        if (this.#running) this.#onPartial(this.#words.trim());
        break;
      case "conversation.item.input_audio_transcription.completed":
        if (this.#waiting && this.#isOurs(body)) this.#heard(textField(body, "transcript"));
        break;
      case "conversation.item.input_audio_transcription.failed":
      case "error":
        this.#refused(body);
        break;
    }
  }

  #isOurs(body: ServerEvent["body"]): boolean {
    const itemId = textField(body, "item_id");
    return this.#itemId === "" || itemId === "" || itemId === this.#itemId;
  }

  #heard(transcript: string): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = null;
    waiting.timer.cancel();
    const text = transcript.trim();
    waiting.resolve({ text, confidence: CONFIDENCE, audioMs: waiting.audioMs });
  }

  #refused(body: ServerEvent["body"]): void {
    const failure = this.#socket?.failureOf(body);
    if (!failure) return;
    this.options.log.warn("stt.refused", { error: failure.message });
    if (this.#waiting) this.#settle(failure);
  }

  /** The socket is gone: what is waited for fails; a running utterance goes to a new socket. */
  #lost(failure: ProviderFailure): void {
    this.#dialect = null;
    this.options.log.warn("stt.connection_lost", { error: failure.message });
    this.#settle(failure);
  }

  #forget(why: string): void {
    if (this.#waiting) this.#settle(this.options.service.fail("protocol", why));
  }

  #settle(failure: ProviderFailure): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = null;
    waiting.timer.cancel();
    waiting.reject(failure);
  }
}
