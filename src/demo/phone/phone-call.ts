/**
 * One call of a phone: a leg of the SIP stack, its audio, and the actions of a person (listen,
 * speak, press keys, hang up). Received audio and digits stay available after the end.
 */

import { type IncomingLeg, type LegEnd, LegEnded, type OutgoingLeg } from "../../call/sip-port.ts";
import type { CallAudio } from "../../conversation/audio-port.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import { levelOf } from "../../platform/audio/level.ts";
import type { ImpairedPath } from "./impaired-path.ts";

export const PHONE_SAMPLE_RATE_HZ = 8000;

/** Synthesises a line of text: 8 kHz. */
export type SpeechMaker = (text: string) => Promise<Int16Array>;

export interface PhoneCallDeps {
  /** The call closes it. */
  readonly audio: CallAudio;
  readonly speech: SpeechMaker;
  readonly clock: Clock;
  /** Impaired network between the phone and the other party. Missing: none. */
  readonly path?: Pick<ImpairedPath, "port" | "route">;
}

/** Port to which the other party sends audio. */
export const rtpPortOf = ({ audio, path }: Pick<PhoneCallDeps, "audio" | "path">): number =>
  path?.port ?? audio.rtpPort;

interface ListenOptions {
  /** Silence that ends a turn of the remote party. */
  readonly quietMs: number;
  /** Rejects after this time. */
  readonly timeoutMs: number;
}

const POLL_MS = 20;
const RECEIVED_SAMPLES_MAX = 10 * 60 * PHONE_SAMPLE_RATE_HZ;
/** Root mean square of a frame that counts as speech (about −44 dBFS). */
const SPEECH_RMS = 200;

export class PhoneCall {
  readonly #answered = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<LegEnd>();
  #hasEnded = false;
  #received = new Int16Array(30 * PHONE_SAMPLE_RATE_HZ);
  #receivedSamples = 0;
  /** Monotonic time in ms; −Infinity: never. */
  #lastSpeechAt = Number.NEGATIVE_INFINITY;
  #ourSpeechEndedAt = Number.NEGATIVE_INFINITY;
  #digits = "";

  constructor(
    private readonly leg: OutgoingLeg | IncomingLeg,
    protected readonly deps: PhoneCallDeps,
  ) {
    const { audio, path } = deps;
    const route = path?.route ?? ((plan: MediaPlan) => plan);
    this.#answered.promise.catch(() => {});
    audio.onFrame((pcm) => this.#keep(pcm));
    audio.onDigit((digit) => {
      this.#digits += digit;
    });
    leg.on("digit", ({ digit }) => audio.signalDigit?.(digit));
    leg.on("media", ({ plan }) => audio.connect(route(plan)));
    leg.on("answered", ({ plan }) => {
      audio.connect(route(plan));
      this.#answered.resolve();
    });
    leg.on("ended", (end) => {
      this.#hasEnded = true;
      void audio.close();
      this.#answered.reject(new LegEnded(end));
      this.#ended.resolve(end);
    });
  }

  /** Rejects with LegEnded if the call ends first. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Never rejects. */
  get ended(): Promise<LegEnd> {
    return this.#ended.promise;
  }

  /** Keys pressed by the remote party. */
  get digitsReceived(): string {
    return this.#digits;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Milliseconds since the remote party last spoke; infinite if never. */
  get quietMs(): number {
    return this.deps.clock.monotonic() - this.#lastSpeechAt;
  }

  /** A copy of all audio received so far, 8 kHz, at most ten minutes. */
  received(): Int16Array {
    return this.#received.slice(0, this.#receivedSamples);
  }

  /** Speaks a line; resolves when the last sample is sent or the call has ended. */
  async say(text: string): Promise<void> {
    await this.play(await this.deps.speech(text));
  }

  async play(pcm: Int16Array): Promise<void> {
    const { audio, clock } = this.deps;
    if (!audio.play(pcm)) throw new RangeError("more than a minute of speech is queued");
    await this.#sent();
    this.#ourSpeechEndedAt = clock.monotonic();
  }

  /** Presses keys; resolves when the last one is sent or the call has ended. */
  press(digits: string): Promise<void> {
    this.deps.audio.sendDigits(digits);
    return this.#sent();
  }

  /** Waits until the remote party has spoken since our last line and is quiet again. */
  async waitForReply({ quietMs, timeoutMs }: ListenOptions): Promise<void> {
    const { clock } = this.deps;
    const since = this.#ourSpeechEndedAt;
    await this.#until(() => this.#lastSpeechAt > since, timeoutMs, "a reply");
    const isQuiet = () => clock.monotonic() - this.#lastSpeechAt >= quietMs;
    await this.#until(isQuiet, timeoutMs, "silence");
  }

  /** Puts the remote party on hold: audio is neither sent nor received. */
  hold(): void {
    this.leg.hold(true);
  }

  resume(): void {
    this.leg.hold(false);
  }

  /** Ends the call in any state. Idempotent. */
  hangUp(): Promise<LegEnd> {
    this.leg.hangUp();
    return this.ended;
  }

  async #sent(): Promise<void> {
    const drained = new Promise<void>((resolve) => this.deps.audio.whenDrained(resolve));
    await Promise.race([drained, this.ended]);
  }

  async #until(condition: () => boolean, timeoutMs: number, what: string): Promise<void> {
    const { clock } = this.deps;
    const deadline = clock.monotonic() + timeoutMs;
    while (!condition()) {
      if (this.#hasEnded) throw new Error(`the call ended while waiting for ${what}`);
      if (clock.monotonic() > deadline) throw new Error(`no ${what} within ${timeoutMs} ms`);
      await sleep(clock, POLL_MS);
    }
  }

  #keep(pcm: Int16Array): void {
    const end = this.#receivedSamples + pcm.length;
    if (end > RECEIVED_SAMPLES_MAX) return;
    if (end > this.#received.length) {
      const larger = new Int16Array(Math.min(RECEIVED_SAMPLES_MAX, end * 2));
      larger.set(this.#received);
      this.#received = larger;
    }
    this.#received.set(pcm, this.#receivedSamples);
    this.#receivedSamples = end;
    if (levelOf(pcm) > SPEECH_RMS) this.#lastSpeechAt = this.deps.clock.monotonic();
  }
}

export class IncomingCall extends PhoneCall {
  constructor(
    private readonly incoming: IncomingLeg,
    private readonly host: string,
    deps: PhoneCallDeps,
  ) {
    super(incoming, deps);
  }

  /** Digits of the caller's number as received; null: withheld. */
  get callerNumber(): string | null {
    return this.incoming.callerNumber;
  }

  ring(): void {
    this.incoming.ring();
  }

  /** Resolves when the caller has acknowledged. Rejects with LegEnded. */
  async answer(): Promise<void> {
    await this.incoming.answer({ host: this.host, port: rtpPortOf(this.deps) });
    await this.answered;
  }

  /** `sipCode`: the final response, e.g. 486. */
  reject(sipCode: number): void {
    this.incoming.reject(sipCode);
  }
}
