/**
 * Audio worklet: what the microphone hears, as PCM16 frames of 20 ms at 16 kHz.
 *
 * The context runs at 16 kHz, so nothing is resampled here. A frame's buffer is handed over, not
 * copied.
 */
const FRAME_SAMPLES = 320;

declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class MicrophoneProcessor extends AudioWorkletProcessor {
  #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;

  process(inputs: Float32Array[][]): boolean {
    const heard = inputs[0]?.[0];
    if (!heard) return true;
    for (const sample of heard) {
      this.#frame[this.#filled++] = Math.max(-1, Math.min(1, sample)) * 32_767;
      if (this.#filled < FRAME_SAMPLES) continue;
      this.port.postMessage(this.#frame.buffer, [this.#frame.buffer]);
      this.#frame = new Int16Array(FRAME_SAMPLES);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor("microphone", MicrophoneProcessor);
