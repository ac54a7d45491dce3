/**
 * Tests the configured providers as a call uses them: TTS speaks a sentence, STT recognises it, the LLM
 * answers it. Reports the time of each. The first choice must work; a broken fallback is a warning.
 */

import {
  type Engine,
  type EngineSession,
  UnsupportedText,
} from "../../conversation/engine-port.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import { systemRandom } from "../../core/random.ts";
import { openProviders } from "../../engine/open-providers.ts";
import {
  composeEngine,
  type DoctorKeys,
  PART_NAMES,
  PARTS,
  type Part,
  type PartEngines,
  type ProviderPorts,
} from "../../engine/provider.ts";
import { ProviderFailure } from "../../engine/provider-failure.ts";
import { combinedProvider, partProvider } from "../../engine/registry.ts";
import type { EngineSettings, ProviderChoice } from "../../engine/settings.ts";
import { trusting } from "../../platform/net/trust.ts";
import { engineSettingsOf } from "../config/engine-settings.ts";
import { authoritiesOf } from "../config/pem.ts";
import type { Config } from "../config/schema.ts";
import { type Finding, failed, ok, warning } from "./check.ts";
import { KNOWLEDGE, SAMPLE_RATE_HZ, SENTENCE, speechOf, textOfSpeech } from "./loopback.ts";

const KNOWN_WORD = /opening|hours/i;
const LIMIT_MS = 25_000;

/** The provider of each part. */
export type EngineParts = Readonly<Record<Part, ProviderChoice>>;

interface Outcome {
  readonly text: string;
  /** Null: all parts work. */
  readonly remedy: string | null;
}

/** `embedded`: used for the parts of the embedded engine. */
export async function examineProviders(
  config: Pick<Config, "engine" | "http_client">,
  clock: Clock,
  embedded: PartEngines,
): Promise<Finding> {
  const { providers } = engineSettingsOf(config);
  const trust = trusting(authoritiesOf(config));
  const first = await examine(trioAt(providers, 0), { clock, embedded, trust });
  if (first.remedy !== null) return failed(first.text, first.remedy);
  if (PARTS.every((part) => providers[part].length === 1)) return ok(first.text);
  const { text, remedy } = await examine(trioAt(providers, 1), { clock, embedded, trust });
  const both = `${first.text} As a fallback: ${text}`;
  return remedy === null ? ok(both) : warning(both, remedy);
}

/** If a part has no provider at this position, its last one is used. */
export function trioAt({ stt, llm, tts }: EngineSettings["providers"], place: number): EngineParts {
  const at = (choices: readonly ProviderChoice[]) =>
    choices[Math.min(place, choices.length - 1)] ?? { id: "embedded", settings: {} };
  return { stt: at(stt), llm: at(llm), tts: at(tts) };
}

const labelOf = (trio: EngineParts) => [...new Set(PARTS.map((part) => trio[part].id))].join("+");

async function examine(trio: EngineParts, ports: ExaminerPorts): Promise<Outcome> {
  const { clock } = ports;
  const engine = await engineOf(trio, ports);
  const session = engine.open({
    callId: "doctor",
    language: "en",
    voice: "Nathan",
    sampleRateHz: SAMPLE_RATE_HZ,
    tools: [],
    knowledge: [KNOWLEDGE],
    systemPrompt:
      "You answer the phone of a shop that is open from nine to five. One short sentence.",
  });
  const done = new AbortController();
  const late = sleep(clock, LIMIT_MS, done.signal).then(() => {
    throw new Error(`no result within ${LIMIT_MS} ms`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([ask(session, trio, clock), late]);
  } catch (error) {
    return { text: `${labelOf(trio)}: ${describeError(error)}.`, remedy: "Check the provider." };
  } finally {
    done.abort(new Error("examined"));
    session.close();
    await engine.close();
  }
}

type ExaminerPorts = Pick<ProviderPorts, "clock" | "embedded" | "trust">;

export async function engineOf(trio: EngineParts, given: ExaminerPorts): Promise<Engine> {
  const ports = { ...given, random: systemRandom, log: silentLog };
  const { stt, llm, tts } = trio;
  const sources = await openProviders({ stt: [stt], llm: [llm], tts: [tts] }, ports);
  const [sttSource] = sources.stt;
  const [llmSource] = sources.llm;
  const [ttsSource] = sources.tts;
  if (sttSource && "combined" in sttSource) return sttSource.combined;
  if (!sttSource || !llmSource || "combined" in llmSource || !ttsSource || "combined" in ttsSource)
    throw new Error(
      "A provider that handles all parts in one session cannot be combined with others.",
    );
  return composeEngine(labelOf(trio), {
    stt: sttSource.engine,
    llm: llmSource.engine,
    tts: ttsSource.engine,
  });
}

async function ask(session: EngineSession, trio: EngineParts, clock: Clock): Promise<Outcome> {
  const times: string[] = [];
  let part: Part = "tts";
  try {
    const startedAt = clock.monotonic();
    let firstMs = 0;
    const pcm = await speechOf(session, SENTENCE, new AbortController().signal, () => {
      firstMs = Math.round(clock.monotonic() - startedAt);
    });
    times.push(`${PART_NAMES.tts} ${firstMs} ms`);
    part = "stt";
    const recognized = await timed(clock, () => textOfSpeech(session, pcm));
    times.push(`${PART_NAMES.stt} ${recognized.ms} ms`);
    if (!KNOWN_WORD.test(recognized.value))
      times.push(`(understood “${recognized.value.slice(0, 60)}”)`);
    part = "llm";
    const answer = await timed(clock, () => firstWordOf(session));
    times.push(`${PART_NAMES.llm} ${answer.ms} ms`);
    return { text: `${labelOf(trio)}: ${times.join(", ")} to the first result.`, remedy: null };
  } catch (error) {
    const before = times.length > 0 ? ` (${times.join(", ")})` : "";
    return {
      text: `${trio[part].id}: ${PART_NAMES[part]} failed: ${describeError(error)}${before}.`,
      remedy: remedyOf(trio[part].id, part, error),
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

async function firstWordOf(session: EngineSession): Promise<void> {
  const abort = new AbortController();
  const input = { type: "utterance", text: SENTENCE, confidence: 1 } as const;
  for await (const event of session.llm.respond(input, abort.signal)) {
    if (event.type !== "text") continue;
    abort.abort();
    return;
  }
  throw new Error("the answer was empty");
}

export function remedyOf(id: string, part: Part, error: unknown): string {
  const table = `[engine.${id}]`;
  if (error instanceof UnsupportedText) {
    return "The model does not read texts word for word. Choose another model. Until then, calls use the embedded voice for greetings.";
  }
  const keys = (partProvider(part, id) ?? combinedProvider(id))?.doctorKeys ?? null;
  if (!(error instanceof ProviderFailure) || keys === null) return `Look at ${table}.`;
  return remedyFor(error, table, keys);
}

const UNTRUSTED = /certificate/i;

export function remedyFor(failure: ProviderFailure, table: string, keys: DoctorKeys): string {
  const { reason, message } = failure;
  if (reason === "connect" && UNTRUSTED.test(message))
    return `Set [http_client] ca_file to the certificate file of the server's authority, and check that the host in ${table} ${keys.baseUrl} matches the server's certificate.`;
  switch (reason) {
    case "connect":
      return `Check ${table} ${keys.baseUrl}, whether the server is running and whether a firewall blocks the connection.`;
    case "timeout":
      return `Load the model in advance and keep it loaded, or raise ${table} ${keys.timeout}.`;
    case "auth":
      return `Check ${table} ${keys.apiKey} and the account's credit.`;
    case "rate_limited":
      return "Wait, or raise the account's limits at the provider.";
    case "not_found":
      return `Check ${table} ${keys.model} and ${keys.baseUrl}: the server does not know the model or the path.`;
    case "request":
      return `Check ${table} ${keys.model} and the voices: the server rejected the request.`;
    default:
      return "Check the provider's log and status page.";
  }
}
