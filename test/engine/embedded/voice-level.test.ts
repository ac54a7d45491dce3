/** Our voices are scaled to one level with measured factors. */
import { expect, test } from "bun:test";
import { loadEspeak } from "../../../src/engine/embedded/speech/espeak.ts";
import { gainFor } from "../../../src/engine/embedded/speech/level.ts";
import { espeakVoiceName, VOICE_GAINS } from "../../../src/engine/embedded/speech/voices.ts";
import { LEVEL_SENTENCE } from "../../../src/engine/embedded/synthesiser.ts";

test("each voice's factor matches a new measurement", async () => {
  const espeak = await loadEspeak();
  for (const [voice, gains] of Object.entries(VOICE_GAINS)) {
    for (const [language, gain] of Object.entries(gains)) {
      const pcm = await espeak.synthesize(LEVEL_SENTENCE, espeakVoiceName(language, voice));
      const measured = gainFor([pcm]);
      expect(measured / gain, `${voice}, ${language}: ${measured}`).toBeWithin(0.97, 1.03);
    }
  }
});
