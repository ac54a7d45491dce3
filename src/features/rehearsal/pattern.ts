/** Regular expression of an expectation. It runs on the main thread, over all the agent's words. */
import { LinearPattern } from "../tool/linear-pattern.ts";

const SIZE_MAX = 1_000;

/** Throws PatternRefused, or SyntaxError. */
export const patternOf = (source: string) => new LinearPattern(source, "iu", SIZE_MAX);

export function isPattern(source: string): boolean {
  try {
    patternOf(source);
    return true;
  } catch {
    return false;
  }
}
