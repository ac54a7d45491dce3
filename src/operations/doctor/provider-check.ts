/**
 * Asks each configured provider, as a call would: its voice says a sentence, its ear hears that, its
 * mind answers it; with the time each took. The first must work; one that would only stand in warns.
 */

import { createOpenAiEngine } from "../../adapter/engine/openai/engine.ts";
import { ProviderFailure } from "../../adapter/engine/provider-failure.ts";
import { createRealtimeEngine } from "../../adapter/engine/realtime/engine.ts";
import type { ProviderSettings } from "../../adapter/engine/settings.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import { systemRandom } from "../../core/random.ts";
import {
  type EngineFailure,
  type EngineSession,
  UnsupportedText,
} from "../../domain/conversation/engine-port.ts";
import { engineSettingsOf } from "../config/engine-settings.ts";
import type { Config } from "../config/schema.ts";
import { type Finding, failed, ok, warning } from "./check.ts";

const SENTENCE = "What are your opening hours?";
const KNOWN_WORD = /opening|hours/i;
const SAMPLE_RATE_HZ = 8_000;
const FRAME = 160;
const LIMIT_MS = 25_000;

type Part = EngineFailure["part"];

const PART_NAMES: Readonly<Record<Part, string>> = {
  tts: "speaking (TTS)",
  stt: "hearing (STT)",
  llm: "thinking (LLM)",
};
const KEY_PREFIX: Readonly<Record<Part, string>> = { tts: "tts", stt: "stt", llm: "llm" };

interface Outcome {
  readonly text: string;
  /** Null: all parts work. */
  readonly remedy: string | null;
}

export async function examineProviders(
  config: Pick<Config, "engine">,
  clock: Clock,
): Promise<Finding> {
  const [first, ...others] = engineSettingsOf(config).providers;
  if (!first) return failed("No provider is configured.", "Set [engine] kind.");
  const main = await examine(first, clock);
  if (main.remedy !== null) return failed(main.text, main.remedy);
  for (const other of others) {
    const { text, remedy } = await examine(other, clock);
    if (remedy !== null) return warning(`${main.text} As a fallback: ${text}`, remedy);
    return ok(`${main.text} As a fallback: ${text}`);
  }
  return ok(main.text);
}

async function examine(settings: ProviderSettings, clock: Clock): Promise<Outcome> {
  const ports = { clock, random: systemRandom, log: silentLog };
  const engine =
    settings.kind === "openai"
      ? createOpenAiEngine({ settings, ...ports })
      : createRealtimeEngine({ settings, ...ports });
  const session = engine.open({
    ...{ callId: "doctor", language: "en", voice: "Nathan", sampleRateHz: SAMPLE_RATE_HZ },
    ...{ knowledge: [], tools: [] },
    systemPrompt:
      "You answer the phone of a shop that is open from nine to five. One short sentence.",
  });
  const done = new AbortController();
  const late = sleep(clock, LIMIT_MS, done.signal).then(() => {
    throw new Error(`no result within ${LIMIT_MS} ms`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([ask(session, settings, clock), late]);
  } catch (error) {
    return { text: `${settings.name}: ${describeError(error)}.`, remedy: "Look at the provider." };
  } finally {
    done.abort(new Error("examined"));
    await engine.close();
  }
}

async function ask(
  session: EngineSession,
  settings: ProviderSettings,
  clock: Clock,
): Promise<Outcome> {
  const times: string[] = [];
  let part: Part = "tts";
  try {
    const speech = await timed(clock, () => speak(session, clock));
    times.push(`voice ${speech.value.firstMs} ms`);
    part = "stt";
    const recognized = await timed(clock, () => recognize(session, speech.value.pcm));
    times.push(`ear ${recognized.ms} ms`);
    if (!KNOWN_WORD.test(recognized.value))
      times.push(`(understood “${recognized.value.slice(0, 60)}”)`);
    part = "llm";
    const answer = await timed(clock, () => generate(session));
    times.push(`mind ${answer.ms} ms`);
    return { text: `${settings.name}: ${times.join(", ")} to the first result.`, remedy: null };
  } catch (error) {
    const so = times.length > 0 ? ` (${times.join(", ")})` : "";
    return {
      text: `${settings.name}: ${PART_NAMES[part]} failed: ${describeError(error)}${so}.`,
      remedy: remedyOf(settings, part, error),
    };
  }
}

async function timed<Value>(
  clock: Clock,
  work: () => Promise<Value>,
): Promise<{ value: Value; ms: number }> {
  const startedAt = clock.monotonic();
  const value = await work();
  return { value, ms: Math.round(clock.monotonic() - startedAt) };
}

async function speak(session: EngineSession, clock: Clock) {
  const startedAt = clock.monotonic();
  const chunks: Int16Array[] = [];
  let firstMs = 0;
  for await (const chunk of session.tts.speak(SENTENCE, new AbortController().signal)) {
    if (chunks.length === 0) firstMs = Math.round(clock.monotonic() - startedAt);
    chunks.push(chunk);
  }
  const pcm = new Int16Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    pcm.set(chunk, at);
    at += chunk.length;
  }
  return { pcm, firstMs };
}

async function recognize(session: EngineSession, pcm: Int16Array): Promise<string> {
  session.stt.startUtterance(new Int16Array(FRAME * 10));
  for (let at = 0; at < pcm.length; at += FRAME) session.stt.push(pcm.slice(at, at + FRAME));
  return (await session.stt.finalize()).text;
}

/** Until the first word. */
async function generate(session: EngineSession): Promise<void> {
  const abort = new AbortController();
  const input = { type: "utterance", text: SENTENCE, confidence: 1 } as const;
  for await (const event of session.llm.respond(input, abort.signal)) {
    if (event.type !== "text") continue;
    abort.abort();
    return;
  }
  throw new Error("the answer was empty");
}

function remedyOf(settings: ProviderSettings, part: Part, error: unknown): string {
  const table = `[engine.${settings.name}]`;
  const prefix = settings.kind === "openai" ? `${KEY_PREFIX[part]}_` : "";
  if (error instanceof UnsupportedText) {
    return "The model does not read texts word for word: choose another model. Calls use the embedded voice for greetings meanwhile.";
  }
  if (!(error instanceof ProviderFailure)) return `Look at ${table}.`;
  switch (error.reason) {
    case "connect":
      return `Check ${table} ${prefix}base_url, that the server runs and that a firewall lets it through.`;
    case "timeout":
      return `Load the model ahead and keep it loaded, or raise ${table} ${timeoutKey(settings, part)}.`;
    case "auth":
      return `Check ${table} ${prefix}api_key and the account's credit.`;
    case "rate_limited":
      return "Wait, or raise the account's limits at the provider.";
    case "request":
      return `Check ${table} ${prefix}model and the voices: the server does not know what was asked for.`;
    default:
      return "Look at the provider's own log and status page.";
  }
}

const timeoutKey = (settings: ProviderSettings, part: Part): string =>
  settings.kind === "openai" ? `${KEY_PREFIX[part]}_timeout_ms` : "response_timeout_ms";
