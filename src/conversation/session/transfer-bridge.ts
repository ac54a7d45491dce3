/**
 * A caller between agent and person. The caller hears a ringing tone during the transfer. If the carrier
 * cannot transfer the call itself, the person is then connected on a second leg. The audio of both legs is
 * relayed here per frame and resampled if the codecs differ. Keys are relayed as well.
 *
 * Guarantees: at most `RELAY_QUEUE_MS_MAX` of audio waits per direction, so clock drift and holds add no
 * delay. The caller's recording has both sides, because the person's audio is played on the caller's leg.
 * `close` closes the person's audio. The bridge owns the second leg's audio but no SIP.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { PacketHeaders } from "../../core/packet-headers.ts";
import { createResampler, type Resampler } from "../../platform/audio/resampler.ts";
import { sine } from "../../platform/audio/tones.ts";
import type { CallAudio, MediaTimeout } from "../audio-port.ts";
import { withDeadline } from "../deadline.ts";
import { ANNOUNCEMENT_MS_MAX, FRAME_MS } from "../limits.ts";

/** ITU-T E.180, most of Europe: 425 Hz, on for one second in every five. */
const RINGBACK_HZ = 425;
const RINGBACK_AMPLITUDE = 2_500;
const RINGBACK_MS = 1_000;
const RINGBACK_PERIOD_FRAMES = 5_000 / FRAME_MS;
/** Three frames: one in transit, one for jitter between the two paced streams, one spare. */
const RELAY_QUEUE_MS_MAX = 60;
const DRAIN_POLL_MS = 50;

interface TransferBridgeOptions {
  /** The caller's leg, owned by the session. */
  readonly caller: CallAudio;
  /** Binds a socket for the person's leg. Rejects if no port is free. */
  readonly openAudio: () => Promise<CallAudio>;
  readonly clock: Clock;
  readonly log: Log;
  /** The person's media was missing or on hold for too long. */
  readonly onTimeout: (timeout: MediaTimeout) => void;
}

type Stage =
  /** The caller hears the ringing tone. */
  | { readonly name: "ringing" }
  /** The person hears the announcement; the caller still hears the tone. */
  | { readonly name: "announcing" }
  | { readonly name: "bridged" };

export class TransferBridge {
  #stage: Stage = { name: "ringing" };
  #person: CallAudio | null = null;
  #closed = false;
  #frame = 0;
  readonly #ringback: Int16Array;
  readonly #toPerson: Relay;
  readonly #toCaller: Relay;
  #drainTimer: Timer | null = null;

  constructor(private readonly options: TransferBridgeOptions) {
    const { caller } = options;
    this.#ringback = sine(RINGBACK_HZ, RINGBACK_MS, caller.sampleRateHz, RINGBACK_AMPLITUDE);
    this.#toPerson = new Relay();
    this.#toCaller = new Relay();
  }

  get isBridged(): boolean {
    return this.#stage.name === "bridged";
  }

  /** Binds the person's port. Rejects if none is free, or if the transfer was cancelled meanwhile. */
  async open(): Promise<number> {
    const audio = await this.options.openAudio();
    if (this.#closed || this.#person) {
      await audio.close();
      throw new Error("the transfer is over");
    }
    this.#person = audio;
    audio.onFrame((pcm) => this.#fromPerson(pcm));
    audio.onDigit((digit) => this.personDigit(digit));
    return audio.rtpPort;
  }

  /** Sets the person's media plan; again after a re-INVITE. */
  connect(plan: MediaPlan): void {
    this.#person?.connect(plan);
  }

  /**
   * The person has answered: plays `announcement` (at the caller's sample rate) and joins both. Resolves when
   * they hear each other; rejects if the transfer was cancelled first.
   */
  async join(announcement: AsyncIterable<Int16Array> | null): Promise<void> {
    const { clock, caller, log } = this.options;
    const person = this.#person;
    if (!person || this.#closed) throw new Error("there is nobody to join");
    person.onTimeout(this.options.onTimeout);
    if (announcement) {
      this.#stage = { name: "announcing" };
      const late = () => new Error(`not said within ${ANNOUNCEMENT_MS_MAX} ms`);
      await withDeadline(
        clock,
        this.#announce(person, announcement),
        ANNOUNCEMENT_MS_MAX,
        late,
      ).catch((error) => log.warn("transfer.announcement_failed", { error: describeError(error) }));
    }
    if (this.#closed) throw new Error("the transfer is over");
    caller.stopPlaying(FRAME_MS);
    this.#stage = { name: "bridged" };
  }

  /** Processes one frame from the caller. */
  callerFrame(pcm: Int16Array): void {
    if (this.#closed) return;
    if (this.#stage.name === "bridged") {
      if (this.#person) this.#toPerson.pass(pcm, this.options.caller, this.#person);
      return;
    }
    const { caller } = this.options;
    const begins = this.#frame++ % RINGBACK_PERIOD_FRAMES === 0;
    if (begins && caller.queuedMs <= RELAY_QUEUE_MS_MAX) caller.play(this.#ringback);
  }

  callerDigit(digit: string): void {
    if (this.isBridged) this.#person?.sendDigits(digit);
  }

  personDigit(digit: string): void {
    if (this.isBridged) this.options.caller.sendDigits(digit);
  }

  /** Headers of the person's packets if capture is on; also available after the end. */
  packetHeaders(): PacketHeaders | null {
    return this.#person?.packetHeaders?.() ?? null;
  }

  /** Ends or cancels the transfer and closes the second leg's audio. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#drainTimer?.cancel();
    this.options.caller.stopPlaying(FRAME_MS);
    await this.#person?.close();
  }

  #fromPerson(pcm: Int16Array): void {
    if (this.#closed || !this.isBridged || !this.#person) return;
    this.#toCaller.pass(pcm, this.#person, this.options.caller);
  }

  async #announce(person: CallAudio, announcement: AsyncIterable<Int16Array>): Promise<void> {
    const toPerson = createResampler(this.options.caller.sampleRateHz, person.sampleRateHz);
    for await (const chunk of announcement) {
      if (this.#closed) return;
      person.play(toPerson.process(chunk));
    }
    person.play(toPerson.flush());
    await this.#drained(person);
  }

  #drained(audio: CallAudio): Promise<void> {
    return new Promise((resolve) => {
      const poll = () => {
        if (this.#closed || audio.queuedMs === 0) resolve();
        else this.#drainTimer = this.options.clock.after(DRAIN_POLL_MS, poll);
      };
      poll();
    });
  }
}

/** Relay of one direction. */
class Relay {
  #resampler: Resampler | null = null;
  #rates = "";

  pass(pcm: Int16Array, from: CallAudio, to: CallAudio): void {
    if (to.queuedMs > RELAY_QUEUE_MS_MAX) return;
    if (from.sampleRateHz === to.sampleRateHz) {
      to.play(pcm);
      return;
    }
    const rates = `${from.sampleRateHz}/${to.sampleRateHz}`;
    if (rates !== this.#rates || !this.#resampler) {
      this.#rates = rates;
      this.#resampler = createResampler(from.sampleRateHz, to.sampleRateHz);
    }
    to.play(this.#resampler.process(pcm));
  }
}
