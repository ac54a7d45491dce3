/**
 * ITU-T G.711, both laws, by lookup table. The tables are computed once, with the integer steps of
 * the reference (ITU-T G.191 `alaw_compress`, `ulaw_compress`, `alaw_expand`, `ulaw_expand`),
 * scaled to 16-bit linear PCM. One octet is one sample and one tick of the 8 kHz RTP clock.
 */
export type G711Law = "PCMU" | "PCMA";

/** The octet of a zero sample (digital silence). */
export const G711_SILENCE: Readonly<Record<G711Law, number>> = { PCMU: 0xff, PCMA: 0xd5 };

const MULAW_BIAS = 33;
const MULAW_MAGNITUDE_MAX = 0x1fff;

function expandMulaw(octet: number): number {
  const inverted = ~octet & 0xff;
  const exponent = (inverted >> 4) & 0x07;
  const mantissa = inverted & 0x0f;
  const step = 4 << (exponent + 1);
  const magnitude = (0x80 << exponent) + step * mantissa + step / 2 - 4 * MULAW_BIAS;
  return (inverted & 0x80) !== 0 ? 0 - magnitude : magnitude;
}

function compressMulaw(sample: number): number {
  const positive = (sample < 0 ? ~sample : sample) >> 2;
  const magnitude = Math.min(positive + MULAW_BIAS, MULAW_MAGNITUDE_MAX);
  let segment = 1;
  for (let rest = magnitude >> 6; rest !== 0; rest >>= 1) segment++;
  const high = 8 - segment;
  const low = 0x0f - ((magnitude >> segment) & 0x0f);
  return (high << 4) | low | (sample >= 0 ? 0x80 : 0);
}

function expandAlaw(octet: number): number {
  const toggled = octet ^ 0x55;
  const exponent = (toggled >> 4) & 0x07;
  let mantissa = (toggled & 0x0f) * 2 + 1;
  if (exponent > 0) mantissa += 32;
  const magnitude = (mantissa << Math.max(0, exponent - 1)) << 3;
  return (toggled & 0x80) !== 0 ? magnitude : -magnitude;
}

function compressAlaw(sample: number): number {
  let magnitude = (sample < 0 ? ~sample : sample) >> 4;
  if (magnitude > 15) {
    let exponent = 1;
    while (magnitude > 31) {
      magnitude >>= 1;
      exponent++;
    }
    magnitude = magnitude - 16 + (exponent << 4);
  }
  return (magnitude | (sample >= 0 ? 0x80 : 0)) ^ 0x55;
}

const signed = (index: number) => (index << 16) >> 16;
const MULAW_TO_LINEAR = Int16Array.from({ length: 256 }, (_, octet) => expandMulaw(octet));
const ALAW_TO_LINEAR = Int16Array.from({ length: 256 }, (_, octet) => expandAlaw(octet));
const LINEAR_TO_MULAW = tableOf(compressMulaw);
const LINEAR_TO_ALAW = tableOf(compressAlaw);

function tableOf(compress: (sample: number) => number): Uint8Array {
  const table = new Uint8Array(65_536);
  for (let index = 0; index < table.length; index++) table[index] = compress(signed(index));
  return table;
}

/**
 * Decodes `count` octets of `octets`, starting at `offset`, into `pcm`, starting at 0. Both arrays
 * must be long enough. Allocates nothing.
 */
export function decodeG711(
  law: G711Law,
  octets: Uint8Array,
  pcm: Int16Array,
  offset = 0,
  count = octets.length - offset,
): void {
  const table = law === "PCMU" ? MULAW_TO_LINEAR : ALAW_TO_LINEAR;
  for (let index = 0; index < count; index++) {
    pcm[index] = table[octets[offset + index] ?? 0] ?? 0;
  }
}

/**
 * Encodes `count` samples of `pcm`, starting at `from`, into `octets`, starting at `offset`.
 * Allocates nothing.
 */
export function encodeG711(
  law: G711Law,
  pcm: Int16Array,
  octets: Uint8Array,
  offset = 0,
  count = pcm.length,
  from = 0,
): void {
  const table = law === "PCMU" ? LINEAR_TO_MULAW : LINEAR_TO_ALAW;
  for (let index = 0; index < count; index++) {
    octets[offset + index] = table[(pcm[from + index] ?? 0) & 0xffff] ?? 0;
  }
}
