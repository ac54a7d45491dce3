/**
 * Parses a command's arguments strictly. Wrong usage is exit status 2 with a message that shows
 * correct usage.
 */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

/** This machine lacks something that a command needs, and a restart does not fix that: status 2. */
export class CannotRunHere extends Error {
  override readonly name = "CannotRunHere";
}

export interface Terminal {
  /** Writes a line to standard output. */
  out(line: string): void;
  /** Writes a line to standard error. */
  err(line: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether standard output is a terminal, so that its content is not logged. Missing: false. */
  readonly isInteractive?: boolean;
}

/** The command that a server starts for its rehearsals. The help does not list it. */
export const PHONES = "phones";

export interface Command {
  /** The lines after `Usage:`, without the program's name. */
  readonly usage: readonly string[];
  /** More lines for its --help. */
  readonly notes?: readonly string[];
  /** Returns the exit status. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

const COMMON_OPTIONS = {
  config: { type: "string" },
  json: { type: "boolean", default: false },
} as const satisfies ParseArgsOptionsConfig;

/** Throws WrongUsage for an unknown option, a missing value or too many words. */
export function parse<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  wordsMax: number,
) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...COMMON_OPTIONS, ...options },
      allowPositionals: true,
      strict: true,
    });
    const surplus = positionals[wordsMax];
    if (surplus !== undefined) throw new WrongUsage(`Unexpected argument "${surplus}".`);
    return { values, words: positionals };
  } catch (error) {
    if (error instanceof WrongUsage) throw error;
    throw new WrongUsage(error instanceof Error ? error.message : String(error));
  }
}

export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw new WrongUsage(`${name} is missing.`);
  return value;
}

/** A positive integer. */
export function idFrom(value: string | undefined, name: string): number {
  const text = required(value, name);
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new WrongUsage(`${name} must be a number such as 1.`);
  return Number(text);
}

/** Aligns rows in columns. Each row stays on one line. */
export function table(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map((cell) => cell.replace(/[\r\n\t]+/g, " ")));
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
