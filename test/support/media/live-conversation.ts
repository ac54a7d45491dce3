/**
 * Conversations without any script: the real call worker and speech worker, real RTP over loopback,
 * and a caller with a synthetic voice. Checks the agent's speech by comparing it with the sentence in
 * the agent's voice and with decoys.
 */

import type { CallConfig, ToolResult } from "../../../src/conversation/call-config.ts";
import type { TurnRecord } from "../../../src/conversation/call-report.ts";
import type { ConversationSettings } from "../../../src/conversation/conversation-settings.ts";
import { sleep, systemClock } from "../../../src/core/clock.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { silentLog } from "../../../src/core/log.ts";
import { findSentenceGently } from "../../../src/demo/hearing/sentence-matcher.ts";
import { createVoices, type Voices } from "../../../src/demo/voices.ts";
import { EMBEDDED_ONLY, type EngineSettings } from "../../../src/engine/settings.ts";
import { type CallWorkerPool, createCallWorkerPool } from "../../../src/worker/call-worker-pool.ts";
import { spawnCallWorker, spawnSpeechWorker } from "../../../src/workers.ts";
import { topicsHere } from "../engine/topics-here.ts";
import { createRtpPeer } from "./rtp-peer.ts";
import { callConfig, SETTINGS } from "./scripted-call.ts";

const HOST = "127.0.0.1";
/** Generous: the machine may be busy. */
const WAIT_MS_MAX = 30_000;
/** The voice that the recogniser understands best. */
const CALLER_VOICE = "m1";

export interface Studio {
  readonly pool: CallWorkerPool;
  readonly voices: Voices;
  /** Every worker ever started, for tests that terminate one. */
  readonly callWorkers: readonly Worker[];
  readonly speechWorkers: readonly Worker[];
  close(): Promise<void>;
}

export async function openStudio(
  rtpPorts: { readonly first: number; readonly last: number },
  conversation: Partial<ConversationSettings> = {},
  engine: EngineSettings = EMBEDDED_ONLY,
): Promise<Studio> {
  const callWorkers: Worker[] = [];
  const speechWorkers: Worker[] = [];
  const noted = (list: Worker[], spawn: () => Worker) => () => {
    const worker = spawn();
    list.push(worker);
    return worker;
  };
  const [pool, voices] = await Promise.all([
    createCallWorkerPool({
      workers: 1,
      spawnCallWorker: noted(callWorkers, spawnCallWorker),
      spawnSpeechWorker: noted(speechWorkers, spawnSpeechWorker),
      settings: {
        rtpPorts,
        rtpTimeoutMs: 20_000,
        holdTimeoutMs: 1_800_000,
        jitterMsMax: 200,
        engine,
        conversation: { ...SETTINGS, ...conversation },
      },
      clock: systemClock,
      log: silentLog,
      askTopics: topicsHere(),
    }),
    createVoices(),
  ]);
  return { pool, voices, callWorkers, speechWorkers, close: () => pool.shutdown() };
}

export type LiveCall = Awaited<ReturnType<typeof startCall>>;

export interface ToolCallRequested {
  readonly toolCallId: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

let lastCall = 0;

/** Opens, connects and answers a call. The test must `hangUp` it. */
export async function startCall(studio: Studio, overrides: Partial<CallConfig> = {}) {
  const config = { ...callConfig(), callId: `live-${++lastCall}`, ...overrides };
  const channel = await studio.pool.open(config);
  const peer = await createRtpPeer(HOST);
  const turns: TurnRecord[] = [];
  const toolCalls: ToolCallRequested[] = [];
  const hangups: string[] = [];
  channel.on("turn", ({ turn }) => turns.push(turn));
  channel.on("tool_call_requested", (request) => toolCalls.push(request));
  channel.on("hangup_requested", ({ reason }) => hangups.push(reason));
  channel.send("connect", peer.plan);
  peer.connect(HOST, channel.rtpPort);
  channel.send("answered");

  return {
    channel,
    peer,
    turns,
    toolCalls,
    hangups,
    /** Speaks; resolves after the last sample. */
    async say(text: string): Promise<void> {
      await peer.media.play(await studio.voices.speak(CALLER_VOICE, text));
    },
    answerTool(toolCallId: string, output: ToolResult["output"]): void {
      channel.send("toolResult", { toolCallId, ok: true, httpStatus: 200, durationMs: 1, output });
    },
    waitFor,
    /** Waits until the agent has spoken and is silent again. */
    async agentDone(afterTurns: number): Promise<TurnRecord> {
      await waitFor(() => turns.filter((turn) => turn.speaker === "agent").length > afterTurns);
      return turns.filter((turn) => turn.speaker === "agent")[afterTurns] as TurnRecord;
    },
    /** Whether the remote party heard `text` in the agent's voice, and not a decoy. */
    async heard(text: string, decoys: readonly string[]): Promise<boolean> {
      const voice = config.agent.voice;
      const [sentence, ...others] = await Promise.all(
        [text, ...decoys].map((line) => studio.voices.speak(voice, line)),
      );
      if (!sentence) return false;
      const recording = peer.media.received();
      const sought = { sentence, decoys: others, recording };
      return (await findSentenceGently(sought, systemClock)).isFound;
    },
    async hangUp() {
      peer.close();
      return await channel.close("caller_hangup");
    },
  };
}

/** Waits for a condition. On a timeout, the test's stack shows which one. */
async function waitFor(condition: () => boolean, timeoutMs = WAIT_MS_MAX): Promise<void> {
  const until = systemClock.monotonic() + timeoutMs;
  while (!condition()) {
    if (systemClock.monotonic() > until) throw new Error("waited in vain");
    await sleep(systemClock, 20);
  }
}
