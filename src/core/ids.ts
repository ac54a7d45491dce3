/**
 * Identifiers: UUID v7 for calls (RFC 9562 5.7), prefixed hex for events, deliveries and secrets.
 */
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

export const hex = (bytes: Uint8Array): string => bytes.toHex();

/** A lower-case UUID v7: 48 bits of time in ms, then 74 random bits. Sorts by creation time. */
export function uuidV7(clock: Clock, random: Random): string {
  const bytes = random.bytes(16);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const now = clock.now();
  view.setUint16(0, Math.floor(now / 2 ** 32));
  view.setUint32(2, now % 2 ** 32);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const text = hex(bytes);
  return [
    text.slice(0, 8),
    text.slice(8, 12),
    text.slice(12, 16),
    text.slice(16, 20),
    text.slice(20),
  ].join("-");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * 48 bits of time in ms, then 80 random bits. Rows stored together are then adjacent in the
 * indexes: events and deliveries write a third to a half of the pages.
 */
function timedHex(clock: Clock, random: Random): string {
  return Math.floor(clock.now()).toString(16).padStart(12, "0") + hex(random.bytes(10));
}

export const eventId = (clock: Clock, random: Random): string => `evt_${timedHex(clock, random)}`;
export const deliveryId = (clock: Clock, random: Random): string =>
  `del_${timedHex(clock, random)}`;
export const checkoutId = (random: Random): string => `chk_${hex(random.bytes(16))}`;
/** Owner of a lease on a piece of work: one process, with a new id at each start. */
export const leaseOwner = (random: Random): string => hex(random.bytes(8));
/** 256 random bits after the specified prefix. Shown once; only its SHA-256 is stored. */
export const apiKeySecret = (random: Random): string => `lv_live_${hex(random.bytes(32))}`;
/** 64 hex characters (specification section 4, webhook secrets). */
export const signingSecret = (random: Random): string => hex(random.bytes(32));
