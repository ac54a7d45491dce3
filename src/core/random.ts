/**
 * The random port. Identifiers, nonces and jitter come from here, so that a test can use a seed.
 */
export interface Random {
  bytes(count: number): Uint8Array;
  /** Uniform in [0, 1). */
  float(): number;
}

export const systemRandom: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  float: () => crypto.getRandomValues(new Uint32Array(1)).reduce((_, word) => word, 0) / 2 ** 32,
};

/** Uniform integer in [0, exclusiveMax). */
export function randomInt(random: Random, exclusiveMax: number): number {
  return Math.floor(random.float() * exclusiveMax);
}

/** Deterministic generator (mulberry32) for tests and simulations. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const float = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    float,
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(float() * 256)),
  };
}
