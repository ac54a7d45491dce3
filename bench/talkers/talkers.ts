/**
 * Callers who talk at the same time to one speech thread of the embedded engine: how late their words are
 * understood. All say the same question in real time, again and again, each in a voice of his own; what is
 * compared is one number of talkers with another.
 */
import { createEmbeddedEngine } from "../../src/adapter/engine/embedded/engine.ts";
import type { SpeechReply } from "../../src/adapter/engine/embedded/speech-messages.ts";
import { createSynthesiser } from "../../src/adapter/engine/embedded/synthesiser.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { seededRandom } from "../../src/core/random.ts";
import type { EngineSession } from "../../src/domain/conversation/engine-port.ts";
import { spawnSpeechWorker } from "../../src/workers.ts";
import { percentile } from "../process/percentile.ts";

const QUESTION = "What are your opening hours?";
const KNOWLEDGE = `## ${QUESTION}\nFrom nine to five.\n\n## How much does a consultation cost?\nForty euros.\n`;
const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
const PAUSE_MS = 400;
/** Alike talkers would be heard for less: their decoders share what they compute of a sound. */
const VOICES = ["m1", "f4", "m3", "f2", "m7", "f1", "m5", "f3", "m2", "f5", "m4", "m6"];

interface TalkersResult {
  readonly talkers: number;
  /** From the last sample to the text, ms. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly utterances: number;
  /** Nothing was understood. */
  readonly lost: number;
  /** By both recognisers. */
  readonly readTwice: number;
  /** Of all threads together. */
  readonly cores: number;
}

/** `isTranscribed`: English is read a second time. */
export async function measureTalkers(
  numbers: readonly number[],
  rounds: number,
  isTranscribed = false,
): Promise<TalkersResult[]> {
  const voice = await createSynthesiser();
  const lines: Int16Array[] = [];
  for (const variant of VOICES) {
    const order = { text: QUESTION, voice: variant, language: "en" };
    lines.push(await voice.speakAll({ ...order, sampleRateHz: 8000 }));
  }
  const worker = spawnSpeechWorker();
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ type: "init", port: port1 }, [port1]);
  const ports = { port: port2, clock: systemClock, random: seededRandom(1), log: silentLog };
  const engine = createEmbeddedEngine({ ...ports, isTranscribed });
  let readTwice = 0;
  port2.addEventListener("message", ({ data }: MessageEvent<SpeechReply>) => {
    if (data.type === "stt_result" && data.transcript !== null) readTwice++;
  });
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
    // The second reading's model takes seconds to load.
    await talk(open(), lineOf(lines, 0), isTranscribed ? 3 : 1);
    for (const talkers of numbers) {
      readTwice = 0;
      const usedBefore = process.cpuUsage();
      const startedAt = performance.now();
      const heard = await Promise.all(
        Array.from({ length: talkers }, (_, talker) => talk(open(), lineOf(lines, talker), rounds)),
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
        readTwice,
        cores,
      });
    }
  } finally {
    await engine.close();
    worker.postMessage({ type: "shutdown" });
  }
  return results;
}

function lineOf(lines: readonly Int16Array[], talker: number): Int16Array {
  const line = lines[talker % lines.length];
  if (line === undefined) throw new Error("no voice");
  return line;
}

/** How late each utterance was understood; null: it was not. */
async function talk(session: EngineSession, line: Int16Array, rounds: number) {
  const lates: (number | null)[] = [];
  for (let round = 0; round < rounds; round++) {
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
