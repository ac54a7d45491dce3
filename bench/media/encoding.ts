/** WAV → MP3 in the encoder worker, as after a call: seconds of audio per second. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEncoder } from "../../src/media/recording/encoder.ts";
import { wavHeader } from "../../src/media/recording/wav.ts";
import { spawnEncoderWorker } from "../../src/workers.ts";

export interface EncodingResult {
  readonly audioSeconds: number;
  readonly timesRealTime: number;
  /** Native LAME in ffmpeg for the same file and bit rate; null without ffmpeg. */
  readonly nativeTimesRealTime: number | null;
}

const FORMAT = { sampleRateHz: 8000, channels: 2 };

/** Speech-like input: two drifting tones with pauses, different on each side. */
function recording(audioSeconds: number): Uint8Array {
  const frames = audioSeconds * FORMAT.sampleRateHz;
  const pcm = new Int16Array(frames * FORMAT.channels);
  for (let frame = 0; frame < frames; frame++) {
    const loud = Math.floor(frame / 12_000) % 2;
    const sweep = 200 + 150 * Math.sin(frame / 9_000);
    pcm[2 * frame] = loud * 8000 * Math.sin((2 * Math.PI * sweep * frame) / 8000);
    pcm[2 * frame + 1] = (1 - loud) * 8000 * Math.sin((2 * Math.PI * 1.7 * sweep * frame) / 8000);
  }
  return Buffer.concat([wavHeader(FORMAT, pcm.byteLength), new Uint8Array(pcm.buffer)]);
}

export async function measureEncoding(audioSeconds: number): Promise<EncodingResult> {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const encoder = createEncoder(spawnEncoderWorker);
  const tags = { title: "bench", callId: "bench", recordedAt: new Date(0) };
  try {
    const wav = join(directory, "call.wav");
    await Bun.write(wav, recording(audioSeconds));
    await Bun.write(join(directory, "warm-up.wav"), recording(2));
    await encoder.encode(join(directory, "warm-up.wav"), join(directory, "warm-up.mp3"), tags);
    const startedAt = performance.now();
    await encoder.encode(wav, join(directory, "call.mp3"), tags);
    const seconds = (performance.now() - startedAt) / 1000;
    const nativeTimesRealTime = await nativeMp3(wav, audioSeconds);
    return { audioSeconds, timesRealTime: audioSeconds / seconds, nativeTimesRealTime };
  } finally {
    await encoder.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Includes the program's start, because it would start after each call. */
async function nativeMp3(wav: string, audioSeconds: number): Promise<number | null> {
  const ffmpeg = Bun.which("ffmpeg");
  if (!ffmpeg) return null;
  const startedAt = performance.now();
  const command = ["-v", "error", "-i", wav, "-c:a", "libmp3lame", "-b:a", "32k", `${wav}.mp3`];
  const { exitCode } = Bun.spawnSync([ffmpeg, ...command]);
  return exitCode === 0 ? audioSeconds / ((performance.now() - startedAt) / 1000) : null;
}
