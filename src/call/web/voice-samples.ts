/**
 * Voice samples: one short sentence per language, spoken by the engine of the calls. Each is made once and
 * cached, so that a provider is paid only once.
 */
import { textsOf } from "../../core/texts.ts";
import type { AgentLanguage, AgentVoice } from "../../features/agent/agent.ts";
import sampleTexts from "./sample-texts.json" with { type: "json" };

export interface VoiceSample {
  readonly language: AgentLanguage;
  readonly voice: AgentVoice;
  readonly text: string;
}

/** Speech synthesis outside of calls. */
export interface VoiceSampler {
  /** Returns a WAV file. Throws AppError `unavailable` if the voice cannot speak now. */
  sampleVoice(sample: VoiceSample): Promise<Uint8Array>;
}

export type VoiceSamples = ReturnType<typeof createVoiceSamples>;

const TEXTS = textsOf(sampleTexts);

export function createVoiceSamples(engine: VoiceSampler) {
  const made = new Map<string, Promise<Uint8Array>>();
  return {
    /** Returns a WAV file. Throws AppError `unavailable`; the next call retries. */
    of(language: AgentLanguage, voice: AgentVoice): Promise<Uint8Array> {
      const key = `${language} ${voice}`;
      const known = made.get(key);
      if (known) return known;
      const sample = engine.sampleVoice({ language, voice, text: TEXTS[language].sample });
      made.set(key, sample);
      sample.catch(() => made.delete(key));
      return sample;
    },
  };
}
