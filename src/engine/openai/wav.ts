/**
 * WAV: writes a header for recorded speech, for transcription, and reads the header of streamed
 * speech. In streams the sizes are often unknown (0 or 0xFFFFFFFF), and other chunks may precede
 * `data`.
 */
const HEADER_BYTES = 44;
/** Longer headers are invalid. */
const HEADER_BYTES_MAX = 64 * 1024;
const PCM = 1;
const EXTENSIBLE = 0xfffe;
/**
 * All common rates are multiples of it. Conversion tables for others take 24 MB and block the
 * thread.
 */
const RATE_STEP_HZ = 25;

/** Converts 16-bit mono PCM to a file. */
export function wavFile(pcm: Int16Array, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(HEADER_BYTES + pcm.byteLength);
  const view = new DataView(file.buffer);
  const ascii = (at: number, text: string) => file.set(Buffer.from(text, "latin1"), at);
  ascii(0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + pcm.byteLength, true);
  ascii(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  ascii(36, "data");
  view.setUint32(40, pcm.byteLength, true);
  file.set(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength), HEADER_BYTES);
  return file;
}

interface WavHeader {
  readonly sampleRateHz: number;
  readonly channels: number;
  /** Offset of the samples. */
  readonly dataAt: number;
}

export class NotSpeech extends Error {
  override readonly name = "NotSpeech";
}

export const looksLikeWav = (bytes: Uint8Array): boolean =>
  bytes.length >= 4 && ascii(bytes, 0, 4) === "RIFF";

/** Null if more bytes are needed. Throws NotSpeech if it is not 16-bit PCM. */
export function readWavHeader(bytes: Uint8Array): WavHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: { sampleRateHz: number; channels: number } | null = null;
  let at = 12;
  while (at + 8 <= bytes.length) {
    const name = ascii(bytes, at, 4);
    if (name === "data") {
      if (!format) throw new NotSpeech("a WAV file without a format");
      return { ...format, dataAt: at + 8 };
    }
    const size = view.getUint32(at + 4, true);
    if (name === "fmt ") {
      if (at + 24 > bytes.length) break;
      format = readFormat(view, at + 8);
    }
    at += 8 + size + (size % 2);
  }
  if (bytes.length > HEADER_BYTES_MAX || at > HEADER_BYTES_MAX) {
    throw new NotSpeech("a WAV file without samples");
  }
  return null;
}

function readFormat(view: DataView, at: number): { sampleRateHz: number; channels: number } {
  const code = view.getUint16(at, true);
  const channels = view.getUint16(at + 2, true);
  const sampleRateHz = view.getUint32(at + 4, true);
  const bits = view.getUint16(at + 14, true);
  const isRate = sampleRateHz % RATE_STEP_HZ === 0;
  const readable = (code === PCM || code === EXTENSIBLE) && bits === 16 && isRate;
  if (!readable || channels < 1 || channels > 2 || sampleRateHz < 4_000 || sampleRateHz > 192_000) {
    throw new NotSpeech(
      `WAV of format ${code}, ${bits} bits, ${channels} channels, ${sampleRateHz} Hz`,
    );
  }
  return { sampleRateHz, channels };
}

const ascii = (bytes: Uint8Array, at: number, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString("latin1");
