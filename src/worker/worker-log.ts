/**
 * A `Log` that sends its lines to the main thread, which has the only logger. Personal data is
 * masked here.
 */
import { type Fields, type Log, Pii } from "../core/log.ts";
import type { CallWorkerEvents } from "./messages.ts";

type LogLine = CallWorkerEvents["log"];

export function createWorkerLog(post: (...line: LogLine) => void, bound: Fields = {}): Log {
  const write = (level: LogLine[0]) => (event: string, fields?: Fields) =>
    post(level, event, plain({ ...bound, ...fields }));
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (fields) => createWorkerLog(post, { ...bound, ...fields }),
  };
}

function plain(fields: Fields): LogLine[2] {
  const entries = Object.entries(fields).map(
    ([name, value]) => [name, value instanceof Pii ? value.toString() : (value ?? null)] as const,
  );
  return Object.fromEntries(entries);
}
