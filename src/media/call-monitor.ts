/**
 * Both sides of a call for a supervisor who monitors it: 8 kHz, interleaved, in blocks of 100 ms so
 * that few messages cross threads. Created when monitoring starts and dropped when it ends.
 */
import { createResampler } from "../platform/audio/resampler.ts";

const RATE_HZ = 8000;
const BLOCK_FRAMES = RATE_HZ / 10;

/** Returns a function for both frames of a tick. Each `post` gets newly allocated memory. */
export function createCallMonitor(
  sampleRateHz: number,
  post: (stereo: Int16Array) => void,
): (caller: Int16Array, agent: Int16Array) => void {
  const left = createResampler(sampleRateHz, RATE_HZ);
  const right = createResampler(sampleRateHz, RATE_HZ);
  let block = new Int16Array(BLOCK_FRAMES * 2);
  let filled = 0;

  return (caller, agent) => {
    const callerPcm = left.process(caller);
    const agentPcm = right.process(agent);
    for (let index = 0; index < callerPcm.length; index++) {
      block[filled++] = callerPcm[index] ?? 0;
      block[filled++] = agentPcm[index] ?? 0;
      if (filled < block.length) continue;
      post(block);
      block = new Int16Array(BLOCK_FRAMES * 2);
      filled = 0;
    }
  };
}
