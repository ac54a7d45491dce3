/**
 * The logging port. A line is an event name and fields. Personal data goes only into `pii(...)`
 * fields, which the logger masks unless the operator turns masking off (house rule 8).
 */
export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /** Returns a logger that adds these fields to every line, e.g. `{ call_id }`. */
  with(fields: Fields): Log;
}

export type Fields = Readonly<Record<string, string | number | boolean | null | undefined | Pii>>;

export class Pii {
  constructor(readonly value: string) {}
  toString(): string {
    return "«redacted»";
  }
  toJSON(): string {
    return this.toString();
  }
}

/** Marks a phone number, transcript, digits or prompt. */
export const pii = (value: string): Pii => new Pii(value);

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLog,
};
