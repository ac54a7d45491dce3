/** The configured providers are asked; or the embedded engine says a sentence to itself: voice, ear and mind, in a speech worker of its own. */

import { createEmbeddedEngine } from "../../adapter/engine/embedded/engine.ts";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import { systemRandom } from "../../core/random.ts";
import type { Engine, EngineSession } from "../../domain/conversation/engine-port.ts";
import { spawnSpeechWorker } from "../../workers.ts";
import { type Check, type Finding, failed, ok, warning } from "./check.ts";
import { examineProviders } from "./provider-check.ts";

const LIMIT_MS = 50_000;
/** Longer than a caller's: an engine that is slow now is told from one that does not work. */
const SELF_TEST_DEADLINES = { chunkMs: 20_000, resultMs: 20_000 };
/** A caller would notice. */
const SLOW_MS = { voice: 6_000, recognition: 4_000 };
const SENTENCE = "What are your opening hours?";
const SAMPLE_RATE_HZ = 8000;
const FRAME = 160;
const KNOWLEDGE = `## ${SENTENCE}\nWe are open from nine to five.\n`;
const remedy =
  "Restart the server; if it persists, install the binary anew: it contains the engine.";

const REMEDY_BUSY =
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
      deadline: SELF_TEST_DEADLINES,
    });
    const deadline = new AbortController();
    const timer = clock.after(LIMIT_MS, () => deadline.abort());
    const attempt = () => runLoopback(engine, clock, deadline.signal);
    try {
      const first = await attempt();
      // The first asks what was just loaded: how soon it answers is asked of the second.
      return first.result === "warning" ? await attempt() : first;
    } catch (error) {
      return failed(`${describeError(error)}.`, REMEDY_BUSY);
    } finally {
      timer.cancel();
      await engine.close();
      worker.terminate();
    }
  },
};

/** Throws what the engine throws. */
async function runLoopback(
  engine: Pick<Engine, "open">,
  clock: Clock,
  signal: AbortSignal,
): Promise<Finding> {
  const startedAt = clock.monotonic();
  const elapsedMs = () => Math.round(clock.monotonic() - startedAt);
  const elapsed = () => `${elapsedMs()} ms`;
  const session = engine.open({
    ...{ callId: "doctor", language: "en", voice: "Nathan", sampleRateHz: SAMPLE_RATE_HZ },
    ...{ systemPrompt: "", tools: [] },
    knowledge: [{ filename: "doctor.md", format: "md", content: KNOWLEDGE }],
  });
  try {
    const spoken: Int16Array[] = [];
    for await (const chunk of session.tts.speak(SENTENCE, signal)) spoken.push(chunk);
    const pcm = concatenated(spoken);
    if (pcm.length < SAMPLE_RATE_HZ / 2)
      return failed(`The voice said nothing within ${elapsed()}.`, remedy);
    const spokenAfterMs = elapsedMs();
    const text = await recognize(session, pcm);
    if (!/opening hours/i.test(text))
      return failed(`The ear understood "${text}" instead of "${SENTENCE}".`, remedy);
    const recognizedAfterMs = elapsedMs();
    const answer = await answerTo(session, text, signal);
    if (!/nine/i.test(answer))
      return failed(`The mind answered "${answer}" to "${SENTENCE}".`, remedy);
    const times = `Voice (TTS) after ${spokenAfterMs} ms, understood (STT) after ${recognizedAfterMs} ms, answered (LLM) after ${elapsed()}.`;
    const isLate =
      spokenAfterMs > SLOW_MS.voice || recognizedAfterMs - spokenAfterMs > SLOW_MS.recognition;
    return isLate ? warning(`Too slow for a caller now. ${times}`, REMEDY_BUSY) : ok(times);
  } finally {
    session.close();
  }
}

async function recognize({ stt }: EngineSession, pcm: Int16Array): Promise<string> {
  stt.startUtterance(new Int16Array(FRAME * 10));
  for (let at = 0; at < pcm.length; at += FRAME) stt.push(pcm.slice(at, at + FRAME));
  return (await stt.finalize()).text;
}

async function answerTo(
  { llm }: EngineSession,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  let answer = "";
  for await (const event of llm.respond({ type: "utterance", text, confidence: 1 }, signal))
    if (event.type === "text") answer += event.text;
  return answer;
}

function concatenated(chunks: readonly Int16Array[]): Int16Array {
  const pcm = new Int16Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    pcm.set(chunk, at);
    at += chunk.length;
  }
  return pcm;
}
