/** The part of DER (ITU-T X.690) that a certificate needs; writing only. */
const concat = (parts: readonly Uint8Array[]) => Buffer.concat(parts);

function element(tag: number, content: Uint8Array): Buffer {
  const length = content.length;
  if (length < 0x80) return concat([Buffer.of(tag, length), content]);
  if (length < 0x100) return concat([Buffer.of(tag, 0x81, length), content]);
  return concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, concat(parts));
export const setOf = (...parts: readonly Uint8Array[]): Buffer => element(0x31, concat(parts));
export const octets = (content: Uint8Array): Buffer => element(0x04, content);
export const bits = (content: Uint8Array): Buffer => element(0x03, concat([Buffer.of(0), content]));
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0));
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));
/** `[number]`, constructed. */
export const tagged = (number: number, ...parts: readonly Uint8Array[]): Buffer =>
  element(0xa0 | number, concat(parts));
/** `[number]`, primitive. */
export const implicit = (number: number, content: Uint8Array): Buffer =>
  element(0x80 | number, content);

/** A non-negative integer from big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const needsSign = ((bytes[0] ?? 0) & 0x80) !== 0;
  return element(0x02, needsSign ? concat([Buffer.of(0), bytes]) : bytes);
}

/** `1.2.840.10045` */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const septets = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) septets.unshift((rest & 0x7f) | 0x80);
  return septets;
}

/** GeneralizedTime, seconds, UTC: `20261121040506Z`. */
export function generalizedTime(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return element(0x18, Buffer.from(`${digits}Z`));
}
