/**
 * How a voice sounds: one short sentence a language, spoken by the engine that speaks in calls. It is made once
 * and kept, so that a provider is paid for it once.
 */
import type { AgentLanguage, AgentVoice } from "../../agent/agent.ts";

export interface VoiceSample {
  readonly language: AgentLanguage;
  readonly voice: AgentVoice;
  readonly text: string;
}

/** The engine outside of calls. */
export interface VoiceSampler {
  /** A WAV file. Throws AppError `unavailable` when the voice cannot speak now. */
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
    /** A WAV file. Throws AppError `unavailable`; it is tried again the next time. */
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
