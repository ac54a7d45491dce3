/**
 * The header fields of one message, in order. Names match in any spelling (case, compact form).
 * Values of list fields are stored separately.
 */
import { isListField, normaliseName, wireName } from "./names.ts";
import { splitOutsideQuotes } from "./split.ts";

export type HeaderInit = readonly (readonly [name: string, value: string | number])[];

interface Entry {
  readonly name: string;
  value: string;
}

/**
 * Characters that would end a header line or a string; a NUL after a backslash is text
 * (quoted-pair, 25.1).
 */
export const hasBareControls = (value: string): boolean =>
  /[\r\n\0]/.test(value.includes("\\") ? value.replaceAll("\\\0", "") : value);

export class Headers {
  readonly #entries: Entry[] = [];

  /** Values are used unchanged, one entry each. Throws RangeError on CR or LF in a value. */
  static from(init: HeaderInit): Headers {
    const headers = new Headers();
    for (const [name, value] of init) headers.append(name, String(value));
    return headers;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The first value of that name. */
  get(name: string): string | undefined {
    const wanted = normaliseName(name);
    return this.#entries.find((entry) => entry.name === wanted)?.value;
  }

  /** Every value of that name, in order. */
  all(name: string): string[] {
    const wanted = normaliseName(name);
    const values: string[] = [];
    for (const entry of this.#entries) if (entry.name === wanted) values.push(entry.value);
    return values;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** True if a list field such as Supported or Require contains this token, in any case. */
  hasToken(name: string, token: string): boolean {
    const wanted = token.toLowerCase();
    return this.all(name).some((value) => value.trim().toLowerCase() === wanted);
  }

  /**
   * Adds a value after the others of that name. Throws RangeError on CR or LF (header injection).
   */
  append(name: string, value: string): void {
    if (hasBareControls(value)) throw new RangeError(`line break in header ${name}`);
    this.#entries.push({ name: normaliseName(name), value });
  }

  /**
   * Adds the values of one header line: list fields are split. Returns false if quotes or <> are
   * not closed: the line is then one value.
   */
  appendLine(name: string, line: string): boolean {
    const normalised = normaliseName(name);
    if (!isListField(normalised) || !line.includes(",")) {
      this.#entries.push({ name: normalised, value: line });
      return true;
    }
    const values = splitOutsideQuotes(line, ",");
    for (const value of values ?? [line]) {
      const trimmed = value.trim();
      if (trimmed !== "") this.#entries.push({ name: normalised, value: trimmed });
    }
    return values !== undefined;
  }

  /** Replaces all values of that name by one, at the position of the first. */
  set(name: string, value: string): void {
    const wanted = normaliseName(name);
    const first = this.#entries.find((entry) => entry.name === wanted);
    if (!first) {
      this.append(name, value);
      return;
    }
    if (hasBareControls(value)) throw new RangeError(`line break in header ${name}`);
    first.value = value;
    this.#keep((entry) => entry.name !== wanted || entry === first);
  }

  /** Replaces the first value of that name and keeps the others; adds it if there is none. */
  setFirst(name: string, value: string): void {
    if (hasBareControls(value)) throw new RangeError(`line break in header ${name}`);
    const wanted = normaliseName(name);
    const first = this.#entries.find((entry) => entry.name === wanted);
    if (first) first.value = value;
    else this.append(name, value);
  }

  remove(name: string): void {
    const wanted = normaliseName(name);
    this.#keep((entry) => entry.name !== wanted);
  }

  clone(): Headers {
    const copy = new Headers();
    for (const entry of this.#entries) copy.#entries.push({ ...entry });
    return copy;
  }

  /** Name (normalised) and value of every entry, in order. */
  *[Symbol.iterator](): IterableIterator<readonly [string, string]> {
    for (const entry of this.#entries) yield [entry.name, entry.value];
  }

  /** Header lines, each ending with CRLF. */
  toString(): string {
    let text = "";
    for (const entry of this.#entries) text += `${wireName(entry.name)}: ${entry.value}\r\n`;
    return text;
  }

  #keep(predicate: (entry: Entry) => boolean): void {
    const kept = this.#entries.filter(predicate);
    this.#entries.length = 0;
    this.#entries.push(...kept);
  }
}
