/**
 * Keeps the newest log lines in memory for the operator's dashboard. Personal data is always masked here,
 * regardless of the log settings. Fixed size: a new line replaces the oldest. Debug lines are not stored.
 */
import type { Clock } from "../core/clock.ts";
import { type Fields, type Log, Pii } from "../core/log.ts";

export type LogLevel = "info" | "warn" | "error";

interface LogLine {
  readonly atMs: number;
  readonly level: LogLevel;
  readonly event: string;
  readonly callUuid: string | null;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

interface LogQuery {
  readonly limit: number;
  readonly offset: number;
  /** The lowest level to return. */
  readonly level?: "debug" | LogLevel;
  readonly callUuid?: string;
}

export interface LogRing {
  /** Wraps a log so that its lines are stored here as well. */
  through(log: Log): Log;
  /** Newest first. */
  read(query: LogQuery): { readonly lines: readonly LogLine[]; readonly total: number };
}

const LINES_MAX = 2000;
const TEXT_MAX = 500;
const RANK = { debug: 0, info: 1, warn: 2, error: 3 } as const;

export function createLogRing(clock: Clock): LogRing {
  const lines: (LogLine | undefined)[] = new Array(LINES_MAX);
  let written = 0;

  function append(level: LogLevel, event: string, fields: Fields): void {
    const { call_id: call, ...rest } = plain(fields);
    const callUuid = typeof call === "string" ? call : null;
    lines[written % LINES_MAX] = { atMs: clock.now(), level, event, callUuid, fields: rest };
    written++;
  }

  function through(log: Log, context: Fields = {}): Log {
    const write = (level: LogLevel) => (event: string, fields?: Fields) => {
      append(level, event, { ...context, ...fields });
      log[level](event, fields);
    };
    return {
      debug: (event, fields) => log.debug(event, fields),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      with: (fields) => through(log.with(fields), { ...context, ...fields }),
    };
  }

  function* newestFirst(): Generator<LogLine> {
    for (let at = written - 1; at >= 0 && at >= written - LINES_MAX; at--) {
      const line = lines[at % LINES_MAX];
      if (line) yield line;
    }
  }

  return {
    through: (log) => through(log),
    read({ limit, offset, level = "debug", callUuid }) {
      const matching = [...newestFirst()].filter(
        (line) =>
          RANK[line.level] >= RANK[level] && (callUuid === undefined || line.callUuid === callUuid),
      );
      return { lines: matching.slice(offset, offset + limit), total: matching.length };
    },
  };
}

function plain(fields: Fields): Record<string, string | number | boolean | null> {
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const shown = value instanceof Pii ? String(value) : value;
    return [[name, typeof shown === "string" ? shown.slice(0, TEXT_MAX) : shown] as const];
  });
  return Object.fromEntries(entries);
}
