/**
 * Sends one request to each part of the engine, as a call does. Reports the result, delay, cost, and the
 * provider's error message. The parts are independent: a failure does not stop the others.
 *
 * Only the first provider of a part is tested; `linevoice doctor` checks the fallbacks.
 */

import type { EngineSession, LlmEvent } from "../../conversation/engine-port.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import { AppError, describeError } from "../../core/errors.ts";
import { SpeechSamples } from "../../engine/openai/speech-samples.ts";
import { looksLikeWav, NotSpeech } from "../../engine/openai/wav.ts";
import { type EnginePrices, PARTS, type Part } from "../../engine/provider.ts";
import { combinedProvider, partProvider } from "../../engine/registry.ts";
import type { EngineSettings } from "../../engine/settings.ts";
import { trusting } from "../../platform/net/trust.ts";
import { complaintOf, withEmbeddedEngine } from "./engine-check.ts";
import { KNOWLEDGE, SAMPLE_RATE_HZ, SENTENCE, speechOf, textOfSpeech } from "./loopback.ts";
import { type EngineParts, engineOf, remedyOf, trioAt } from "./provider-check.ts";

/** Null: that part is not tested. All null: all parts are tested, and STT gets the synthesised sentence. */
interface TrialRequest {
  /** A WAV file with 16-bit samples. */
  readonly wav: Uint8Array | null;
  readonly say: string | null;
  readonly ask: string | null;
}

interface PartTrial {
  readonly part: Part;
  readonly provider: string;
  /** Milliseconds until the first word or sound; null: none. */
  readonly firstMs: number | null;
  readonly totalMs: number;
  /** The recognised, generated or spoken text. */
  readonly result: string;
  /** Calculated with the prices in the configuration. */
  readonly costEur: number;
  readonly error: string | null;
  /** Suggested fix for the error, or for a recogniser that understands nothing. */
  readonly remedy: string | null;
}

export type EngineTrial = (request: TrialRequest) => Promise<PartTrial[]>;

/** Longer than the timeouts of the providers. */
const PART_MS_MAX = 25_000;
const PROMPT = "You answer the phone of a shop that is open from nine to five. One short sentence.";
const PRICED_UNITS = 1_000_000;

/** Result of a part as text, and the charged units. */
interface Yield {
  readonly result: string;
  readonly costEur: (prices: Partial<EnginePrices>) => number;
}
type Work = (onFirst: () => void, signal: AbortSignal) => Promise<Yield>;

export function createEngineTrial(engine: EngineSettings, clock: Clock): EngineTrial {
  let isRunning = false;
  return async (request) => {
    const sent = request.wav === null ? null : samplesOf(request.wav);
    if (isRunning) throw runningAlready();
    isRunning = true;
    try {
      const trio = trioAt(engine.providers, 0);
      return await withEmbeddedEngine(clock, engine, async (embedded, hearing) => {
        const trust = trusting(engine.caPem ?? null);
        const trial = await engineOf(trio, { clock, embedded: embedded.parts, trust });
        const session = trial.open({
          callId: "trial",
          language: "en",
          voice: "Nathan",
          sampleRateHz: SAMPLE_RATE_HZ,
          tools: [],
          knowledge: [KNOWLEDGE],
          systemPrompt: PROMPT,
        });
        try {
          const trials = await tryParts(session, trio, clock, { ...request, sent });
          return trials.map((part) => withComplaint(part, complaintOf(hearing)));
        } finally {
          session.close();
          await trial.close();
        }
      });
    } finally {
      isRunning = false;
    }
  };
}

function withComplaint(trial: PartTrial, complaint: ReturnType<typeof complaintOf>): PartTrial {
  if (complaint === null || trial.part !== "stt" || trial.error !== null) return trial;
  return { ...trial, remedy: `${complaint.finding} ${complaint.remedy}` };
}

const runningAlready = () =>
  new AppError({
    code: "conflict",
    reason: "trial",
    publicMessage: "Another trial of the engine is running. Try again in a few seconds.",
    retryable: true,
  });

/** Throws AppError for anything but 16-bit WAV. */
function samplesOf(wav: Uint8Array): Int16Array {
  const rejection = (why: string) =>
    new AppError({
      code: "valid_stt_wav_required",
      publicMessage: `This is not a WAV file with 16-bit speech: ${why}.`,
      field: "stt_wav",
    });
  if (!looksLikeWav(wav)) throw rejection("its header is not valid");
  const samples = new SpeechSamples(SAMPLE_RATE_HZ, SAMPLE_RATE_HZ);
  try {
    const pcm = [samples.push(wav), samples.end()].flatMap((part) => [...part]);
    if (pcm.length === 0) throw rejection("it has no samples");
    return Int16Array.from(pcm);
  } catch (error) {
    if (error instanceof NotSpeech) throw rejection(error.message);
    throw error;
  }
}

async function tryParts(
  session: EngineSession,
  trio: EngineParts,
  clock: Clock,
  { wav, say, ask, sent }: TrialRequest & { readonly sent: Int16Array | null },
): Promise<PartTrial[]> {
  const isWhole = wav === null && say === null && ask === null;
  const attempt = (part: Part, work: Work) => tryPart(part, trio, clock, work);
  const trials: PartTrial[] = [];
  let pcm = sent;
  const sentence = isWhole ? SENTENCE : say;
  if (sentence !== null)
    trials.push(
      await attempt("tts", async (onFirst, signal) => {
        const spoken = await speechOf(session, sentence, signal, onFirst);
        if (isWhole) pcm = spoken;
        return spokenResult(sentence, spoken);
      }),
    );
  const heard = pcm;
  if (heard !== null) trials.push(await attempt("stt", () => understood(session, heard)));
  const question = isWhole ? SENTENCE : ask;
  if (question !== null)
    trials.push(
      await attempt("llm", (onFirst, signal) => answered(session, question, onFirst, signal)),
    );
  return PARTS.flatMap((part) => trials.filter((trial) => trial.part === part));
}

async function tryPart(
  part: Part,
  trio: EngineParts,
  clock: Clock,
  work: Work,
): Promise<PartTrial> {
  const { id, settings } = trio[part];
  const startedAt = clock.monotonic();
  const elapsedMs = () => Math.round(clock.monotonic() - startedAt);
  let firstMs: number | null = null;
  const abort = new AbortController();
  const done = new AbortController();
  const late = sleep(clock, PART_MS_MAX, done.signal).then(() => {
    throw new Error(`no result within ${PART_MS_MAX / 1_000} s`);
  });
  late.catch(() => {});
  const onFirst = () => {
    firstMs ??= elapsedMs();
  };
  try {
    const { result, costEur } = await Promise.race([work(onFirst, abort.signal), late]);
    const prices = (partProvider(part, id) ?? combinedProvider(id))?.prices(settings) ?? {};
    const totalMs = elapsedMs();
    return {
      part,
      provider: id,
      firstMs: firstMs ?? totalMs,
      totalMs,
      result,
      costEur: costEur(prices),
      error: null,
      remedy: null,
    };
  } catch (error) {
    return {
      part,
      provider: id,
      firstMs,
      totalMs: elapsedMs(),
      result: "",
      costEur: 0,
      error: describeError(error),
      remedy: remedyOf(id, part, error),
    };
  } finally {
    abort.abort();
    done.abort();
  }
}

function spokenResult(text: string, pcm: Int16Array): Yield {
  if (pcm.length === 0) throw new Error("no sound came");
  return {
    result: `${(pcm.length / SAMPLE_RATE_HZ).toFixed(1)} s of speech`,
    costEur: ({ tts_eur_per_million_characters: price = 0 }) =>
      (text.length * price) / PRICED_UNITS,
  };
}

async function understood(session: EngineSession, pcm: Int16Array): Promise<Yield> {
  const result = await textOfSpeech(session, pcm);
  const minutes = pcm.length / SAMPLE_RATE_HZ / 60;
  return { result, costEur: ({ stt_eur_per_min: price = 0 }) => minutes * price };
}

async function answered(
  { llm }: EngineSession,
  text: string,
  onFirst: () => void,
  signal: AbortSignal,
): Promise<Yield> {
  const events: LlmEvent[] = [];
  for await (const event of llm.respond({ type: "utterance", text, confidence: 1 }, signal)) {
    if (event.type === "text") onFirst();
    events.push(event);
  }
  const words = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
  if (words.length === 0) throw new Error("the answer was empty");
  const done = events.find((event) => event.type === "done");
  const { inputTokens, outputTokens } = done?.usage ?? { inputTokens: 0, outputTokens: 0 };
  return {
    result: words.join(" "),
    costEur: ({
      llm_input_eur_per_million_tokens: input = 0,
      llm_output_eur_per_million_tokens: output = 0,
    }) => (inputTokens * input + outputTokens * output) / PRICED_UNITS,
  };
}
