/**
 * Recognition delay of one speech worker of the embedded engine with several concurrent speakers.
 * Each says one recorded sentence after another in real time and waits 3 s, as for an answer.
 */

import type { EngineSession } from "../../src/conversation/engine-port.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { seededRandom } from "../../src/core/random.ts";
import { transcribersFor } from "../../src/engine/embedded/concurrent-speakers.ts";
import { createEmbeddedEngine } from "../../src/engine/embedded/engine.ts";
import { topicsHere } from "../../src/engine/embedded/scripted/topics-here.ts";
import { spawnSpeechWorker } from "../../src/workers.ts";
import { recordedPrompts } from "../../test/support/speech/recorded-prompts.ts";
import { overTelephone } from "../../test/support/speech/telephone-line.ts";
import { percentile } from "../process/percentile.ts";

const KNOWLEDGE = "## What are your opening hours?\nFrom nine to five.\n";
const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
const PAUSE_MS = 3_000;
const SENTENCES = 24;
/** Delay between the starts of two speakers. */
const BETWEEN_TALKERS_MS = 700;

interface TalkersResult {
  readonly talkers: number;
  /** From the last sample to the text, ms. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly utterances: number;
  /** Utterances without any recognised text. */
  readonly lost: number;
  /** Cores used by all threads together. */
  readonly cores: number;
}

export async function measureTalkers(
  numbers: readonly number[],
  rounds: number,
): Promise<TalkersResult[]> {
  const prompts = recordedPrompts(SENTENCES);
  if (prompts === null) return [];
  const lines = prompts.map(({ pcm }, seed) => overTelephone(pcm, seededRandom(seed + 1)));
  const worker = spawnSpeechWorker();
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ type: "init", port: port1, transcribersMax: transcribersFor(1) }, [port1]);
  const ports = { port: port2, clock: systemClock, random: seededRandom(1), log: silentLog };
  const engine = createEmbeddedEngine({ ...ports, askTopics: topicsHere() });
  const open = (): EngineSession =>
    engine.open({
      callId: crypto.randomUUID(),
      language: "en",
      voice: "Sari",
      sampleRateHz: 8000,
      systemPrompt: "",
      tools: [],
      knowledge: [{ filename: "faq.md", format: "md", content: KNOWLEDGE }],
    });
  const results: TalkersResult[] = [];
  try {
    // Warm-up: the model takes seconds to load, and a second thread starts when two people speak.
    await Promise.all([0, 1].map((talker) => talk(open(), lines, talker, 3)));
    for (const talkers of numbers) {
      const usedBefore = process.cpuUsage();
      const startedAt = performance.now();
      const heard = await Promise.all(
        Array.from({ length: talkers }, (_, talker) => talk(open(), lines, talker, rounds)),
      );
      const { user, system } = process.cpuUsage(usedBefore);
      const cores = (user + system) / 1_000 / (performance.now() - startedAt);
      const lates = heard.flat();
      const understood = lates.filter((late) => late !== null).sort((a, b) => a - b);
      results.push({
        talkers,
        utterances: lates.length,
        lost: lates.length - understood.length,
        p50Ms: percentile(understood, 0.5),
        p95Ms: percentile(understood, 0.95),
        cores,
      });
    }
  } finally {
    await engine.close();
    worker.postMessage({ type: "shutdown" });
  }
  return results;
}

/** Recognition delay of each utterance; null if nothing was recognised. */
async function talk(
  session: EngineSession,
  lines: readonly Int16Array[],
  talker: number,
  rounds: number,
) {
  const lates: (number | null)[] = [];
  await Bun.sleep(talker * BETWEEN_TALKERS_MS);
  for (let round = 0; round < rounds; round++) {
    const line = lines[(talker * rounds + round) % lines.length] ?? new Int16Array(0);
    const startedAt = performance.now();
    session.stt.startUtterance(line.subarray(0, FRAME_SAMPLES));
    for (let at = FRAME_SAMPLES; at < line.length; at += FRAME_SAMPLES) {
      const dueAt = startedAt + (at / FRAME_SAMPLES) * FRAME_MS;
      await Bun.sleep(Math.max(0, dueAt - performance.now()));
      session.stt.push(line.subarray(at, at + FRAME_SAMPLES));
    }
    const endedAt = performance.now();
    const text = await session.stt.finalize().then(
      (result) => result.text,
      () => "",
    );
    lates.push(text === "" ? null : performance.now() - endedAt);
    await Bun.sleep(PAUSE_MS);
  }
  session.close();
  return lates;
}
