/**
 * One call of a phone, either direction: the dialog, the audio, and the actions of a person
 * (listen, speak, press keys, hold, hang up).
 *
 *   calling ──18x──▶ ringing ──2xx──▶ active ──BYE──▶ ended
 *   incoming ─────answer()──────────▶ active          (rejected, cancelled: directly to ended)
 *
 * `ended` resolves exactly once and never rejects; the RTP socket is then closed, and the received
 * audio stays available. `answered` rejects with CallNotAnswered when the call ends before.
 */

import { type Clock, sleep } from "../../../../src/core/clock.ts";
import type { MediaDirection } from "../../../../src/core/media-plan.ts";
import type { G711Law } from "../../../../src/platform/audio/g711.ts";
import type { SipResponse } from "../../../../src/sip/message/index.ts";
import type { Address } from "./datagram.ts";
import type { Dialog } from "./dialog.ts";
import type { ServerTransaction } from "./endpoint.ts";
import type { PhoneMedia } from "./phone-media.ts";
import {
  offerTelephoneEvent,
  type RemoteDescription,
  readDescription,
  writeDescription,
} from "./session-description.ts";

interface PhoneCallEnd {
  readonly by: "us" | "them";
  readonly how: "bye" | "refused" | "cancelled" | "timeout";
  /** Final SIP code of an unanswered call. */
  readonly sipCode: number | null;
}

export class CallNotAnswered extends Error {
  constructor(readonly end: PhoneCallEnd) {
    super(`the call was not answered: ${end.how} ${end.sipCode ?? ""}`.trim());
    this.name = "CallNotAnswered";
  }
}

type PhoneCallState = "calling" | "ringing" | "incoming" | "active" | "ended";

/** Synthesises a line of text: 8 kHz. */
export type SpeechMaker = (text: string) => Promise<Int16Array>;

export interface PhoneCallSetup {
  readonly clock: Clock;
  readonly media: PhoneMedia;
  readonly rtp: Address;
  readonly codecs: readonly G711Law[];
  readonly telephoneEvents: boolean;
  readonly speech: SpeechMaker;
}

interface ListenOptions {
  /** Silence that ends a turn of the remote party. */
  readonly quietMs?: number;
  /** Rejects after this time. */
  readonly timeoutMs?: number;
}

const POLL_MS = 20;

export abstract class PhoneCall {
  #state: PhoneCallState;
  protected dialog: Dialog | null = null;
  protected remote: RemoteDescription | null = null;
  #localVersion = 0;
  #ourSpeechEndedAt = Number.NEGATIVE_INFINITY;
  readonly #answered = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<PhoneCallEnd>();
  readonly #ringing = Promise.withResolvers<void>();
  #infoDigits = "";
  /** The response to a REFER; null: none. A phone transfers nobody, so it never sends a NOTIFY. */
  onRefer: () => number | null | Promise<number> = () => 603;
  /** A re-INVITE of the remote party whose 2xx waits for its ACK. */
  #unconfirmed: ServerTransaction | null = null;

  constructor(
    readonly callId: string,
    initial: "calling" | "incoming",
    protected readonly setup: PhoneCallSetup,
  ) {
    this.#state = initial;
    this.#answered.promise.catch(() => {});
    this.#ringing.promise.catch(() => {});
  }

  get state(): PhoneCallState {
    return this.#state;
  }

  /** Resolves when the remote party rings (18x) or has answered. Rejects with CallNotAnswered. */
  get rang(): Promise<void> {
    return this.#ringing.promise;
  }

  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  get ended(): Promise<PhoneCallEnd> {
    return this.#ended.promise;
  }

  get media(): PhoneMedia {
    return this.setup.media;
  }

  /** Keys pressed by the remote party, over RTP and SIP INFO. */
  get digitsReceived(): string {
    return this.setup.media.digitsReceived + this.#infoDigits;
  }

  /** All audio received so far, 8 kHz. */
  received(): Int16Array {
    return this.setup.media.received();
  }

  /** Speaks a line; resolves when the last sample is sent. */
  async say(text: string): Promise<void> {
    await this.play(await this.setup.speech(text));
  }

  async play(pcm: Int16Array): Promise<void> {
    await this.setup.media.play(pcm);
    this.#ourSpeechEndedAt = this.setup.clock.monotonic();
  }

  /** Waits until the remote party has been quiet for `quietMs`. */
  async waitForSilence({ quietMs = 800, timeoutMs = 30_000 }: ListenOptions = {}): Promise<void> {
    const { clock, media } = this.setup;
    await this.#until(
      () => clock.monotonic() - media.lastSpeechAt >= quietMs,
      timeoutMs,
      "silence",
    );
  }

  /** Waits until the remote party has spoken since our last line and is quiet again. */
  async waitForReply(options: ListenOptions = {}): Promise<void> {
    const { media } = this.setup;
    const since = this.#ourSpeechEndedAt;
    await this.#until(() => media.lastSpeechAt > since, options.timeoutMs ?? 30_000, "a reply");
    await this.waitForSilence(options);
  }

  /** Resolves when the remote party speaks, also in the middle of a sentence. */
  async waitForSpeech(timeoutMs = 30_000): Promise<void> {
    const { clock, media } = this.setup;
    const since = clock.monotonic();
    await this.#until(() => media.lastSpeechAt > since, timeoutMs, "speech");
  }

  async #until(condition: () => boolean, timeoutMs: number, what: string): Promise<void> {
    const { clock } = this.setup;
    const deadline = clock.monotonic() + timeoutMs;
    while (!condition()) {
      if (this.#state === "ended") throw new Error(`the call ended while waiting for ${what}`);
      if (clock.monotonic() > deadline) throw new Error(`no ${what} within ${timeoutMs} ms`);
      await sleep(clock, POLL_MS);
    }
  }

  /** Presses keys, as RTP telephone-events or SIP INFO. Resolves when the last one is sent. */
  async press(digits: string, by: "rtp" | "info" = "rtp"): Promise<void> {
    if (by === "info") {
      for (const digit of digits) await this.#sendInfo(digit);
      return;
    }
    if (!this.setup.media.press(digits)) throw new Error("the far end takes no telephone-events");
    await this.#until(() => !this.setup.media.pressing, 30_000, "the end of the key presses");
  }

  #sendInfo(digit: string): Promise<void> {
    const body = `Signal=${digit}\r\nDuration=160\r\n`;
    return this.inDialog("INFO", { contentType: "application/dtmf-relay", body });
  }

  /** Whether the remote party has put us on hold. */
  get isHeld(): boolean {
    return this.remote?.direction === "sendonly" || this.remote?.direction === "inactive";
  }

  hold(): Promise<void> {
    return this.#reinvite("sendonly");
  }

  resume(): Promise<void> {
    return this.#reinvite("sendrecv");
  }

  async #reinvite(direction: MediaDirection): Promise<void> {
    const dialog = this.#requireDialog();
    const offer = this.description(direction);
    await new Promise<void>((resolve, reject) => {
      const listener = (response: SipResponse | null) => {
        if (response && response.statusCode < 200) return;
        if (!response || response.statusCode >= 300)
          return reject(new Error(`re-INVITE: ${response?.statusCode ?? "no answer"}`));
        dialog.refreshTarget(response);
        dialog.acknowledge(response.cseq.number);
        this.connect(response.body, direction !== "sendonly");
        resolve();
      };
      dialog.request("INVITE", listener, { contentType: "application/sdp", body: offer });
    });
  }

  /** Ends the call in any state. Idempotent; resolves with `ended`. */
  async hangUp(): Promise<PhoneCallEnd> {
    if (this.#state === "active") {
      const bye = this.inDialog("BYE").catch(() => {});
      this.finish({ by: "us", how: "bye", sipCode: null });
      await bye;
    } else if (this.#state !== "ended") this.abandon();
    return this.ended;
  }

  /** Ends an unanswered call by CANCEL or rejection. */
  protected abstract abandon(): void;

  protected inDialog(
    method: string,
    extra: { contentType?: string; body?: string } = {},
  ): Promise<void> {
    const dialog = this.#requireDialog();
    return new Promise((resolve, reject) => {
      dialog.request(
        method,
        (response) => {
          if (response && response.statusCode < 200) return;
          if (response && response.statusCode < 300) resolve();
          else reject(new Error(`${method}: ${response?.statusCode ?? "no answer"}`));
        },
        extra,
      );
    });
  }

  #requireDialog(): Dialog {
    if (!this.dialog) throw new Error("the call has no dialog yet");
    return this.dialog;
  }

  /** Our SDP: every codec in an offer, later only the agreed one. */
  protected description(
    direction: MediaDirection,
    agreed: RemoteDescription | null = null,
  ): string {
    this.#localVersion++;
    return writeDescription({
      rtp: this.setup.rtp,
      codecs: agreed ? [agreed.codec] : this.setup.codecs,
      telephoneEvent: agreed
        ? this.setup.telephoneEvents
          ? agreed.telephoneEvent
          : null
        : offerTelephoneEvent(this.setup.telephoneEvents),
      direction,
      version: this.#localVersion,
    });
  }

  /** Returns false if the description contains none of the phone's codecs. */
  protected connect(body: string, sending = true): boolean {
    const remote = readDescription(body, this.setup.codecs);
    if (!remote) return false;
    this.remote = remote;
    const wanted = remote.direction === "sendrecv" || remote.direction === "recvonly";
    this.setup.media.connect(remote, sending && wanted);
    return true;
  }

  protected noteRinging(): void {
    if (this.#state === "calling") this.#state = "ringing";
    this.#ringing.resolve();
  }

  protected noteActive(): void {
    if (this.#state === "ended") return;
    this.#state = "active";
    this.#ringing.resolve();
    this.#answered.resolve();
  }

  noteInfoDigit(digit: string): void {
    this.#infoDigits += digit;
  }

  /** Follows the remote party's re-INVITE. Returns our SDP, or null if it cannot be followed. */
  followOffer(body: string): string | null {
    if (body === "") return this.description("sendrecv", this.remote);
    if (!this.connect(body)) return null;
    return this.description(answeringDirection(this.remote?.direction), this.remote);
  }

  awaitAck(transaction: ServerTransaction): void {
    this.#unconfirmed = transaction;
  }

  /** Called when an ACK of this dialog arrives. */
  acknowledged(): void {
    this.#unconfirmed?.confirm();
    this.#unconfirmed = null;
  }

  /** The only writer of `ended`. */
  finish(end: PhoneCallEnd): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.setup.media.close();
    this.#ringing.reject(new CallNotAnswered(end));
    this.#answered.reject(new CallNotAnswered(end));
    this.#ended.resolve(end);
  }
}

/** RFC 3264 6.1. */
function answeringDirection(offered: MediaDirection | undefined): MediaDirection {
  if (offered === "sendonly") return "recvonly";
  if (offered === "recvonly") return "sendonly";
  return offered ?? "sendrecv";
}
