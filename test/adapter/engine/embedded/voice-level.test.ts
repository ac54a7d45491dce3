/** Our voices are brought to one level by factors that were measured before. */
import { expect, test } from "bun:test";
import { loadEspeak } from "../../../../src/adapter/engine/embedded/speech/espeak-module.ts";
import { gainFor } from "../../../../src/adapter/engine/embedded/speech/level.ts";
import {
  espeakVoiceName,
  VOICE_GAINS,
} from "../../../../src/adapter/engine/embedded/speech/voices.ts";

test("each voice's factor is what a measurement gives", async () => {
  const espeak = await loadEspeak();
  for (const [voice, gains] of Object.entries(VOICE_GAINS)) {
    for (const [language, gain] of Object.entries(gains)) {
      espeak.learn(language);
      expect(espeak.set_voice(espeakVoiceName(language, voice))).toBe(0);
      const parts: Int16Array[] = [];
      espeak.synthesize("Good afternoon, how can I help you today?", (pcm) => {
        parts.push(pcm);
        return false;
      });
      expect(gainFor(parts) / gain, `${voice}, ${language}`).toBeWithin(0.97, 1.03);
    }
  }
});
