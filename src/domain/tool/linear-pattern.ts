/**
 * Regular expressions that a tenant writes, matched by RE2: in a time that grows with the text. The runtime's own
 * engine tries one way after the other, for hours where a pattern is meant to, and a thread that does so goes on when
 * its worker is terminated.
 *
 * A pattern must be valid for both: models are told of it as ECMA-262 has it. RE2 has no way to look around or
 * to refer back to a group; \s is ASCII.
 */
import { RE2JS } from "re2js";

/** In RE2's instructions. A character of the text takes up to some 10 ns for each. */
const SIZE_MAX = 4_100;

/** The runtime's own: whoever reads a schema puts this file's in its place (run-tool-arguments.ts). */
const Backtracking = RegExp;

/** The message is one clause. */
export class PatternRefused extends Error {}

/** As much of a RegExp as a check uses. The constructor throws PatternRefused, or SyntaxError. */
export class LinearPattern {
  lastIndex = 0;
  readonly #compiled: RE2JS;

  constructor(
    readonly source: string,
    readonly flags: "" | "iu" = "",
    sizeMax = SIZE_MAX,
  ) {
    new Backtracking(source, flags);
    this.#compiled = compiled(source, flags);
    if (this.#compiled.programSize() > sizeMax)
      throw new PatternRefused("a pattern must be smaller: its {n} repeats count n times");
  }

  test(text: string): boolean {
    return this.#compiled.matcher(text).find();
  }

  toString(): string {
    return `/${this.source}/${this.flags}`;
  }
}

function compiled(source: string, flags: string): RE2JS {
  try {
    const bits = flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0;
    return RE2JS.compile(RE2JS.translateRegExp(source), bits);
  } catch (error) {
    const [, cause] = /: (.*)$/s.exec(error instanceof Error ? error.message : "") ?? [];
    throw new PatternRefused(`a pattern must be one of RE2, which cannot use ${cause ?? source}`);
  }
}
