/** Everything that is made from other files before types are checked or code is bundled. */
import { buildSpeechData } from "./speech-data.ts";

export async function generateSources(): Promise<void> {
  await buildSpeechData();
}

if (import.meta.main) await generateSources();
