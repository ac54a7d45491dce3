/** placeholder until media/audio/resampler.ts is there */
const TAPS_PER_PHASE = 24;

export function createDownsampler(fromHz: number, toHz: number): (pcm: Int16Array) => Int16Array {
  const step = fromHz / toHz;
  const half = Math.ceil(TAPS_PER_PHASE * step * 0.5);
  const cutoff = (0.46 * toHz) / fromHz;
  let carry = new Float64Array(2 * half);
  let position = half;
  return (pcm) => {
    const input = new Float64Array(carry.length + pcm.length);
    input.set(carry);
    input.set(pcm, carry.length);
    const out: number[] = [];
    while (position + half < input.length) {
      const center = Math.floor(position);
      let sum = 0;
      for (let k = center - half + 1; k <= center + half; k++) {
        const x = k - position;
        const sinc = x === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * x) / (Math.PI * x);
        sum += (input[k] ?? 0) * sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / half));
      }
      out.push(Math.max(-32768, Math.min(32767, sum)));
      position += step;
    }
    const keepFrom = Math.max(0, Math.floor(position) - half);
    carry = input.slice(keepFrom);
    position -= keepFrom;
    return Int16Array.from(out);
  };
}
