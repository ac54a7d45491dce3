/**
 * The product's four voices as espeak-ng variants, for every language. Median pitch: Sari 195, Emma
 * 237, Nathan 110, Adrian 80 Hz.
 */
import type { AgentLanguage, AgentVoice } from "../../../features/agent/agent.ts";

export const VOICE_VARIANTS: Readonly<Record<AgentVoice, string>> = {
  Sari: variant(
    "Sari",
    "gender female",
    "pitch 150 215",
    "roughness 0",
    "formant 0 105 80 150",
    "formant 1 118 80 70",
    "formant 2 112 85 70 140",
    "formant 3 112 80 120",
    "formant 4 110 80 110",
    "formant 5 112 50 80",
    "stressAdd -10 -10 -20 -20 0 0 40 60",
  ),
  Emma: variant(
    "Emma",
    "gender female",
    "pitch 172 260",
    "formant 0 110 70 150",
    "formant 1 124 80 80",
    "formant 2 124 80 80",
    "formant 3 126 70 80",
    "formant 4 120 70 80",
    "formant 5 120 60 80",
    "breath 0 2 3 3 3 3 3 2",
    "echo 0 0",
  ),
  Nathan: variant(
    "Nathan",
    "gender male",
    "pitch 85 122",
    "formant 0 100 100 100",
    "formant 1 98 100 100",
    "formant 2 99 100 95",
    "formant 3 98 100 95",
    "tone 600 120 1000 110 2500 60",
  ),
  Adrian: variant(
    "Adrian",
    "gender male",
    "pitch 62 92",
    "formant 0 92 110 100",
    "formant 1 90 105 100",
    "formant 2 92 100 95",
    "formant 3 92 95 100",
    "roughness 2",
  ),
};

/**
 * Gain of each voice by language, to reach the level of level.ts. Constants, so that a voice's
 * first greeting need not wait for the measurement.
 */
export const VOICE_GAINS: Readonly<Record<AgentVoice, Readonly<Record<AgentLanguage, number>>>> = {
  Sari: { en: 1.3, lt: 1.02, lv: 0.94, ru: 1.32 },
  Emma: { en: 1.31, lt: 1.06, lv: 1.12, ru: 1.17 },
  Nathan: { en: 1.48, lt: 1.01, lv: 1.19, ru: 1.39 },
  Adrian: { en: 1.07, lt: 0.75, lv: 0.82, ru: 1.02 },
};

function variant(name: string, ...lines: string[]): string {
  return `language variant\nname ${name}\n${lines.join("\n")}\n`;
}

/** eSpeak NG's name of a voice. English has an American accent. */
export function espeakVoiceName(language: string, voice: string): string {
  const accent = language === "en" ? "en-us" : language;
  return voice === "" ? accent : `${accent}+${voice}`;
}
