import { expect, test } from "bun:test";
import { seededRandom } from "../../../../src/core/random.ts";
import { PacketLossConcealment } from "../../../../src/media/audio/concealment.ts";

const BLOCK = 80;

/** A voiced sound: a pulse train through a decaying resonance, with a slowly gliding pitch. */
function voiced(seconds: number): Int16Array {
  const pcm = new Int16Array(seconds * 8000);
  let phase = 0;
  for (let index = 0; index < pcm.length; index++) {
    phase += (120 + 20 * Math.sin(index / 6000)) / 8000;
    let value = 0;
    for (let harmonic = 1; harmonic <= 12; harmonic++) {
      value += Math.sin(2 * Math.PI * harmonic * phase) / harmonic;
    }
    pcm[index] = value * 4000;
  }
  return pcm;
}

/** Error energy against the original in the lost blocks, in dB under the signal. */
function signalToErrorDb(original: Int16Array, lost: Set<number>, conceal: boolean): number {
  const concealment = new PacketLossConcealment(8000);
  let [signal, error] = [0, 0];
  for (let block = 0; block * BLOCK < original.length; block++) {
    const wanted = original.subarray(block * BLOCK, (block + 1) * BLOCK);
    const heard = wanted.slice();
    if (!lost.has(block)) concealment.accept(heard);
    else if (conceal) concealment.conceal(heard);
    else heard.fill(0);
    if (!lost.has(block)) continue;
    for (let index = 0; index < BLOCK; index++) {
      signal += (wanted[index] ?? 0) ** 2;
      error += ((wanted[index] ?? 0) - (heard[index] ?? 0)) ** 2;
    }
  }
  return 10 * Math.log10(signal / error);
}

test("a lost 20 ms packet of a voiced sound is concealed at least 6 dB better than by silence", () => {
  const random = seededRandom(3);
  const original = voiced(10);
  const lost = new Set<number>();
  for (let packet = 10; packet < 495; packet++) {
    if (lost.has(packet * 2 - 2) || random.float() > 0.1) continue;
    lost.add(packet * 2);
    lost.add(packet * 2 + 1);
  }
  const silence = signalToErrorDb(original, lost, false);
  const concealed = signalToErrorDb(original, lost, true);
  expect(silence).toBeCloseTo(0, 5);
  expect(concealed).toBeGreaterThan(6);
});

test("a long gap fades to silence within 70 ms, and no sample jumps out of range", () => {
  const concealment = new PacketLossConcealment(8000);
  const original = voiced(1);
  for (let block = 0; block < 50; block++) {
    concealment.accept(original.slice(block * BLOCK, (block + 1) * BLOCK));
  }
  const block = new Int16Array(BLOCK);
  const levels: number[] = [];
  for (let count = 0; count < 8; count++) {
    concealment.conceal(block);
    levels.push(Math.max(...block.map(Math.abs)));
  }
  expect(levels[0]).toBeGreaterThan(1000);
  expect(levels[7]).toBe(0);
});

test("before anything was heard it conceals with silence", () => {
  const block = new Int16Array(BLOCK).fill(99);
  new PacketLossConcealment(8000).conceal(block);
  expect(block.every((sample) => sample === 0)).toBe(true);
});
