/** `[engine.embedded] speech_rate_percent`, from the configuration to the voice. */
import { expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { createEmbeddedEngine } from "../../../src/engine/embedded/engine.ts";
import { topicsHere } from "../../../src/engine/embedded/scripted/topics-here.ts";
import type { SpeechRequest } from "../../../src/engine/embedded/speech-messages.ts";
import { createSynthesiser } from "../../../src/engine/embedded/synthesiser.ts";
import { engineSettingsOf } from "../../../src/ops/config/engine-settings.ts";
import { configSchema } from "../../../src/ops/config/schema.ts";

const settingsAt = (speech_rate_percent: number) =>
  configSchema.safeParse({ engine: { embedded: { speech_rate_percent } } });

test.each([
  [49, false],
  [50, true],
  [200, true],
  [201, false],
])("a speech rate of %d percent is allowed: %p", (percent, allowed) => {
  const { success, data } = settingsAt(percent);
  expect(success).toBe(allowed);
  if (data) expect(engineSettingsOf(data).speechRatePercent).toBe(percent);
});

async function voiceOf(voice: string) {
  const synthesiser = await createSynthesiser();
  return (ratePercent?: number) =>
    synthesiser.speakAll({
      text: "We are open from Monday to Friday. Please call again tomorrow morning.",
      language: "en",
      voice,
      sampleRateHz: 8000,
      ...(ratePercent === undefined ? {} : { ratePercent }),
    });
}

test.each(["Sari", "Adrian"])("%s speaks at the configured rate", async (voice) => {
  const speak = await voiceOf(voice);
  const { length } = await speak();
  const share = async (ratePercent: number) => (await speak(ratePercent)).length / length;
  expect(await share(50)).toBeGreaterThan(1.8);
  expect(await share(90)).toBeGreaterThan(1.05);
  expect(await share(110)).toBeLessThan(0.95);
  expect(await share(200)).toBeLessThan(0.6);
  expect(await share(100)).toBeCloseTo(1, 1);
});

// espeak-ng never speaks a sentence twice in quite the same way, but two of them begin alike.
test("100 percent sounds like no rate, sample by sample", async () => {
  const plain = await (await voiceOf("Sari"))();
  expect(await (await voiceOf("Sari"))(100)).toEqual(plain);
  expect(await (await voiceOf("Sari"))(101)).not.toEqual(plain);
});

test("the speech worker gets the rate of the configuration", async () => {
  const { port1, port2 } = new MessageChannel();
  const told = new Promise<SpeechRequest>((resolve) => {
    port2.onmessage = ({ data }: MessageEvent<SpeechRequest>) => {
      if (data.type === "speak") resolve(data);
    };
  });
  const engine = createEmbeddedEngine({
    port: port1,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    askTopics: topicsHere(),
    speechRatePercent: 130,
  });
  const session = engine.parts.tts.open({
    callId: "call",
    language: "en",
    voice: "Sari",
    sampleRateHz: 8000,
    systemPrompt: "",
    knowledge: [],
    tools: [],
  });
  const done = new AbortController();
  const speech = Array.fromAsync(session.stream.speak("Hello.", done.signal));
  expect(await told).toMatchObject({ text: "Hello.", ratePercent: 130 });
  done.abort();
  await speech;
  await engine.close();
});
