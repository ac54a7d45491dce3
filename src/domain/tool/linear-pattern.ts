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

/** A class has many characters and is one instruction. */
const CHARACTERS_PER_INSTRUCTION = 4;

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
    if (source.length > CHARACTERS_PER_INSTRUCTION * sizeMax) throw tooLarge();
    new Backtracking(source, flags);
    // Compiling takes as long as the program is large.
    if (leastSizeOf(source) > sizeMax) throw tooLarge();
    this.#compiled = compiled(source, flags);
    if (this.#compiled.programSize() > sizeMax) throw tooLarge();
  }

  test(text: string): boolean {
    return this.#compiled.matcher(text).find();
  }

  toString(): string {
    return `/${this.source}/${this.flags}`;
  }
}

const tooLarge = () =>
  new PatternRefused("a pattern must be smaller: its {n} repeats count n times");

/** Characters, classes and groups with their {n} repeats written out: a program has no fewer instructions. */
function leastSizeOf(source: string): number {
  const parts =
    /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\)|\{(\d+)(?:,(\d*))?\}|[?*+|^$]|./gsu;
  /** Sizes of the open groups, the innermost last. */
  const open = [0];
  let last = 0;
  const add = (size: number) => {
    last = size;
    open.push((open.pop() ?? 0) + size);
  };
  for (const [part, least, most] of source.matchAll(parts)) {
    if (part.startsWith("(")) open.push(0);
    else if (part === ")") add(open.pop() ?? 0);
    else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most || 0));
      const whole = last * times;
      add(whole - last);
      last = whole;
    } else if (!/^[?*+|^$]$/.test(part)) add(1);
  }
  return open.reduce((sum, size) => sum + size, 0);
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
