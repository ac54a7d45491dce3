/** How loud a piece of audio is. */

/** Root mean square, 0 to 32,768; 0 for no samples. */
export function levelOf(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, pcm.length));
}
