/**
 * DTMF as RFC 4733 telephone-events in both directions, as pure state: packets in, digits out; and
 * digits in, one payload per tick out.
 *
 * A key press counts once, however many of its packets are repeated, reordered or lost (even all
 * three end packets). A sent event has a growing duration and three end packets. RTP headers
 * (sender), payload types (plan) and in-band tones (platform/audio/tones.ts) are handled elsewhere.
 */
import { readUint16, timestampDelta, writeUint16 } from "./packet.ts";

export const TELEPHONE_EVENT_BYTES = 4;
const KEYS = "0123456789*#ABCD";
const END_BIT = 0x80;
/** −10 dBm0, the usual level. */
const VOLUME = 10;
const DURATION_MAX = 0xffff;
/**
 * An older timestamp is a late packet if it is up to 5 s back; beyond that the clock was restarted.
 */
const REORDER_MAX = 40_000;

export interface TelephoneEvent {
  /** 0–15 are the DTMF keys (RFC 4733 3.2). */
  readonly event: number;
  readonly end: boolean;
  readonly volume: number;
  /** In ticks of the RTP clock. */
  readonly duration: number;
}

/** Null if the payload is too short. */
export function readTelephoneEvent(bytes: Uint8Array, offset: number, size: number) {
  if (size < TELEPHONE_EVENT_BYTES) return null;
  const second = bytes[offset + 1] ?? 0;
  const event: TelephoneEvent = {
    event: bytes[offset] ?? 0,
    end: (second & END_BIT) !== 0,
    volume: second & 0x3f,
    duration: readUint16(bytes, offset + 2),
  };
  return event;
}

function writeTelephoneEvent(into: Uint8Array, offset: number, event: TelephoneEvent): void {
  into[offset] = event.event;
  into[offset + 1] = (event.end ? END_BIT : 0) | (event.volume & 0x3f);
  writeUint16(into, offset + 2, Math.min(event.duration, DURATION_MAX));
}

/** The event number of a key (`0`–`9`, `*`, `#`, `A`–`D`), or null. */
function eventOfKey(key: string): number | null {
  const event = key.length === 1 ? KEYS.indexOf(key.toUpperCase()) : -1;
  return event < 0 ? null : event;
}

/** The key of an event number; null for events that are not DTMF keys. */
function keyOfEvent(event: number): string | null {
  return KEYS[event] ?? null;
}

/** Turns the packets of one stream into key presses. Reports a digit at its first packet. */
export class TelephoneEventReceiver {
  #started = false;
  #event = 0;
  #timestamp = 0;
  #duration = 0;
  #ended = false;

  /**
   * The newly pressed key; null for a repetition, an update, an end, or an event that is not a key.
   */
  receive(event: TelephoneEvent, timestamp: number, marker: boolean): string | null {
    if (this.#started) {
      const elapsed = timestampDelta(timestamp, this.#timestamp);
      if (elapsed < 0 && elapsed > -REORDER_MAX) return null;
      if (elapsed === 0 || this.#continues(event, elapsed, marker)) {
        this.#duration = Math.max(this.#duration, event.duration);
        this.#ended ||= event.end;
        if (elapsed > 0) this.#follow(event, timestamp);
        return null;
      }
    }
    this.#started = true;
    this.#event = event.event;
    this.#ended = event.end;
    this.#follow(event, timestamp);
    return keyOfEvent(event.event);
  }

  /** A new SSRC has a new timestamp space. */
  reset(): void {
    this.#started = false;
  }

  #follow(event: TelephoneEvent, timestamp: number): void {
    this.#timestamp = timestamp;
    this.#duration = event.duration;
  }

  /**
   * Two cases in which one press spans several timestamps. The first is segments of a very long
   * event (RFC 4733 2.5.1.3). The second is senders that wrongly advance the timestamp with each
   * packet, ends included. A new press begins after the end of the last one and does not begin with
   * an end packet. It has the marker, unless that packet was lost.
   */
  #continues(event: TelephoneEvent, elapsed: number, marker: boolean): boolean {
    if (marker || event.event !== this.#event) return false;
    if (this.#ended) return event.end && elapsed <= this.#duration;
    return elapsed <= Math.max(event.duration, this.#duration);
  }
}

/** 100 ms on, 60 ms pause: carriers detect this reliably. */
const PRESS_TICKS = 5;
const PAUSE_TICKS = 3;
const TICK_MS = 20;
const END_PACKETS = 3;
const DIGITS_QUEUED_MAX = 64;

/** Creates one payload per tick for the queued digits. Ends are sent on three consecutive ticks. */
export class TelephoneEventSender {
  /** RTP ticks between two calls of `next`: 160 for 20 ms at 8 kHz. */
  #tickDuration = 160;
  #digits = "";
  #step = 0;
  #timestamp = 0;

  /** Sets the clock of durations from the next digit on (RFC 4733 2.1): 8000, 16000, 48000. */
  setClock(clockRateHz: number): void {
    if (this.#step > 0) return;
    this.#tickDuration = (clockRateHz * TICK_MS) / 1000;
  }

  /** Skips unknown characters. Returns false if more than 64 digits would wait. */
  queue(digits: string): boolean {
    const keys = [...digits].filter((key) => eventOfKey(key) !== null).join("");
    if (this.#digits.length + keys.length > DIGITS_QUEUED_MAX) return false;
    this.#digits += keys;
    return true;
  }

  /** True while a digit or its pause is active or queued: audio must not be sent. */
  get active(): boolean {
    return this.#digits.length > 0;
  }

  /** The RTP timestamp of the current event: its start, the same for all its packets. */
  get timestamp(): number {
    return this.#timestamp;
  }

  /**
   * Writes the payload of this tick at `offset`. Returns "first" (set the marker), "more", or
   * "pause" if this tick sends nothing. `timestamp` is the stream's current one.
   */
  next(timestamp: number, into: Uint8Array, offset: number): "first" | "more" | "pause" {
    const event = eventOfKey(this.#digits[0] ?? "");
    if (event === null) return "pause";
    const step = this.#step++;
    if (step === 0) this.#timestamp = timestamp;
    const packets = PRESS_TICKS + END_PACKETS - 1;
    if (this.#step >= packets + PAUSE_TICKS) {
      this.#step = 0;
      this.#digits = this.#digits.slice(1);
    }
    if (step >= packets) return "pause";
    writeTelephoneEvent(into, offset, {
      event,
      end: step >= PRESS_TICKS - 1,
      volume: VOLUME,
      duration: Math.min(step + 1, PRESS_TICKS) * this.#tickDuration,
    });
    return step === 0 ? "first" : "more";
  }
}
