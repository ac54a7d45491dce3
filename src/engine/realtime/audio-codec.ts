/**
 * Converts audio between the call (16-bit PCM at its own rate) and the socket (base64 of G.711 at 8
 * kHz, or of PCM at 24 kHz). G.711 of an 8 kHz call needs no resampling. If the trunk uses the same
 * law, the bytes stay the same.
 */
import { decodeG711, encodeG711, type G711Law } from "../../platform/audio/g711.ts";
import { createResampler, type Resampler } from "../../platform/audio/resampler.ts";
import { type AudioFormat, rateOf } from "./events.ts";

const lawOf = (format: AudioFormat): G711Law => (format === "g711_ulaw" ? "PCMU" : "PCMA");

export class AudioEncoder {
  readonly #resampler: Resampler;

  constructor(
    private readonly format: AudioFormat,
    callRateHz: number,
  ) {
    this.#resampler = createResampler(callRateHz, rateOf(format));
  }

  encode(pcm: Int16Array): string {
    const samples = this.#resampler.process(pcm);
    if (this.format === "pcm") return base64(samples);
    const octets = new Uint8Array(samples.length);
    encodeG711(lawOf(this.format), samples, octets);
    return Buffer.from(octets.buffer).toString("base64");
  }

  /** End of an utterance: returns the rest in the resampler. May be empty. */
  flush(): string {
    const rest = this.#resampler.flush();
    if (this.format !== "pcm" || rest.length === 0) return "";
    return base64(rest);
  }
}

export class AudioDecoder {
  readonly #resampler: Resampler;
  #oddByte: Uint8Array = new Uint8Array(0);

  constructor(
    private readonly format: AudioFormat,
    callRateHz: number,
  ) {
    this.#resampler = createResampler(rateOf(format), callRateHz);
  }

  /** Duration of base64 audio. */
  msOf(text: string): number {
    const octets = Buffer.byteLength(text, "base64");
    const samples = this.format === "pcm" ? octets / 2 : octets;
    return (samples / rateOf(this.format)) * 1_000;
  }

  decode(text: string): Int16Array {
    const bytes = new Uint8Array(Buffer.concat([this.#oddByte, Buffer.from(text, "base64")]));
    if (this.format !== "pcm") {
      const pcm = new Int16Array(bytes.length);
      decodeG711(lawOf(this.format), bytes, pcm);
      return this.#resampler.process(pcm);
    }
    const samples = bytes.length >> 1;
    this.#oddByte = bytes.slice(samples * 2);
    return this.#resampler.process(new Int16Array(bytes.buffer, 0, samples));
  }

  flush(): Int16Array {
    this.#oddByte = new Uint8Array(0);
    return this.#resampler.flush();
  }
}

const base64 = (pcm: Int16Array): string =>
  Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString("base64");
