/**
 * A telephone line for synthetic callers: µ-law encoding and decoding, light noise, silence before
 * and after.
 */
import type { Random } from "../../../src/core/random.ts";
import { decodeG711, encodeG711 } from "../../../src/platform/audio/g711.ts";

const LEAD_SAMPLES = 1_600;
const TAIL_SAMPLES = 3_200;

/** 8 kHz in, 8 kHz out. `noiseDb`: noise level below −20 dBFS speech. */
export function overTelephone(pcm: Int16Array, random: Random, noiseDb = 35): Int16Array {
  const amplitude = 32_768 * 10 ** ((-20 - noiseDb) / 20);
  const line = new Int16Array(LEAD_SAMPLES + pcm.length + TAIL_SAMPLES);
  for (let index = 0; index < line.length; index++) {
    const radius = Math.sqrt(-2 * Math.log(random.float() + 1e-12));
    const noise = amplitude * radius * Math.cos(2 * Math.PI * random.float());
    line[index] = (pcm[index - LEAD_SAMPLES] ?? 0) + noise;
  }
  const octets = new Uint8Array(line.length);
  encodeG711("PCMU", line, octets);
  decodeG711("PCMU", octets, line);
  return line;
}
