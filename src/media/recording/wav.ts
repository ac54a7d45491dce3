/**
 * WAV files of this appliance: RIFF, one `fmt ` and one `data` chunk, 16-bit PCM. Pure header
 * functions, a reader for long files in pieces, and the repair of a file whose writer died.
 */
import { open } from "node:fs/promises";

export const WAV_HEADER_BYTES = 44;
const PCM_FORMAT = 1;
const BYTES_PER_SAMPLE = 2;
const CHUNK_HEADER_BYTES = 8;
/**
 * The size field's maximum means that the data extends to the end of the file: 37 hours of a call.
 */
const SIZE_MAX = 0xffff_ffff;
/** Foreign files may have chunks before the data; in ours the data chunk is at offset 36. */
const CHUNKS_MAX = 32;

interface WavFormat {
  readonly sampleRateHz: number;
  readonly channels: number;
}

interface WavInfo extends WavFormat {
  /** Offset of the first sample. */
  readonly dataOffset: number;
  /** Whole sample frames only. */
  readonly dataBytes: number;
  readonly durationMs: number;
}

export function wavHeader(format: WavFormat, dataBytes: number): Uint8Array {
  const bytes = new Uint8Array(WAV_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  const frameBytes = format.channels * BYTES_PER_SAMPLE;
  writeText(bytes, 0, "RIFF");
  const riffBytes = WAV_HEADER_BYTES - CHUNK_HEADER_BYTES + dataBytes;
  view.setUint32(4, Math.min(riffBytes, SIZE_MAX), true);
  writeText(bytes, 8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM_FORMAT, true);
  view.setUint16(22, format.channels, true);
  view.setUint32(24, format.sampleRateHz, true);
  view.setUint32(28, format.sampleRateHz * frameBytes, true);
  view.setUint16(32, frameBytes, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  writeText(bytes, 36, "data");
  view.setUint32(40, Math.min(dataBytes, SIZE_MAX), true);
  return bytes;
}

export function durationMsOf(format: WavFormat, dataBytes: number): number {
  const bytesPerSecond = format.channels * BYTES_PER_SAMPLE * format.sampleRateHz;
  return Math.round((dataBytes * 1000) / bytesPerSecond);
}

/** Reads a WAV file in pieces. The caller of `openWav` must `close` it. */
export interface WavReader {
  readonly info: WavInfo;
  readonly descriptor: number;
  /** The next sample frames, up to `framesMax`, interleaved; null at the end. Newly allocated. */
  read(framesMax: number): Promise<Int16Array | null>;
  close(): Promise<void>;
}

/**
 * Throws if the file is not a 16-bit PCM WAV. A data size beyond the end of the file is reduced.
 */
export async function openWav(path: string): Promise<WavReader> {
  const file = await open(path, "r");
  try {
    const info = await readInfo(file, (await file.stat()).size);
    const frameBytes = info.channels * BYTES_PER_SAMPLE;
    let position = info.dataOffset;
    const end = info.dataOffset + info.dataBytes;
    return {
      info,
      descriptor: file.fd,
      async read(framesMax) {
        const wantedBytes = Math.min(end - position, framesMax * frameBytes);
        if (wantedBytes < frameBytes) return null;
        const bytes = new Uint8Array(wantedBytes);
        const { bytesRead } = await file.read(bytes, 0, wantedBytes, position);
        const wholeBytes = bytesRead - (bytesRead % frameBytes);
        if (wholeBytes === 0) return null;
        position += wholeBytes;
        return new Int16Array(bytes.buffer, 0, wholeBytes / BYTES_PER_SAMPLE);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Repairs one of our recordings after a crash: sets the size fields to the real file size and
 * removes a partial sample frame at the end. A damaged header is rewritten as `format`, and every
 * sample is kept. A file that ends inside its header becomes an empty recording. Returns its
 * duration and size. Idempotent.
 */
export async function repairWav(
  path: string,
  format: WavFormat = { sampleRateHz: 8000, channels: 2 },
): Promise<{ readonly durationMs: number; readonly bytes: number }> {
  const file = await open(path, "r+");
  try {
    const size = (await file.stat()).size;
    const known = await readFormat(file, size);
    const actual = known ?? format;
    const frameBytes = actual.channels * BYTES_PER_SAMPLE;
    const available = Math.max(0, size - WAV_HEADER_BYTES);
    const dataBytes = available - (available % frameBytes);
    const bytes = WAV_HEADER_BYTES + dataBytes;
    await file.truncate(bytes);
    await file.write(wavHeader(actual, dataBytes), 0, WAV_HEADER_BYTES, 0);
    await file.sync();
    return { durationMs: durationMsOf(actual, dataBytes), bytes };
  } finally {
    await file.close();
  }
}

type FileHandle = Awaited<ReturnType<typeof open>>;

/** The format from a header in our own layout; null if the file ends inside it. */
async function readFormat(file: FileHandle, size: number): Promise<WavFormat | null> {
  if (size < WAV_HEADER_BYTES) return null;
  const bytes = await readBytes(file, 0, WAV_HEADER_BYTES);
  if (textAt(bytes, 0) !== "RIFF" || textAt(bytes, 36) !== "data") return null;
  return formatAt(new DataView(bytes.buffer), 12 + CHUNK_HEADER_BYTES);
}

async function readInfo(file: FileHandle, size: number): Promise<WavInfo> {
  const riff = await readBytes(file, 0, 12);
  if (textAt(riff, 0) !== "RIFF" || textAt(riff, 8) !== "WAVE") throw notWav("no RIFF/WAVE header");
  let format: WavFormat | null = null;
  let offset = 12;
  for (let chunk = 0; chunk < CHUNKS_MAX && offset + CHUNK_HEADER_BYTES <= size; chunk++) {
    const header = await readBytes(file, offset, CHUNK_HEADER_BYTES);
    const chunkBytes = new DataView(header.buffer).getUint32(4, true);
    const body = offset + CHUNK_HEADER_BYTES;
    if (textAt(header, 0) === "fmt ") {
      format = formatAt(new DataView((await readBytes(file, body, 16)).buffer), 0);
    }
    if (textAt(header, 0) === "data") {
      if (!format) throw notWav("no 16-bit PCM format before the data");
      const rest = size - body;
      const available = chunkBytes === SIZE_MAX ? rest : Math.min(chunkBytes, rest);
      const dataBytes = available - (available % (format.channels * BYTES_PER_SAMPLE));
      const durationMs = durationMsOf(format, dataBytes);
      return { ...format, dataOffset: body, dataBytes, durationMs };
    }
    offset = body + chunkBytes + (chunkBytes % 2);
  }
  throw notWav("no data chunk");
}

function formatAt(view: DataView, offset: number): WavFormat | null {
  const channels = view.getUint16(offset + 2, true);
  const sampleRateHz = view.getUint32(offset + 4, true);
  const bits = view.getUint16(offset + 14, true);
  const isPcm = view.getUint16(offset, true) === PCM_FORMAT && bits === 8 * BYTES_PER_SAMPLE;
  if (!isPcm || channels < 1 || channels > 8 || sampleRateHz === 0) return null;
  return { channels, sampleRateHz };
}

async function readBytes(file: FileHandle, position: number, count: number) {
  const bytes = new Uint8Array(count);
  await file.read(bytes, 0, count, position);
  return bytes;
}

function textAt(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}

function writeText(bytes: Uint8Array, offset: number, text: string): void {
  bytes.set(new TextEncoder().encode(text), offset);
}

const notWav = (reason: string) => new Error(`not a WAV file: ${reason}`);
