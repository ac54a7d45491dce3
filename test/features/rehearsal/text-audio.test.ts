/** The line of a text rehearsal: 8 kHz, frames of 20 ms, and words that take as long as speech. */
import { expect, test } from "bun:test";
import {
  TextAudio,
  textStt,
  textTts,
  textVad,
} from "../../../src/features/rehearsal/text-audio.ts";

test("a second is 8000 samples, played in steps of 20 ms", () => {
  const audio = new TextAudio();
  expect(audio.sampleRateHz).toBe(8_000);
  audio.play(new Int16Array(8_000));
  expect(audio.queuedMs).toBe(1_000);
  audio.tick();
  expect([audio.queuedMs, audio.playedMs, audio.rtpClockMs]).toEqual([980, 20, 20]);
  expect(audio.stopPlaying()).toBe(980);
  audio.tick();
  expect([audio.queuedMs, audio.playedMs, audio.rtpClockMs]).toEqual([0, 20, 40]);
});

/** The number of frames until the caller has spoken `text`. */
function framesOf(text: string): number {
  const audio = new TextAudio();
  let spoken = 0;
  audio.onFrame((pcm) => {
    expect(pcm).toHaveLength(160);
    if (textVad.process(pcm) === 1) spoken++;
  });
  audio.callerSays(text);
  while (audio.callerSpeaks) audio.tick();
  audio.tick();
  return spoken;
}

test.each([
  ["a", 15],
  ["abcd", 15],
  ["abcde", 17],
  ["a".repeat(100), 325],
])("%s takes %d frames: 65 ms per character, at least 0.3 s", async (text, frames) => {
  expect(framesOf(text)).toBe(frames);
  for await (const pcm of textTts.speak(text, new AbortController().signal))
    expect(pcm).toHaveLength(frames * 160);
});

test("the recogniser has the words spoken so far, and forgets them on request", async () => {
  const audio = new TextAudio();
  const stt = textStt(audio);
  const partials: string[] = [];
  expect(stt.capabilities.partials).toBe(true);
  stt.onPartial((text) => void partials.push(text));
  audio.callerSays("one two three four");
  for (let frame = 0; frame < 30; frame++) audio.tick();
  stt.push(new Int16Array(160));
  expect(partials).toEqual(["one two"]);
  stt.discard();
  while (audio.callerSpeaks) audio.tick();
  expect(await stt.finalize()).toMatchObject({ text: "one two three four", audioMs: 1_180 });
  stt.push(new Int16Array(160));
  expect(partials).toHaveLength(1);
  audio.callerSays("five");
  while (audio.callerSpeaks) audio.tick();
  stt.discard();
  expect((await stt.finalize()).text).toBe("");
});
