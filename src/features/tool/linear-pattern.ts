/**
 * Tenants' regular expressions, matched by RE2 in linear time. The runtime's engine backtracks, so a
 * malicious pattern can take hours. Terminating the worker does not stop such a thread.
 *
 * A pattern must be valid in both engines, because models get it as an ECMA-262 pattern. RE2 has no
 * lookaround or backreferences, and its \s is ASCII.
 */
import { RE2JS } from "re2js";

/** Maximum RE2 instructions. Each takes up to about 10 ns per character of the text. */
const SIZE_MAX = 4_100;

/** A class has many characters but is one instruction. */
const CHARACTERS_PER_INSTRUCTION = 4;

/** The runtime's RegExp, saved because schema reading replaces the global one (run-tool-arguments.ts). */
const Backtracking = RegExp;

/** The message is one clause. */
export class PatternRefused extends Error {}

/** The part of RegExp that a check uses. The constructor throws PatternRefused, or SyntaxError. */
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
    // Check before compiling, whose time grows with the program's size.
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

/** Lower bound of the program's size: characters, classes and groups with {n} repeats expanded. */
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
