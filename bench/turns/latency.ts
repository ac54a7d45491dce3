/**
 * Our own share of turn latency: the time from the caller's last speech to the first packet of the
 * answer, minus the intended wait (endpointing) and the providers' fixed delays. Real RTP, real
 * workers; the providers are another process. The rest is VAD, jitter buffer, threads, HTTP or
 * WebSocket, resampling and pacing; with the embedded engine also recognition, retrieval and
 * synthesis. Also reports the whole delay that the caller experiences, with and without speculation
 * at the first silence.
 */
import { fileURLToPath } from "node:url";
import type { ConversationSettings } from "../../src/conversation/conversation-settings.ts";
import {
  DEFAULT_GUARD,
  EMBEDDED_ONLY,
  type EngineSettings,
  type ProviderChoice,
} from "../../src/engine/settings.ts";
import {
  openAiChoice,
  realtimeChoice,
  sameForAllParts,
} from "../../test/support/engine/engine-session.ts";
import { openStudio, startCall } from "../../test/support/media/live-conversation.ts";
import { callConfig } from "../../test/support/media/scripted-call.ts";
import { firstLine } from "../http/first-line.ts";
import { ANSWER, DELAYS, QUESTION, type Servers } from "./target.ts";

export interface TurnsResult {
  readonly engine: string;
  readonly turns: number;
  readonly speculate: Speculate;
  readonly injectedMs: number;
  /**
   * Our own share, without the first turn since the start of both programs, which includes
   * compilation.
   */
  readonly own: Percentiles;
  /** Our own share of that first turn. */
  readonly firstOwnMs: number;
  /** From the caller's last sound to the answer's first packet. */
  readonly whole: Percentiles;
}

interface Percentiles {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

type Speculate = ConversationSettings["speculate"];

const ENDPOINTING_MS = 350;
const PAUSE_MS = 300;
const KNOWLEDGE = [
  { filename: "hours.md", format: "md" as const, content: `## ${QUESTION}\n${ANSWER}\n` },
];

interface Subject {
  readonly engine: EngineSettings;
  readonly injectedMs: number;
  readonly speculate: Speculate;
}

/**
 * `short`: our own share only, without speculation. Providers run in parallel, because their calls
 * leave this machine idle.
 */
export async function measureTurns(turns: number, short: boolean): Promise<TurnsResult[]> {
  return await withServers(async (servers) => {
    const [embedded, ...remote] = subjects(servers);
    const wanted = remote.filter(({ speculate }) => !short || speculate === "off");
    const results = embedded ? [await measure(embedded, turns)] : [];
    if (short)
      return [...results, ...(await Promise.all(wanted.map((one) => measure(one, turns))))];
    for (const subject of wanted) results.push(await measure(subject, turns));
    return results;
  });
}

/** Runs the providers in a separate process while `work` runs. */
export async function withServers<Result>(
  measureAt: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const path = fileURLToPath(new URL("./servers.ts", import.meta.url));
  const servers = Bun.spawn([process.execPath, path], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    return await measureAt(JSON.parse(await firstLine(servers.stdout)) as Servers);
  } finally {
    await servers.stdin.end();
    await servers.exited;
  }
}

function subjects({ openai, realtime }: Servers): Subject[] {
  const alone = (provider: ProviderChoice): EngineSettings => ({
    label: provider.id,
    providers: sameForAllParts([provider]),
    takesMessages: true,
    guard: DEFAULT_GUARD,
    speechRatePercent: 100,
  });
  const overHttp = {
    engine: alone(openAiChoice(openai)),
    injectedMs: DELAYS.stt + DELAYS.llm + DELAYS.tts,
  };
  return [
    { engine: EMBEDDED_ONLY, injectedMs: 0, speculate: "off" },
    { ...overHttp, speculate: "off" },
    { ...overHttp, speculate: "hearing" },
    { ...overHttp, speculate: "all" },
    {
      engine: alone(
        realtimeChoice(realtime, {
          model: "bench",
          transcription_model: "bench",
          connect_timeout_ms: 3_000,
          response_timeout_ms: 3_000,
        }),
      ),
      injectedMs: DELAYS.realtime,
      speculate: "off",
    },
  ];
}

async function measure(
  { engine, injectedMs, speculate }: Subject,
  wanted: number,
): Promise<TurnsResult> {
  const studio = await openStudio(
    { first: 33_000, last: 33_019 },
    {
      speculate,
      endpointingMs: ENDPOINTING_MS,
      endpointingUnfinishedMs: ENDPOINTING_MS,
      endpointingDictationMs: ENDPOINTING_MS,
    },
    engine,
  );
  const own: number[] = [];
  const whole: number[] = [];
  try {
    const { callId: _, ...brief } = callConfig({ firstMessage: "Hello." });
    const call = await startCall(studio, { ...brief, knowledge: KNOWLEDGE });
    await call.agentDone(0);
    for (let turn = 1; turn <= wanted + 1; turn++) {
      await Bun.sleep(PAUSE_MS);
      await call.say(QUESTION);
      const { latencyMs, measures } = await call.agentDone(turn);
      const silenceMs = measures?.endpointMs ?? ENDPOINTING_MS;
      if (latencyMs === null) continue;
      own.push(latencyMs - silenceMs - injectedMs);
      whole.push(latencyMs);
    }
    await call.hangUp();
  } finally {
    await studio.close();
  }
  const { label } = engine;
  const firstOwnMs = own.shift() ?? Number.NaN;
  whole.shift();
  const turns = whole.length;
  return {
    engine: label,
    turns,
    speculate,
    injectedMs,
    own: percentilesOf(own),
    firstOwnMs,
    whole: percentilesOf(whole),
  };
}

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}

if (import.meta.main) console.log(await measureTurns(Number(process.argv[2] ?? 8), false));
