/**
 * A conversation without audio or engine: test doubles of the media and engine ports with scripted
 * behaviour. Speech is a frame whose first sample is not 0. Playout advances with the frames, 20 ms
 * each, on the fake clock.
 */

import { z } from "zod";
import type { CallAudio, MediaTimeout } from "../../../src/conversation/audio-port.ts";
import type { AgentSnapshot, CallConfig } from "../../../src/conversation/call-config.ts";
import type { CallEvent } from "../../../src/conversation/call-protocol.ts";
import type { TurnRecord } from "../../../src/conversation/call-report.ts";
import {
  type ConversationSettings,
  conversationKeys,
} from "../../../src/conversation/conversation-settings.ts";
import {
  type EngineFailure,
  type EngineSession,
  type LlmEvent,
  type LlmInput,
  type LlmUsage,
  NOTHING_USED,
  type SttResult,
} from "../../../src/conversation/engine-port.ts";
import { FRAME_MS } from "../../../src/conversation/limits.ts";
import {
  KnowledgeLlm,
  type SearchKnowledge,
} from "../../../src/conversation/prompt/knowledge-llm.ts";
import { Session } from "../../../src/conversation/session/session.ts";
import { PhraseCache } from "../../../src/conversation/speech/phrase-cache.ts";
import { sleep } from "../../../src/core/clock.ts";
import { type Log, silentLog } from "../../../src/core/log.ts";
import { recordOf } from "../../../src/core/wire-names.ts";
import { AGENT_VOICES } from "../../../src/features/agent/agent.ts";
import { agentShape } from "../../../src/features/agent/agent-schema.ts";
import { fakeClock } from "../fake-clock.ts";

const SAMPLES_PER_FRAME = 160;
/** Length of scripted speech, so that tests can compute times. */
export const MS_PER_CHARACTER = 50;

export const SETTINGS: ConversationSettings = {
  ...recordOf(z.strictObject(conversationKeys).parse({})),
  toolTimeoutMs: 10_000,
  disclosure: { en: "", lt: "", lv: "", ru: "" },
};

export const AGENT: AgentSnapshot = {
  ...recordOf(
    z.strictObject(agentShape(AGENT_VOICES)).parse({
      name: "Anna",
      prompt: "You answer the phone of a clinic.",
    }),
  ),
  id: 1,
  voice: "Sari",
  firstMessage: "Hello, how can I help you?",
  fillerPhrases: ["One moment.", "Let me look."],
};

export function callConfig(agent: Partial<AgentSnapshot> = {}): CallConfig {
  return {
    callId: "call-1",
    direction: "inbound",
    fromNumber: "+37060000001",
    toNumber: "+37052000001",
    agent: { ...AGENT, ...agent },
    knowledge: [],
    tools: [],
    tenantName: "Bright Smile",
    timeZone: "Europe/Vilnius",
    rtpHost: "127.0.0.1",
    recordingPath: null,
  };
}

/** Playout with the correct duration, counted in frames. */
export class ScriptedAudio implements CallAudio {
  readonly rtpPort = 10_000;
  readonly sampleRateHz = 8000;
  queuedMs = 0;
  playedMs = 0;
  rtpClockMs = 0;
  closed = false;
  readonly recordings: string[] = [];
  monitoring: ((stereo: Int16Array) => void) | null = null;
  readonly statistics = {
    codec: "PCMA",
    packetsSent: 0,
    packetsReceived: 0,
    packetsLost: 0,
    packetsDiscarded: 0,
    jitterMs: 0,
    mos: 4.4,
  } as const;
  #frame: (pcm: Int16Array) => void = () => {};
  #digit: (digit: string) => void = () => {};
  #timeout: (timeout: MediaTimeout) => void = () => {};

  connect(): void {}
  onFrame(listener: (pcm: Int16Array) => void): void {
    this.#frame = listener;
  }
  onDigit(listener: (digit: string) => void): void {
    this.#digit = listener;
  }
  onTimeout(listener: (timeout: MediaTimeout) => void): void {
    this.#timeout = listener;
  }
  play(pcm: Int16Array): boolean {
    this.queuedMs += pcm.length / 8;
    return true;
  }
  stopPlaying(): number {
    const dropped = this.queuedMs;
    this.queuedMs = 0;
    return dropped;
  }
  whenDrained(listener: () => void): void {
    listener();
  }
  sendDigits(_digits: string): void {}
  startRecording(path: string): void {
    this.recordings.push(path);
  }
  monitor(listener: ((stereo: Int16Array) => void) | null): void {
    this.monitoring = listener;
  }
  async close(): Promise<null> {
    this.closed = true;
    return null;
  }

  /** One tick: plays a frame and receives one. */
  tick(pcm: Int16Array): void {
    const played = Math.min(FRAME_MS, this.queuedMs);
    this.queuedMs -= played;
    this.playedMs += played;
    this.#frame(pcm);
  }
  press(digit: string): void {
    this.#digit(digit);
  }
  loseMedia(timeout: MediaTimeout = "lost"): void {
    this.#timeout(timeout);
  }
}

export interface ScriptedCallOptions {
  readonly config?: CallConfig;
  readonly settings?: Partial<ConversationSettings>;
  /** The language model may be asked ahead of time. */
  readonly earlyStart?: boolean;
  /** A port for a second leg is free. */
  readonly secondAudio?: boolean;
  /** Knowledge is searched once per question. */
  readonly search?: SearchKnowledge;
}

/** Usage of a discarded early answer. */
function discardedAnswer({
  inputTokens,
  outputTokens,
  discarded = NOTHING_USED,
}: LlmUsage): LlmUsage {
  const more = ({ inputTokens, outputTokens }: LlmUsage) => ({
    inputTokens: inputTokens + 10,
    outputTokens: outputTokens + 5,
  });
  return { ...more({ inputTokens, outputTokens }), discarded: more(discarded) };
}

export async function scriptedCall(options: ScriptedCallOptions = {}) {
  const clock = fakeClock();
  // The clock does not start at the call's start, so that time since the answer differs from time
  // since the start.
  await clock.advance(3_600_000);
  const audio = new ScriptedAudio();
  const secondAudio = new ScriptedAudio();
  const messages: CallEvent[] = [];
  const spoken: string[] = [];
  const inputs: LlmInput[] = [];
  /** Remaining rounds of tool calls for each input. */
  const toolRounds: (number | undefined)[] = [];
  const truncated: string[] = [];
  const earlyRecognitions: ("begun" | "dropped")[] = [];
  const prefetched: string[] = [];
  let dropped = 0;
  let untold: LlmUsage = NOTHING_USED;
  const script = {
    /** Recognised texts of the next utterances. */
    recognises: [] as (string | EngineFailure)[],
    partial: "",
    /**
     * Text that a recogniser without partial results gives at the utterance's first silence; null:
     * it has partial results.
     */
    early: null as string | null,
    /** Milliseconds until the recogniser's final text. */
    sttTakesMs: 0,
    /** The language model's answers. Default: a fixed sentence. */
    answers: (_: LlmInput): LlmEvent[] => [{ type: "text", text: "All right." }],
    /** Milliseconds until the language model's first word. */
    llmTakesMs: 0,
    /** Milliseconds from the language model's last word to its end. */
    thinksOnForMs: 0,
    ttsFails: false,
    /** Number of sentences that fail before the voice works again. */
    voiceLosses: 0,
    /** Milliseconds until the summary. */
    summaryTakesMs: 0,
    /** Milliseconds until the voice's first samples. */
    ttsTakesMs: 0,
    llmFails: null as EngineFailure | null,
  };
  let onPartial: (text: string) => void = () => {};
  const engine: EngineSession = {
    onSpeechWorker: true,
    stt: {
      get capabilities() {
        return { partials: script.early === null };
      },
      startUtterance() {},
      recogniseEarly() {
        earlyRecognitions.push("begun");
        if (script.early !== null) onPartial(script.early);
      },
      dropEarly() {
        earlyRecognitions.push("dropped");
      },
      push() {
        if (script.partial !== "") onPartial(script.partial);
      },
      async finalize(): Promise<SttResult> {
        const next = script.recognises.shift() ?? "";
        if (script.sttTakesMs > 0) await sleep(clock, script.sttTakesMs);
        if (typeof next !== "string") throw next;
        return { text: next, confidence: 0.9, audioMs: 1_000 };
      },
      discard() {},
      onPartial(listener) {
        onPartial = listener;
      },
      expect() {},
    },
    llm: {
      capabilities: { earlyStart: options.earlyStart ?? false },
      async *respond(input, signal) {
        const { toolRounds: left, ...said } = input;
        toolRounds.push(left);
        inputs.push(said);
        let isTaken = false;
        try {
          if (script.llmTakesMs > 0) await sleep(clock, script.llmTakesMs, signal);
          if (script.llmFails) throw script.llmFails;
          for (const event of script.answers(input)) {
            yield event;
            isTaken = true;
          }
          if (script.thinksOnForMs > 0) await sleep(clock, script.thinksOnForMs, signal);
        } finally {
          const isEarly = input.type === "utterance" && input.early === true;
          if (signal.aborted && isEarly && !isTaken) untold = discardedAnswer(untold);
        }
        yield { type: "done", usage: { inputTokens: 10, outputTokens: 5 } };
      },
      takeUsage() {
        const usage = untold;
        untold = NOTHING_USED;
        return usage;
      },
      truncateSpoken: (text) => truncated.push(text),
      async summarize({ reason, durationSeconds }) {
        if (script.summaryTakesMs > 0) await sleep(clock, script.summaryTakesMs);
        return { text: `Ended by ${reason} after ${durationSeconds} s.`, line: "A call." };
      },
    },
    tts: {
      prefetch(text) {
        prefetched.push(text);
        return true;
      },
      dropPrefetched() {
        dropped = prefetched.length;
      },
      async *speak(text, signal) {
        if (script.ttsFails || script.voiceLosses-- > 0) throw new Error("no voice");
        if (signal.aborted) return;
        if (script.ttsTakesMs > 0) await sleep(clock, script.ttsTakesMs);
        if (signal.aborted) return;
        spoken.push(text);
        yield new Int16Array(text.length * MS_PER_CHARACTER * 8).fill(1_000);
      },
    },
    close() {},
  };
  const { search } = options;
  const llm = search ? new KnowledgeLlm(engine.llm, search, clock) : engine.llm;
  const illegalEvents: string[] = [];
  const log: Log = {
    ...silentLog,
    warn(event, fields) {
      if (event === "turn.illegal_event") illegalEvents.push(`${fields?.state} ${fields?.event}`);
    },
    error(event, fields) {
      illegalEvents.push(`${event} ${fields?.error}`);
    },
  };
  const session = new Session({
    config: options.config ?? callConfig(),
    settings: { ...SETTINGS, ...options.settings },
    audio,
    engine: { ...engine, llm },
    engineLabel: "scripted",
    ...(options.secondAudio ? { openSecondAudio: async () => secondAudio } : {}),
    vad: { process: (pcm) => (pcm[0] === 0 ? 0 : 1) },
    phraseCache: new PhraseCache(),
    clock,
    log,
    emit: (message) => messages.push(message),
  });

  async function frames(durationMs: number, level: number): Promise<void> {
    const pcm = new Int16Array(SAMPLES_PER_FRAME).fill(level);
    for (let passed = 0; passed < durationMs; passed += FRAME_MS) {
      await clock.advance(FRAME_MS);
      audio.tick(pcm);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  }

  return {
    session,
    earlyRecognitions,
    /** Sentences synthesised ahead of time. `stillPrefetched`: those not dropped. */
    prefetched,
    stillPrefetched: () => prefetched.slice(dropped),
    clock,
    audio,
    secondAudio,
    script,
    messages,
    spoken,
    inputs,
    toolRounds,
    truncated,
    /** Events that the turn machine rejected, and frames that failed. Must stay empty. */
    illegalEvents,
    silence: (durationMs: number) => frames(durationMs, 0),
    speech: (durationMs: number) => frames(durationMs, 12_000),
    /** The caller speaks for `durationMs`, then is silent until the agent must answer. */
    async says(text: string, durationMs = 1_000): Promise<void> {
      script.partial = text;
      script.recognises.push(text);
      await frames(durationMs, 12_000);
      await frames(SETTINGS.endpointingMs + FRAME_MS, 0);
      script.partial = "";
    },
    turns: (): TurnRecord[] =>
      messages.flatMap((message) => (message.type === "turn" ? [message.turn] : [])),
    hangupRequested: () => messages.find((message) => message.type === "hangup_requested") ?? null,
    /** Answers the call and plays the greeting. */
    async answerAndGreet(): Promise<void> {
      await session.prepare();
      session.answered();
      await frames(AGENT.firstMessage.length * MS_PER_CHARACTER + 200, 0);
    },
  };
}
