/** Decodes an MP3 to 8 kHz telephone audio, one array per channel. */
import * as mpg123 from "mpg123-decoder";

export interface DecodedMp3 {
  /** [left: caller, right: agent]; a single channel is returned twice. 8 kHz. */
  readonly left: Int16Array;
  readonly right: Int16Array;
  readonly durationMs: number;
}

/**
 * The package looks up its classes by name when it loads; the bundler removes unreferenced ones,
 * and the package then fails. This reference keeps the class.
 */
const { MPEGDecoder, MPEGDecoderWebWorker: _kept } = mpg123;
const TARGET_HZ = 8000;

export async function decodeMp3(bytes: Uint8Array): Promise<DecodedMp3> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    const { channelData, sampleRate, samplesDecoded } = decoder.decode(bytes);
    const [left = new Float32Array(0), right = left] = channelData;
    const step = sampleRate / TARGET_HZ;
    if (!Number.isInteger(step)) throw new Error(`unexpected sample rate ${sampleRate}`);
    return {
      left: toPcm(left, step),
      right: toPcm(right, step),
      durationMs: Math.round((samplesDecoded / sampleRate) * 1000),
    };
  } finally {
    decoder.free();
  }
}

/** Converts to 16 bit; a higher sample rate is reduced by averaging. */
function toPcm(samples: Float32Array, step: number): Int16Array {
  return Int16Array.from({ length: Math.floor(samples.length / step) }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < step; k++) sum += samples[i * step + k] ?? 0;
    return Math.max(-32768, Math.min(32767, Math.round((sum / step) * 32767)));
  });
}
