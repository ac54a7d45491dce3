/**
 * Encodes WAV to MP3 (LAME in wasm) in pieces, so that a long call needs no more memory than a
 * short one. Uses a constant bit rate, because otherwise players show a wrong duration. Uses 16 kHz
 * (MPEG-2 Layer III), which more players support than 8 kHz (the unofficial MPEG 2.5). Writes a
 * temporary file and renames it.
 */

import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type { RecordingPeaks } from "../../call/media-port.ts";
import { partialFileOf } from "./encoder-messages.ts";
import { id3Tag, type RecordingTags } from "./id3.ts";
import { Lame } from "./lame.ts";
import { PeakMeter } from "./peaks.ts";
import { openWav, type WavReader } from "./wav.ts";

const BITRATE_KBPS = 32;
const OUTPUT_RATE_HZ = 16000;
/** Sample frames per piece: 2 s at 8 kHz. A job can be cancelled between pieces. */
const PIECE_FRAMES = 16_000;

export interface EncodedMp3 {
  readonly durationMs: number;
  readonly bytes: number;
  readonly peaks: RecordingPeaks;
}

/** An encoder from an earlier recording. */
let idle: Lame | null = null;

async function takeLame(): Promise<Lame> {
  const taken = idle;
  idle = null;
  return taken ?? (await Lame.create());
}

/**
 * Rejects on disk errors, for an invalid WAV, or with the signal's reason. Leaves no partial file.
 */
export async function encodeMp3(
  wavPath: string,
  mp3Path: string,
  tags: RecordingTags,
  signal: AbortSignal,
  onOpened: (descriptors: readonly number[]) => void = () => {},
): Promise<EncodedMp3> {
  const partPath = partialFileOf(mp3Path);
  const wav = await openWav(wavPath);
  try {
    const file = await open(partPath, "w");
    onOpened([wav.descriptor, file.fd]);
    const meter = new PeakMeter(wav.info);
    const bytes = await writeMp3(wav, file, tags, meter, signal).finally(() => file.close());
    await rename(partPath, mp3Path);
    return { durationMs: wav.info.durationMs, bytes, peaks: meter.peaks };
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  } finally {
    await wav.close();
  }
}

async function writeMp3(
  wav: WavReader,
  file: FileHandle,
  tags: RecordingTags,
  meter: PeakMeter,
  signal: AbortSignal,
): Promise<number> {
  const { channels, sampleRateHz } = wav.info;
  if (channels !== 1 && channels !== 2) throw new Error(`cannot encode ${channels} channels`);
  const lame = await takeLame();
  lame.begin({
    channels,
    sampleRateHz,
    bitrateKbps: BITRATE_KBPS,
    outputSampleRateHz: OUTPUT_RATE_HZ,
  });
  const tag = id3Tag(tags);
  await file.write(tag);
  let bytes = tag.length;
  for (let piece = await wav.read(PIECE_FRAMES); piece; piece = await wav.read(PIECE_FRAMES)) {
    signal.throwIfAborted();
    meter.add(piece);
    bytes += await append(file, lame.encode(piece));
  }
  bytes += await append(file, lame.finish());
  await file.sync();
  idle = lame;
  return bytes;
}

/** The encoder reuses its memory: write it before the next call. */
async function append(file: FileHandle, mp3: Uint8Array): Promise<number> {
  if (mp3.length > 0) await file.write(mp3.slice());
  return mp3.length;
}
