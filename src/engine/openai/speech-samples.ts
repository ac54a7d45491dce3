/**
 * Decodes synthesised speech to the call's sample rate. Input: headerless 16-bit PCM or WAV, split
 * anywhere, at any rate, mono or stereo. For compressed formats the error names the format.
 */
import { createResampler, type Resampler } from "../../platform/audio/resampler.ts";
import { looksLikeWav, NotSpeech, readWavHeader } from "./wav.ts";

/** The format is decided after this many bytes. */
const JUDGE_BYTES = 12;

export class SpeechSamples {
  #undecided: Uint8Array = new Uint8Array(0);
  #resampler: Resampler | null = null;
  #channels = 1;
  #oddBytes: Uint8Array = new Uint8Array(0);

  constructor(
    private readonly pcmRateHz: number,
    private readonly toRateHz: number,
  ) {}

  /** May be empty. Throws NotSpeech. */
  push(bytes: Uint8Array): Int16Array {
    if (this.#resampler) return this.#samples(this.#resampler, bytes);
    const known = joinBytes(this.#undecided, bytes);
    this.#undecided = known;
    if (known.length < JUDGE_BYTES) return new Int16Array(0);
    if (!looksLikeWav(known)) {
      refuseCompressed(known);
      return this.#begin(this.pcmRateHz, 1, known);
    }
    const header = readWavHeader(known);
    if (!header) return new Int16Array(0);
    const { sampleRateHz, channels, dataAt } = header;
    return this.#begin(sampleRateHz, channels, known.subarray(dataAt));
  }

  /** The rest in the resampler. */
  end(): Int16Array {
    return this.#resampler?.flush() ?? new Int16Array(0);
  }

  #begin(rateHz: number, channels: number, bytes: Uint8Array): Int16Array {
    this.#undecided = new Uint8Array(0);
    this.#channels = channels;
    const resampler = createResampler(rateHz, this.toRateHz);
    this.#resampler = resampler;
    return this.#samples(resampler, bytes);
  }

  #samples(resampler: Resampler, bytes: Uint8Array): Int16Array {
    const all = joinBytes(this.#oddBytes, bytes);
    const frameBytes = 2 * this.#channels;
    const frames = Math.floor(all.length / frameBytes);
    this.#oddBytes = all.slice(frames * frameBytes);
    const view = new DataView(all.buffer, all.byteOffset, all.byteLength);
    const pcm = new Int16Array(frames);
    for (let index = 0; index < frames; index++) {
      const at = index * frameBytes;
      const left = view.getInt16(at, true);
      pcm[index] = this.#channels === 1 ? left : (left + view.getInt16(at + 2, true)) >> 1;
    }
    return resampler.process(pcm);
  }
}

function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function refuseCompressed(bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  const isMp3 = start.startsWith("ID3") || isMp3Frame(bytes);
  if (isMp3 || start === "OggS" || start === "fLaC") {
    throw new NotSpeech(`${isMp3 ? "MP3" : start} instead of PCM: set tts_format to "wav"`);
  }
  if (start.startsWith("{")) throw new NotSpeech("JSON instead of audio");
}

/**
 * Layer III of ISO 11172-3, with a bit rate and a sample rate. As PCM it would be one loud, odd
 * sample.
 */
const isMp3Frame = ([first = 0, second = 0, third = 0]: Uint8Array): boolean =>
  first === 0xff &&
  (second & 0xe6) === 0xe2 &&
  third >= 0x10 &&
  third < 0xf0 &&
  (third & 0x0c) !== 0x0c;
