/**
 * Audio worklet: microphone input as PCM16 frames of 20 ms at 16 kHz. If the context runs
 * faster, each output sample is the mean of the input samples it replaces.
 */
const FRAME_SAMPLES = 320;
const RATE = 16_000;

declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class MicrophoneProcessor extends AudioWorkletProcessor {
  #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  #sum = 0;
  #count = 0;
  /** Progress towards the next output sample, 0 to 1. */
  #phase = 0;

  process(inputs: Float32Array[][]): boolean {
    for (const sample of inputs[0]?.[0] ?? []) {
      this.#sum += sample;
      this.#count++;
      this.#phase += RATE / sampleRate;
      if (this.#phase < 1) continue;
      this.#phase -= 1;
      this.#write(this.#sum / this.#count);
      this.#sum = 0;
      this.#count = 0;
    }
    return true;
  }

  /** Transfers the buffer of the full frame without a copy. */
  #write(sample: number): void {
    this.#frame[this.#filled++] = Math.max(-1, Math.min(1, sample)) * 32_767;
    if (this.#filled < FRAME_SAMPLES) return;
    this.port.postMessage(this.#frame.buffer, [this.#frame.buffer]);
    this.#frame = new Int16Array(FRAME_SAMPLES);
    this.#filled = 0;
  }
}

registerProcessor("microphone", MicrophoneProcessor);
