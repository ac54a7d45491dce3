/** How many callers the embedded recogniser is enough for. */

/** Talking at once, of one speech thread: 0.16 of a core each; beyond this each would be followed more slowly than he talks. Further ones wait. */
export const CONCURRENT_UTTERANCES_MAX = 4;

/** Callers listen, think and pause: of three who are in a call, about one talks. */
export const CALLS_PER_TALKER = 3;
