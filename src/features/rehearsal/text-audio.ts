/**
 * Audio of a text rehearsal: no sound, only its timing. Words take as long as at a normal pace. So turns,
 * interruptions and silences are like those of a call.
 */
import type { CallAudio, VoiceActivityDetector } from "../../conversation/audio-port.ts";
import type { SttStream, TtsStream } from "../../conversation/engine-port.ts";
import { FRAME_MS } from "../../conversation/limits.ts";

const RATE_HZ = 8_000;
const SAMPLES_PER_MS = RATE_HZ / 1_000;
/** About 15 characters per second: a normal pace. */
const MS_PER_CHARACTER = 65;
const SPEECH_MS_MIN = 300;
const LOUD = 12_000;

const speechMs = (text: string): number =>
  Math.max(SPEECH_MS_MIN, Math.ceil((text.length * MS_PER_CHARACTER) / FRAME_MS) * FRAME_MS);

const SPEECH = new Int16Array(SAMPLES_PER_MS * FRAME_MS).fill(LOUD);
const SILENCE = new Int16Array(SAMPLES_PER_MS * FRAME_MS);

/** The caller's current words and their progress. */
interface Utterance {
  readonly words: readonly string[];
  readonly lengthMs: number;
  passedMs: number;
}

export class TextAudio implements CallAudio {
  readonly rtpPort = 0;
  readonly sampleRateHz = RATE_HZ;
  queuedMs = 0;
  playedMs = 0;
  rtpClockMs = 0;
  readonly statistics = {
    codec: null,
    packetsSent: 0,
    packetsReceived: 0,
    packetsLost: 0,
    packetsDiscarded: 0,
    jitterMs: 0,
    mos: 0,
  };
  #frame: (pcm: Int16Array) => void = () => {};
  #mouth: Utterance | null = null;
  /** The caller's words since the recogniser's last read. */
  #heard: string[] = [];

  connect(): void {}

  onFrame(listener: (pcm: Int16Array) => void): void {
    this.#frame = listener;
  }

  onDigit(): void {}

  onTimeout(): void {}

  play(pcm: Int16Array): boolean {
    this.queuedMs += pcm.length / SAMPLES_PER_MS;
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

  sendDigits(): void {}

  startRecording(): void {}

  async close(): Promise<null> {
    return null;
  }

  get callerSpeaks(): boolean {
    return this.#mouth !== null;
  }

  callerSays(text: string): void {
    this.#mouth = { words: text.split(/\s+/), lengthMs: speechMs(text), passedMs: 0 };
  }

  /** The words so far. */
  get heard(): string {
    const { words = [], lengthMs = 1, passedMs = 0 } = this.#mouth ?? {};
    const begun = words.slice(0, Math.floor((words.length * passedMs) / lengthMs));
    return [...this.#heard, ...begun].join(" ");
  }

  forgetHeard(): void {
    this.#heard = [];
  }

  /** Advances by 20 ms. */
  tick(): void {
    const played = Math.min(FRAME_MS, this.queuedMs);
    this.queuedMs -= played;
    this.playedMs += played;
    this.rtpClockMs += FRAME_MS;
    const mouth = this.#mouth;
    if (mouth) {
      mouth.passedMs += FRAME_MS;
      if (mouth.passedMs >= mouth.lengthMs) {
        this.#heard.push(...mouth.words);
        this.#mouth = null;
      }
    }
    this.#frame(mouth ? SPEECH : SILENCE);
  }
}

export const textVad: VoiceActivityDetector = { process: (pcm) => (pcm[0] === 0 ? 0 : 1) };

/** Recogniser that understands every word. */
export function textStt(audio: TextAudio): SttStream {
  let onPartial: (text: string) => void = () => {};
  return {
    capabilities: { partials: true },
    startUtterance() {},
    push() {
      if (audio.heard !== "") onPartial(audio.heard);
    },
    async finalize() {
      const text = audio.heard;
      audio.forgetHeard();
      return { text, confidence: 1, audioMs: speechMs(text) };
    },
    discard() {
      if (!audio.callerSpeaks) audio.forgetHeard();
    },
    onPartial(listener) {
      onPartial = listener;
    },
    expect() {},
  };
}

/** Synthesis without delay and as long as speech. Silent, so that nothing sounds like an echo. */
export const textTts: TtsStream = {
  async *speak(text, signal) {
    if (!signal.aborted) yield new Int16Array(speechMs(text) * SAMPLES_PER_MS);
  },
};
