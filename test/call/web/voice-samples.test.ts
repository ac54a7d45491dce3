/** A voice sample is synthesised once for all requests, and again after a failure. */
import { expect, test } from "bun:test";
import { createVoiceSamples, type VoiceSample } from "../../../src/call/web/voice-samples.ts";

test("a voice sample is made once per language; after a failure it is tried again", async () => {
  const asked: VoiceSample[] = [];
  let isBroken = true;
  const samples = createVoiceSamples({
    async sampleVoice(sample) {
      asked.push(sample);
      if (isBroken) throw new Error("no voice");
      return new Uint8Array([asked.length]);
    },
  });
  await expect(samples.of("lt", "Sari")).rejects.toThrow("no voice");
  isBroken = false;
  const [first, second] = await Promise.all([samples.of("lt", "Sari"), samples.of("lt", "Sari")]);
  expect(first).toBe(second);
  await samples.of("en", "Sari");
  await samples.of("lt", "Emma");
  expect(asked.map(({ language, voice }) => `${language} ${voice}`)).toEqual([
    ...["lt Sari", "lt Sari", "en Sari", "lt Emma"],
  ]);
  expect(new Set(asked.map(({ text }) => text)).size).toBe(2);
});
