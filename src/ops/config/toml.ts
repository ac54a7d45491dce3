/** Parses TOML to plain values with their line numbers. */
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";

export type Path = readonly PropertyKey[];
export interface RawTable {
  [key: string]: unknown;
}

export interface TomlText {
  readonly values: RawTable;
  /** Line of this key or of the nearest enclosing table; 1 if unknown. */
  lineOf(path: Path): number;
}

export class TomlProblem extends Error {
  constructor(
    readonly line: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "TomlProblem";
  }
}

export const isTable = (value: unknown): value is RawTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

const idOf = (path: Path) => JSON.stringify(path.map(String));

/** Throws TomlProblem with the line of the first mistake only; later messages would be unreliable. */
export function readToml(source: string): TomlText {
  const program = parsed(source);
  const lines = new Map<string, number>();
  for (const node of program.body[0].body) {
    if (node.type === "TOMLKeyValue") locate(node, [], lines);
    else {
      for (let length = 1; length <= node.resolvedKey.length; length++) {
        const id = idOf(node.resolvedKey.slice(0, length));
        if (!lines.has(id)) lines.set(id, node.loc.start.line);
      }
      for (const pair of node.body) locate(pair, node.resolvedKey, lines);
    }
  }
  return {
    values: getStaticTOMLValue(program) as RawTable,
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const line = lines.get(idOf(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

function parsed(source: string): AST.TOMLProgram {
  try {
    return parseTOML(source);
  } catch (cause) {
    if (!(cause instanceof ParseError)) throw cause;
    // The parser reports an unterminated value at the start of a later line. The mistake is at the end of the
    // text before.
    if (cause.column === 0) parsed(source.slice(0, cause.index).trimEnd());
    throw new TomlProblem(cause.lineNumber, cause.message, { cause });
  }
}

function locate(pair: AST.TOMLKeyValue, parent: Path, lines: Map<string, number>): void {
  let path = parent;
  for (const key of pair.key.keys) {
    path = [...path, key.type === "TOMLBare" ? key.name : key.value];
    if (!lines.has(idOf(path))) lines.set(idOf(path), key.loc.start.line);
  }
  locateValue(pair.value, path, lines);
}

function locateValue(value: AST.TOMLContentNode, path: Path, lines: Map<string, number>): void {
  if (value.type === "TOMLInlineTable") for (const pair of value.body) locate(pair, path, lines);
  if (value.type !== "TOMLArray") return;
  value.elements.forEach((element, index) => {
    lines.set(idOf([...path, index]), element.loc.start.line);
    locateValue(element, [...path, index], lines);
  });
}
