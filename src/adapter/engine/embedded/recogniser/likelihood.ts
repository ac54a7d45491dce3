/**
 * How much better words explain an utterance than bare sounds do, per 10 ms frame, and its form as
 * the `confidence` of what was heard. The scripted agent turns it back to add what retrieval says.
 */
const CENTRE = -20;
const SPREAD = 4;

export function confidenceOf(ratio: number): number {
  return 1 / (1 + Math.exp(-(ratio - CENTRE) / SPREAD));
}

export function ratioOf(confidence: number): number {
  const bounded = Math.min(0.9999, Math.max(0.0001, confidence));
  return CENTRE + SPREAD * Math.log(bounded / (1 - bounded));
}
