/**
 * Checks the engine from end to end. It sends requests to the configured providers, or lets the embedded
 * engine speak a sentence, recognise it and answer it, in a separate speech worker.
 */

import type { Engine, EngineSession } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import { systemRandom } from "../../core/random.ts";
import { createEmbeddedEngine, type EmbeddedEngine } from "../../engine/embedded/engine.ts";
import { memoryShort, missingMemoryMb } from "../../engine/embedded/hearing-memory.ts";
import { topicsHere } from "../../engine/embedded/scripted/topics-here.ts";
import type { FromSpeechWorker } from "../../engine/embedded/speech-messages.ts";
import { EMBEDDED } from "../../engine/registry.ts";
import { type EngineSettings, isEmbeddedOnly, needsSpeechWorker } from "../../engine/settings.ts";
import {
  hasVectorInstructions,
  NO_VECTOR_INSTRUCTIONS,
} from "../../platform/audio/vector-instructions.ts";
import { spawnSpeechWorker } from "../../workers.ts";
import {
  callWorkersOf,
  engineSettingsOf,
  heardCallsMaxOf,
  talkersMaxOf,
} from "../config/engine-settings.ts";
import type { Config } from "../config/schema.ts";
import { type Check, type Finding, failed, ok, skipped, warning } from "./check.ts";
import { KNOWLEDGE, SAMPLE_RATE_HZ, SENTENCE, speechOf, textOfSpeech } from "./loopback.ts";
import { examineProviders } from "./provider-check.ts";

const LIMIT_MS = 50_000;
/** Longer than the limits in calls, so that a slow engine is not reported as a broken one. */
const SELF_TEST_DEADLINES = {
  chunkMs: 20_000,
  resultMs: 24_000,
  // The speech worker may be missing.
  meaningMs: 500,
};
/** Callers notice a longer delay. */
const SLOW_MS = { speech: 6_000, recognition: 4_000 };
const remedy =
  "Restart the server. If the problem persists, reinstall the binary: it contains the engine.";

const REMEDY_BUSY =
  "Check what keeps the machine busy: top. If it is idle, reinstall the binary: it contains the engine.";

const REMEDY_HEARING =
  'Search the log for "hearing". If the problem persists, set [engine.embedded] hearing = "keys": callers then press keys.';

export const engineSelfTest: Check = {
  name: "engine",
  run: ({ config, clock }) => examineEngine(config, clock),
};

export async function examineEngine(
  config: Config,
  clock: Clock,
  spawn = spawnSpeechWorker,
): Promise<Finding> {
  if (!hasVectorInstructions())
    return failed(NO_VECTOR_INSTRUCTIONS.finding, NO_VECTOR_INSTRUCTIONS.remedy);
  const settings = engineSettingsOf(config);
  try {
    return await withEmbeddedEngine(
      clock,
      settings,
      async (engine, hearing) => {
        const finding = await (isEmbeddedOnly(settings)
          ? examineEmbedded(engine, clock, hearing.isTried)
          : examineProviders(config, clock, engine.parts));
        const complaint = complaintOf(hearing);
        if (complaint === null) return finding;
        const report = finding.result === "failed" ? failed : warning;
        return report(`${complaint.finding} ${finding.finding}`, complaint.remedy);
      },
      spawn,
    );
  } catch (error) {
    return failed(`${describeError(error)}.`, REMEDY_BUSY);
  }
}

/** Null: no failure. */
export function complaintOf({ failure, missingMb }: HearingWatch) {
  if (missingMb > 0) return memoryShort(missingMb);
  if (failure === null) return null;
  return {
    finding: `Callers can answer only with keys: the recogniser failed: ${failure}.`,
    remedy: REMEDY_HEARING,
  };
}

/** Number of callers that the embedded engine recognises at once, for the threads of the configuration. */
export const speechCapacity: Check = {
  name: "speech capacity",
  run({ config }) {
    if (!needsSpeechWorker(engineSettingsOf(config)))
      return skipped("A provider transcribes the callers.");
    const callWorkers = callWorkersOf(config);
    const talkers = talkersMaxOf(config);
    const calls = heardCallsMaxOf(config);
    const threads =
      callWorkers === 1
        ? "One speech thread can transcribe"
        : `${callWorkers} speech threads can transcribe`;
    const most = Number.isFinite(calls) ? ` At most ${calls} concurrent calls are accepted.` : "";
    return ok(
      `${threads} ${talkers} callers speaking at the same time. Further speech waits (linevoice_speech_waits_total), and new callers hear that all lines are busy.${most}`,
    );
  },
};

interface HearingWatch {
  /** First error message; null: none. */
  failure: string | null;
  /** MB of missing memory; 0: enough. */
  readonly missingMb: number;
  /** True if the embedded engine does STT and has enough memory for it. */
  readonly isTried: boolean;
}

/** Runs `work` with a separate engine. Without a speech worker nothing responds at the other end of the port. */
export async function withEmbeddedEngine<Result>(
  clock: Clock,
  settings: EngineSettings,
  work: (engine: EmbeddedEngine, hearing: HearingWatch) => Promise<Result>,
  spawn = spawnSpeechWorker,
): Promise<Result> {
  const { port1: port, port2 } = new MessageChannel();
  const worker = needsSpeechWorker(settings) ? spawn() : null;
  const { hearsSpeech = true } = settings;
  const isHeard = hearsSpeech && settings.providers.stt[0]?.id === EMBEDDED;
  const missingMb = isHeard ? missingMemoryMb() : 0;
  const hearing: HearingWatch = { failure: null, missingMb, isTried: isHeard && missingMb === 0 };
  worker?.addEventListener("message", ({ data }: MessageEvent<FromSpeechWorker>) => {
    if (data.type === "hearing_failed") hearing.failure ??= data.detail;
  });
  worker?.postMessage({ type: "init", port: port2 }, [port2]);
  const ports = { port, clock, random: systemRandom, log: silentLog };
  const engine = createEmbeddedEngine({
    ...ports,
    deadline: SELF_TEST_DEADLINES,
    hearsSpeech,
    askTopics: topicsHere(),
  });
  try {
    return await work(engine, hearing);
  } finally {
    await engine.close();
    worker?.terminate();
  }
}

async function examineEmbedded(
  engine: Engine,
  clock: Clock,
  isHearingTried: boolean,
): Promise<Finding> {
  const deadline = new AbortController();
  const timer = clock.after(LIMIT_MS, () => deadline.abort());
  const attempt = () => runLoopback(engine, clock, deadline.signal, isHearingTried);
  try {
    const first = await attempt();
    // The first request includes loading, so the second one is timed.
    return first.result === "warning" ? await attempt() : first;
  } finally {
    timer.cancel();
  }
}

/** Throws the engine's errors. */
async function runLoopback(
  engine: Pick<Engine, "open">,
  clock: Clock,
  signal: AbortSignal,
  isHearingTried: boolean,
): Promise<Finding> {
  const startedAt = clock.monotonic();
  const elapsedMs = () => Math.round(clock.monotonic() - startedAt);
  const elapsed = () => `${elapsedMs()} ms`;
  const session = engine.open({
    callId: "doctor",
    language: "en",
    voice: "Nathan",
    sampleRateHz: SAMPLE_RATE_HZ,
    systemPrompt: "",
    tools: [],
    knowledge: [KNOWLEDGE],
  });
  try {
    const pcm = await speechOf(session, SENTENCE, signal);
    if (pcm.length < SAMPLE_RATE_HZ / 2)
      return failed(`Text to speech produced no audio within ${elapsed()}.`, remedy);
    const spokenAfterMs = elapsedMs();
    if (!isHearingTried)
      return ok(`Text to speech took ${spokenAfterMs} ms. Callers answer with keys.`);
    const text = await textOfSpeech(session, pcm);
    if (!/opening hours/i.test(text))
      return failed(`Speech to text understood "${text}" instead of "${SENTENCE}".`, remedy);
    const recognizedAfterMs = elapsedMs();
    const answer = await answerTo(session, text, signal);
    if (!/nine/i.test(answer))
      return failed(`The language model answered "${answer}" to "${SENTENCE}".`, remedy);
    const times = `Time to the result: text to speech ${spokenAfterMs} ms, speech to text ${recognizedAfterMs} ms, answer ${elapsed()}.`;
    const isLate =
      spokenAfterMs > SLOW_MS.speech || recognizedAfterMs - spokenAfterMs > SLOW_MS.recognition;
    return isLate ? warning(`Currently too slow for callers. ${times}`, REMEDY_BUSY) : ok(times);
  } finally {
    session.close();
  }
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
