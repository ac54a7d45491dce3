/** Test requests to an engine, shared by the doctor and the engine trial. */
import type { EngineSession } from "../../conversation/engine-port.ts";

export const SENTENCE = "What are your opening hours?";
export const SAMPLE_RATE_HZ = 8_000;
/** The knowledge of the embedded engine in these requests. */
export const KNOWLEDGE = {
  filename: "doctor.md",
  format: "md",
  content: `## ${SENTENCE}\nWe are open from nine to five.\n`,
} as const;

const FRAME = 160;

/** Synthesises a sentence to PCM. `onFirst` is called with the first audio. */
export async function speechOf(
  { tts }: EngineSession,
  text: string,
  signal: AbortSignal,
  onFirst: () => void = () => {},
): Promise<Int16Array> {
  const chunks: Int16Array[] = [];
  for await (const chunk of tts.speak(text, signal)) {
    if (chunks.length === 0) onFirst();
    chunks.push(chunk);
  }
  const pcm = new Int16Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    pcm.set(chunk, at);
    at += chunk.length;
  }
  return pcm;
}

/** The built-in recogniser loads its model during the first utterance, and a slow machine loses that one. */
const ATTEMPTS_MAX = 2;

/** Recognises the audio with STT. */
export async function textOfSpeech({ stt }: EngineSession, pcm: Int16Array): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    stt.startUtterance(new Int16Array(FRAME * 10));
    for (let at = 0; at < pcm.length; at += FRAME) stt.push(pcm.slice(at, at + FRAME));
    const { text } = await stt.finalize();
    if (text !== "" || attempt === ATTEMPTS_MAX) return text;
  }
}
