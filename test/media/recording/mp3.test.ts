/** The encoder handles one recording after another, and none affects the next. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { encodeMp3 } from "../../../src/media/recording/mp3.ts";
import { wavHeader } from "../../../src/media/recording/wav.ts";
import { tempDir } from "../../support/temp-dir.ts";

const folder = tempDir();
const tags = { title: "call", callId: "c", recordedAt: new Date(0) };
let files = 0;

async function wavOf(channels: number, seconds: number, toneHz: number): Promise<string> {
  const format = { sampleRateHz: 8000, channels };
  const pcm = Int16Array.from(
    { length: 8000 * seconds * channels },
    (_, index) => 8000 * Math.sin((2 * Math.PI * toneHz * index) / 8000 / channels),
  );
  const path = join(folder, `${++files}.wav`);
  await Bun.write(
    path,
    Buffer.concat([wavHeader(format, pcm.byteLength), Buffer.from(pcm.buffer)]),
  );
  return path;
}

async function mp3Of(wavPath: string, signal = new AbortController().signal): Promise<Buffer> {
  const path = join(folder, `${++files}.mp3`);
  await encodeMp3(wavPath, path, tags, signal);
  return Buffer.from(await Bun.file(path).bytes());
}

test("a recording gives the same MP3 after others, after an aborted one, and during another", async () => {
  const call = await wavOf(2, 3, 440);
  const other = await wavOf(1, 5, 900);
  const first = await mp3Of(call);
  expect((await mp3Of(call)).equals(first)).toBe(true);
  await mp3Of(await wavOf(2, 5, 2700));
  expect((await mp3Of(call)).equals(first)).toBe(true);
  await mp3Of(other);
  expect((await mp3Of(call)).equals(first)).toBe(true);

  const abandoned = new AbortController();
  const encoding = mp3Of(other, abandoned.signal);
  setImmediate(() => abandoned.abort(new Error("cancelled")));
  await expect(encoding).rejects.toThrow("cancelled");
  expect((await mp3Of(call)).equals(first)).toBe(true);

  const beside = await Promise.all([mp3Of(call), mp3Of(other), mp3Of(call)]);
  expect(beside.map((mp3) => mp3.equals(first))).toEqual([true, false, true]);
});
