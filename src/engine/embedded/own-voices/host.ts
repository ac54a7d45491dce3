/**
 * Code of the thread for the operator's voices. It loads files and speaks sentences in the order of
 * the requests.
 */
import { describeError } from "../../../core/errors.ts";
import type { FromVoices, ToVoices } from "./messages.ts";
import { PiperVoice } from "./piper-voice.ts";

export class VoiceHost {
  readonly #voices = new Map<string, PiperVoice>();
  #queue: Promise<void> = Promise.resolve();

  constructor(private readonly post: (message: FromVoices) => void) {}

  receive(message: ToVoices): void {
    this.#queue = this.#queue.then(() =>
      message.type === "load" ? this.#load(message.file) : this.#speak(message),
    );
  }

  async #load(file: string): Promise<void> {
    try {
      const voice = await PiperVoice.load(file);
      this.#voices.set(file, voice);
      const { espeakVoice, sampleRateHz } = voice;
      this.post({ type: "loaded", file, espeakVoice, sampleRateHz });
    } catch (error) {
      this.post({ type: "failed", file, detail: describeError(error) });
    }
  }

  async #speak(message: Extract<ToVoices, { type: "speak" }>): Promise<void> {
    const { id, file, phonemes, ratePercent } = message;
    try {
      const voice = this.#voices.get(file);
      if (voice === undefined) throw new Error(`${file} is not loaded`);
      this.post({ type: "spoken", id, pcm: await voice.speak(phonemes, ratePercent) });
    } catch (error) {
      this.post({ type: "unspoken", id, detail: describeError(error) });
    }
  }
}
