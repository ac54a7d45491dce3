/**
 * Conversations with real audio, faster than real time. Callers and agent use the embedded voice,
 * the real voice activity detector listens, and noise and coughs are mixed in. Time is audio time,
 * so every delay is exact under any load. Only the recogniser is ideal (words are known some time
 * after they were spoken, as with a good provider), and the language model is scripted.
 */

import type { AgentSnapshot } from "../../../src/conversation/call-config.ts";
import type { CallEvent } from "../../../src/conversation/call-protocol.ts";
import type { TurnRecord } from "../../../src/conversation/call-report.ts";
import type { ConversationSettings } from "../../../src/conversation/conversation-settings.ts";
import type { EngineSession, LlmEvent, LlmInput } from "../../../src/conversation/engine-port.ts";
import { Session } from "../../../src/conversation/session/session.ts";
import { PhraseCache } from "../../../src/conversation/speech/phrase-cache.ts";
import { silentLog } from "../../../src/core/log.ts";
import { seededRandom } from "../../../src/core/random.ts";
import type { Synthesiser } from "../../../src/engine/embedded/synthesiser.ts";
import type { AgentLanguage } from "../../../src/features/agent/agent.ts";
import type { VadFactory } from "../../../src/media/audio/vad.ts";
import { fakeClock } from "../fake-clock.ts";
import { callConfig, ScriptedAudio, SETTINGS } from "../media/scripted-call.ts";

const RATE_HZ = 8_000;
const FRAME_SAMPLES = 160;
/**
 * A provider's stable words arrive this long after they were spoken; its final text arrives faster.
 */
const PARTIAL_DELAY_MS = 250;

export interface LabParts {
  readonly voices: Synthesiser;
  readonly createVad: VadFactory;
}

export interface LabOptions {
  readonly language: AgentLanguage;
  readonly agent?: Partial<AgentSnapshot>;
  readonly settings?: Partial<ConversationSettings>;
  /** Noise on the caller's line, dB below speech; default: none. */
  readonly noiseDb?: number;
  /** Echo of the agent's voice in the caller's line, 0 to 1. */
  readonly echo?: number;
  readonly answers: (input: LlmInput) => LlmEvent[];
  /** The recogniser reports words only at the end of an utterance. */
  readonly withoutPartials?: boolean;
}

interface SpokenWords {
  readonly words: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

class LabAudio extends ScriptedAudio {
  /** All played audio, for an echo. */
  readonly played: number[] = [];
  readonly #queue: number[] = [];

  override play(pcm: Int16Array): boolean {
    for (const sample of pcm) this.#queue.push(sample);
    return super.play(pcm);
  }
  override stopPlaying(): number {
    this.#queue.length = 0;
    return super.stopPlaying();
  }
  /** The agent's audio in this frame. */
  nextFrame(): readonly number[] {
    const frame = this.#queue.splice(0, FRAME_SAMPLES);
    for (let index = 0; index < FRAME_SAMPLES; index++) this.played.push(frame[index] ?? 0);
    return frame;
  }
}

export async function openLab(parts: LabParts, options: LabOptions) {
  const { language } = options;
  const clock = fakeClock();
  const startedAt = clock.monotonic();
  const audio = new LabAudio();
  const random = seededRandom(7);
  const messages: CallEvent[] = [];
  const inputs: LlmInput[] = [];
  const inputsAtMs: number[] = [];
  const truncated: string[] = [];
  const said: SpokenWords[] = [];
  const mouth: number[] = [];
  let onPartial: (text: string) => void = () => {};
  let sttFromMs = 0;
  const nowMs = () => clock.monotonic() - startedAt;

  const wordsBetween = (fromMs: number, toMs: number): string =>
    said
      .flatMap(({ words, ...at }) =>
        words.filter((_, index) => {
          const ends = at.fromMs + ((index + 1) / words.length) * (at.toMs - at.fromMs);
          return ends > fromMs && ends <= toMs;
        }),
      )
      .join(" ");

  const engine: EngineSession = {
    stt: {
      capabilities: { partials: !options.withoutPartials },
      startUtterance(lead) {
        sttFromMs = nowMs() - lead.length / 8;
      },
      push() {
        if (options.withoutPartials) return;
        onPartial(wordsBetween(sttFromMs, nowMs() - PARTIAL_DELAY_MS));
      },
      finalize: async () => ({
        text: wordsBetween(sttFromMs, nowMs()),
        confidence: 0.95,
        audioMs: nowMs() - sttFromMs,
      }),
      discard() {},
      onPartial(listener) {
        onPartial = listener;
      },
      expect() {},
    },
    llm: {
      async *respond(input) {
        inputs.push(input);
        inputsAtMs.push(nowMs());
        yield* options.answers(input);
        yield { type: "done", usage: { inputTokens: 1, outputTokens: 1 } };
      },
      truncateSpoken: (text) => truncated.push(text),
      summarize: async () => ({ text: "", line: "" }),
    },
    tts: {
      async *speak(text) {
        yield await parts.voices.speakAll({ text, language, voice: "Sari", sampleRateHz: RATE_HZ });
      },
    },
    close() {},
  };
  const session = new Session({
    config: callConfig({ language, firstMessage: "", ...options.agent }),
    settings: { ...SETTINGS, ...options.settings },
    audio,
    engine,
    engineLabel: "lab",
    vad: parts.createVad(),
    phraseCache: new PhraseCache(),
    clock,
    log: silentLog,
    emit: (message) => messages.push(message),
  });

  /** One frame of 20 ms: the caller's speech, the line's noise, the echo. */
  async function frame(): Promise<void> {
    const pcm = new Int16Array(FRAME_SAMPLES);
    const echoed = options.echo
      ? audio.played.slice(-FRAME_SAMPLES * 5, audio.played.length - FRAME_SAMPLES * 4)
      : [];
    const own = mouth.splice(0, FRAME_SAMPLES);
    const noise = options.noiseDb === undefined ? 0 : 3_277 * 10 ** (-options.noiseDb / 20);
    for (let index = 0; index < FRAME_SAMPLES; index++) {
      const radius = Math.sqrt(-2 * Math.log(random.float() + 1e-12));
      const hiss = noise * radius * Math.cos(2 * Math.PI * random.float());
      const back = (echoed[index] ?? 0) * (options.echo ?? 0);
      pcm[index] = Math.max(-32_768, Math.min(32_767, (own[index] ?? 0) + hiss + back));
    }
    await clock.advance(20);
    audio.nextFrame();
    audio.tick(pcm);
    await Bun.sleep(0);
  }

  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) await frame();
  };

  async function voiceOf(text: string): Promise<Int16Array> {
    const order = { text, language, voice: "m3", sampleRateHz: RATE_HZ } as const;
    const pcm = await parts.voices.speakAll(order);
    const first = pcm.findIndex((sample) => Math.abs(sample) > 150);
    const last = pcm.findLastIndex((sample) => Math.abs(sample) > 150);
    return pcm.slice(Math.max(0, first), last + 1);
  }

  return {
    session,
    clock,
    audio,
    messages,
    inputs,
    inputsAtMs,
    truncated,
    nowMs,
    pass,
    turns: (): TurnRecord[] =>
      messages.flatMap((message) => (message.type === "turn" ? [message.turn] : [])),
    /** The call is answered, and nobody has spoken yet. */
    async answered(): Promise<void> {
      await session.prepare();
      session.answered();
      await pass(200);
    },
    /**
     * Starts to speak; resolves with the length in ms. The caller of this function must let that
     * time pass.
     */
    async begins(text: string): Promise<number> {
      const pcm = await voiceOf(text);
      const fromMs = nowMs();
      const lengthMs = pcm.length / 8;
      said.push({ words: text.split(" "), fromMs, toMs: fromMs + lengthMs });
      for (const sample of pcm) mouth.push(sample);
      return lengthMs;
    },
    /** Speaks until the last sample. */
    async says(text: string): Promise<void> {
      await pass(await this.begins(text));
    },
    /** Plays a sound that is not speech. */
    sound(pcm: Int16Array): void {
      for (const sample of pcm) mouth.push(sample);
    },
    /** Advances time until the condition holds; returns the elapsed time. */
    async until(holds: () => boolean, limitMs = 20_000): Promise<number> {
      const since = nowMs();
      while (!holds()) {
        if (nowMs() - since > limitMs) throw new Error("never came, in audio time");
        await frame();
      }
      return nowMs() - since;
    },
    get agentSpeaks(): boolean {
      return audio.queuedMs > 0;
    },
  };
}

/** Two bursts of noise, 180 ms each, as loud as speech. */
export function cough(): Int16Array {
  const random = seededRandom(3);
  const burst = (ms: number) =>
    Array.from({ length: ms * 8 }, (_, index) => {
      const envelope = Math.sin((Math.PI * index) / (ms * 8)) ** 0.5;
      return (random.float() - 0.5) * 16_000 * envelope;
    });
  const pause = Array.from({ length: 8 * 120 }, () => 0);
  return Int16Array.from([...burst(180), ...pause, ...burst(180)]);
}
