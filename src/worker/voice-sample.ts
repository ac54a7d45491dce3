/**
 * A short sentence in one voice, spoken by the engine of a call worker outside calls, as a WAV
 * file.
 */

import type { VoiceSample } from "../call/web/voice-samples.ts";
import type { Engine } from "../conversation/engine-port.ts";
import type { Clock } from "../core/clock.ts";
import { wavFile } from "../engine/openai/wav.ts";

const SAMPLE_RATE_HZ = 16_000;
/** Shorter than the time limit of the requesting code. */
const SPOKEN_MS_MAX = 12_000;

/** Rejects if there is no audio, or if another voice had to speak. */
export async function speakSample(
  engine: Engine,
  { text, ...chosen }: VoiceSample,
  clock: Clock,
): Promise<Uint8Array> {
  const session = engine.open({
    callId: "voice-sample",
    sampleRateHz: SAMPLE_RATE_HZ,
    ...chosen,
    systemPrompt: "",
    knowledge: [],
    tools: [],
  });
  const late = new AbortController();
  const timer = clock.after(SPOKEN_MS_MAX, () => late.abort());
  try {
    const samples: number[] = [];
    for await (const pcm of session.tts.speak(text, late.signal)) samples.push(...pcm);
    if (late.signal.aborted) throw new Error(`not spoken within ${SPOKEN_MS_MAX} ms`);
    if (samples.length === 0) throw new Error("no sound came");
    if (session.tts.isFallback) throw new Error("another voice had to speak");
    return wavFile(Int16Array.from(samples), SAMPLE_RATE_HZ);
  } finally {
    timer.cancel();
    session.close();
  }
}
