/**
 * In-band DTMF detection (ITU-T Q.23, Q.24), for remote parties without telephone-events. Two
 * series of blocks overlap by half. A press begins when `ONSET_BLOCKS` consecutive blocks contain
 * the same key, which means tones of at least 40 ms. Speech hardly ever produces them. A press ends
 * after `END_BLOCKS` without the key. Allocates nothing per frame. Accuracy with noise and speech:
 * test/media/dtmf.
 */
import { DtmfBlock, dtmfCoefficients } from "./dtmf-block.ts";

const BLOCK_SECONDS = 102 / 8000;
/** Together 32 ms. */
const ONSET_BLOCKS = 4;
const END_BLOCKS = 3;

export class DtmfDetector {
  readonly #even: DtmfBlock;
  readonly #odd: DtmfBlock;
  /** The key of the previous block, and the number of consecutive blocks with it. */
  #lastKey = "";
  #runBlocks = 0;
  #pressedKey = "";
  #missedBlocks = 0;

  constructor(sampleRateHz: number) {
    const samples = Math.round(BLOCK_SECONDS * sampleRateHz);
    const coefficients = dtmfCoefficients(sampleRateHz);
    this.#even = new DtmfBlock(samples, coefficients, 0);
    this.#odd = new DtmfBlock(samples, coefficients, samples >> 1);
  }

  /** Processes a frame of up to 20 ms. Returns the key whose press begins in it, or null. */
  process(pcm: Int16Array): string | null {
    let pressed: string | null = null;
    for (let index = 0; index < pcm.length; index++) {
      const sample = pcm[index] ?? 0;
      const ofEven = this.#even.add(sample);
      const ofOdd = this.#odd.add(sample);
      const key = ofEven ?? ofOdd;
      if (key !== null) pressed = this.#judge(key) ?? pressed;
    }
    return pressed;
  }

  #judge(key: string): string | null {
    this.#runBlocks = key === this.#lastKey ? this.#runBlocks + 1 : 1;
    this.#lastKey = key;
    if (key !== "" && key === this.#pressedKey) {
      this.#missedBlocks = 0;
      return null;
    }
    if (this.#pressedKey !== "" && ++this.#missedBlocks >= END_BLOCKS) this.#pressedKey = "";
    if (key === "" || this.#runBlocks < ONSET_BLOCKS) return null;
    this.#pressedKey = key;
    this.#missedBlocks = 0;
    return key;
  }
}
