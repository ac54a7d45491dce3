/** A `Log` whose lines go to the main thread, where the one logger is. Pii is masked here. */
import { type Fields, type Log, Pii } from "../../core/log.ts";
import type { FromCallWorker } from "./messages.ts";

type LogLine = Extract<FromCallWorker, { type: "log" }>;

export function createWorkerLog(post: (line: LogLine) => void, bound: Fields = {}): Log {
  const write = (level: LogLine["level"]) => (event: string, fields?: Fields) =>
    post({ type: "log", level, event, fields: plain({ ...bound, ...fields }) });
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (fields) => createWorkerLog(post, { ...bound, ...fields }),
  };
}

function plain(fields: Fields): LogLine["fields"] {
  const entries = Object.entries(fields).map(
    ([name, value]) => [name, value instanceof Pii ? value.toString() : (value ?? null)] as const,
  );
  return Object.fromEntries(entries);
}
