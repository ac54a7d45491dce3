/** The configured providers are asked; or the embedded engine says a sentence to itself: voice, ear and mind, in a speech worker of its own. */
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { silentLog } from "../core/log.ts";
import { systemRandom } from "../core/random.ts";
import { createEmbeddedEngine } from "../engine/embedded/engine.ts";
import type { Engine, EngineSession } from "../engine/ports.ts";
import { spawnSpeechWorker } from "../workers.ts";
import { type Check, type Finding, failed, ok } from "./check.ts";
import { examineProviders } from "./provider-check.ts";

const LIMIT_MS = 40_000;
const SENTENCE = "What are your opening hours?";
const SAMPLE_RATE_HZ = 8000;
const FRAME = 160;
const KNOWLEDGE = `## ${SENTENCE}\nWe are open from nine to five.\n`;
const mend = "Restart the server; if it persists, install the binary anew: it contains the engine.";

const MEND_BUSY =
  "See what keeps the machine busy: top; if it is idle, install the binary anew: it contains the engine.";

export const engineSelfTest: Check = {
  name: "engine",
  async run({ config, clock }) {
    if (config.engine.kind !== "embedded") return await examineProviders(config, clock);
    const worker = spawnSpeechWorker();
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ type: "init", port: port2 }, [port2]);
    const engine = createEmbeddedEngine({
      port: port1,
      clock,
      random: systemRandom,
      log: silentLog,
    });
    const patience = new AbortController();
    const timer = clock.after(LIMIT_MS, () => patience.abort());
    const attempt = () => listenToItself(engine, clock, patience.signal);
    try {
      // The first asks what was just loaded, and on a busy machine may come too late for it.
      return await attempt().catch(attempt);
    } catch (error) {
      return failed(`Twice: ${describeError(error)}.`, MEND_BUSY);
    } finally {
      timer.cancel();
      await engine.close();
      worker.terminate();
    }
  },
};

/** Throws what the engine throws. */
async function listenToItself(
  engine: Pick<Engine, "open">,
  clock: Clock,
  signal: AbortSignal,
): Promise<Finding> {
  const startedAt = clock.monotonic();
  const elapsed = () => `${Math.round(clock.monotonic() - startedAt)} ms`;
  const session = engine.open({
    ...{ callId: "doctor", language: "en", voice: "Nathan", sampleRateHz: SAMPLE_RATE_HZ },
    ...{ systemPrompt: "", tools: [] },
    knowledge: [{ filename: "doctor.md", format: "md", content: KNOWLEDGE }],
  });
  try {
    const spoken: Int16Array[] = [];
    for await (const chunk of session.voice.speak(SENTENCE, signal)) spoken.push(chunk);
    const pcm = joined(spoken);
    if (pcm.length < SAMPLE_RATE_HZ / 2)
      return failed(`The voice said nothing within ${elapsed()}.`, mend);
    const spokenAfter = elapsed();
    const text = await hear(session, pcm);
    if (!/opening hours/i.test(text))
      return failed(`The ear understood "${text}" instead of "${SENTENCE}".`, mend);
    const heardAfter = elapsed();
    const answer = await answerTo(session, text, signal);
    if (!/nine/i.test(answer))
      return failed(`The mind answered "${answer}" to "${SENTENCE}".`, mend);
    return ok(
      `Voice (TTS) after ${spokenAfter}, understood (STT) after ${heardAfter}, answered (LLM) after ${elapsed()}.`,
    );
  } finally {
    session.close();
  }
}

async function hear({ ear }: EngineSession, pcm: Int16Array): Promise<string> {
  ear.begin(new Int16Array(FRAME * 10));
  for (let at = 0; at < pcm.length; at += FRAME) ear.push(pcm.slice(at, at + FRAME));
  return (await ear.end()).text;
}

async function answerTo(
  { mind }: EngineSession,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  let answer = "";
  for await (const event of mind.respond({ type: "utterance", text, confidence: 1 }, signal))
    if (event.type === "text") answer += event.text;
  return answer;
}

function joined(chunks: readonly Int16Array[]): Int16Array {
  const pcm = new Int16Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    pcm.set(chunk, at);
    at += chunk.length;
  }
  return pcm;
}
