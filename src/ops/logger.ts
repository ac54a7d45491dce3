/**
 * The LogTape logger behind the port of core/log: readable text on a terminal, JSON lines otherwise. Lines go
 * to standard error, so that standard output contains only a command's data.
 *
 * In the journal each line has its priority (sd-daemon(3)), so that `journalctl -p warning` works. Fields
 * marked `pii` are masked unless the operator disabled that. Every line has a maximum length.
 */
import { fstatSync } from "node:fs";
import { configureSync, getLogger, type LogRecord, resetSync } from "@logtape/logtape";
import { type Fields, type Log, Pii } from "../core/log.ts";
import { visibleControls } from "../core/visible-controls.ts";

export interface LoggerSettings {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly format: "auto" | "pretty" | "json";
  readonly personalData: boolean;
  /** For `auto`: whether the output is a terminal, and the destination of lines. Default: standard error. */
  readonly isTerminal?: boolean;
  readonly write?: (line: string) => void;
}

const FIELD_CHARACTERS_MAX = 2000;
const LINE_CHARACTERS_MAX = 16_000;
const ROOT = "linevoice";

const COLOURS: Record<string, string> = {
  debug: "\x1b[2m",
  info: "\x1b[32m",
  warning: "\x1b[33m",
  error: "\x1b[31m",
};

const PRIORITIES: Record<string, string> = {
  debug: "<7>",
  info: "<6>",
  warning: "<4>",
  error: "<3>",
};

/** systemd.exec(5): device and inode of standard error, if that is the journal. */
function isJournal(stream = process.env.JOURNAL_STREAM): boolean {
  if (!stream) return false;
  const { dev, ino } = fstatSync(process.stderr.fd);
  return stream === `${dev}:${ino}`;
}

/** One logger per process: a later call replaces the settings of the earlier one. */
export function createLogger(settings: LoggerSettings): Log {
  const write = settings.write ?? ((line: string) => void process.stderr.write(line));
  const isTerminal = settings.isTerminal ?? process.stderr.isTTY === true;
  const pretty = settings.format === "pretty" || (settings.format === "auto" && isTerminal);
  const format = pretty ? prettyLine : jsonLine;
  const hasPriorities = settings.write === undefined && isJournal();
  const lineOf = (record: LogRecord) =>
    (hasPriorities ? (PRIORITIES[record.level] ?? "") : "") +
    format(record).slice(0, LINE_CHARACTERS_MAX);
  resetSync();
  configureSync({
    sinks: { lines: (record) => write(`${lineOf(record)}\n`) },
    loggers: [
      {
        category: [ROOT],
        lowestLevel: settings.level === "warn" ? "warning" : settings.level,
        sinks: ["lines"],
      },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["lines"] },
    ],
  });
  return logOf({}, settings.personalData);
}

function logOf(context: Fields, personalData: boolean): Log {
  const logger = getLogger([ROOT]);
  const plain = (fields: Fields = {}) => plainFields({ ...context, ...fields }, personalData);
  // LogTape would read `{` in an event name as a placeholder.
  const name = (event: string) => event.replaceAll("{", "{{").replaceAll("}", "}}");
  return {
    // Called per request and usually disabled, so the fields are converted only if needed.
    debug(event, fields) {
      if (logger.isEnabledFor("debug")) logger.debug(name(event), plain(fields));
    },
    info: (event, fields) => logger.info(name(event), plain(fields)),
    warn: (event, fields) => logger.warn(name(event), plain(fields)),
    error: (event, fields) => logger.error(name(event), plain(fields)),
    with: (fields) => logOf({ ...context, ...fields }, personalData),
  };
}

function plainFields(fields: Fields, personalData: boolean): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const shown = value instanceof Pii ? (personalData ? value.value : String(value)) : value;
    plain[key] = typeof shown === "string" ? shown.slice(0, FIELD_CHARACTERS_MAX) : shown;
  }
  return plain;
}

const levelOf = ({ level }: LogRecord) => (level === "warning" ? "warn" : level);
const eventOf = ({ message }: LogRecord) => message.map(String).join("");
const timeOf = ({ timestamp }: LogRecord) => new Date(timestamp).toISOString();

function jsonLine(record: LogRecord): string {
  const head = { time: timeOf(record), level: levelOf(record), event: eventOf(record) };
  return JSON.stringify({ ...record.properties, ...head });
}

function prettyLine(record: LogRecord): string {
  const colour = COLOURS[record.level] ?? "";
  const fields = Object.entries(record.properties)
    .map(([key, value]) => ` \x1b[2m${key}=\x1b[0m${printable(value)}`)
    .join("");
  const level = levelOf(record).toUpperCase().padEnd(5);
  return `${timeOf(record).slice(11, 23)} ${colour}${level}\x1b[0m ${eventOf(record)}${fields}`;
}

/** Text from the network must not contain terminal control characters. */
function printable(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return visibleControls(/[\s"\x00-\x1f]/.test(text) ? JSON.stringify(text) : text);
}
