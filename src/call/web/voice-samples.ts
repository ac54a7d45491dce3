/**
 * Voice samples: one short sentence per language, spoken by the engine of the calls. Each is made once and
 * cached, so that a provider is paid only once.
 */
import type { AgentLanguage, AgentVoice } from "../../features/agent/agent.ts";

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

const SENTENCES: Readonly<Record<AgentLanguage, string>> = {
  en: "Hello, thank you for calling. How can I help you today?",
  lt: "Laba diena, ačiū, kad skambinate. Kuo galiu padėti?",
  lv: "Labdien, paldies, ka zvanāt. Kā varu palīdzēt?",
  ru: "Здравствуйте, спасибо за звонок. Чем могу помочь?",
};

export function createVoiceSamples(engine: VoiceSampler) {
  const made = new Map<string, Promise<Uint8Array>>();
  return {
    /** Returns a WAV file. Throws AppError `unavailable`; the next call retries. */
    of(language: AgentLanguage, voice: AgentVoice): Promise<Uint8Array> {
      const key = `${language} ${voice}`;
      const known = made.get(key);
      if (known) return known;
      const sample = engine.sampleVoice({ language, voice, text: SENTENCES[language] });
      made.set(key, sample);
      sample.catch(() => made.delete(key));
      return sample;
    },
  };
}
