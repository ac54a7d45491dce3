/**
 * `linevoice logs`: the running server's newest lines; `--call` follows one call across all layers.
 */
import type { LogLine } from "../features/appliance/contract.ts";
import { asks, singleCommand } from "./actions.ts";

export const logsCommand = singleCommand(
  asks("logs.read", {
    usage: ["logs [--call UUID] [--level info|warn|error] [--limit N] [--json]"],
    fields: ["call", "level", "limit"],
    lines: (lines) => lines.map(inWords),
    jsonLines: true,
  }),
  [
    "Spoken words, phone numbers and secrets are masked. Older lines are in the journal: journalctl -u linevoice",
  ],
);

function inWords({ at, layer, level, text, fields }: LogLine): string {
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}=${typeof value === "string" ? quoted(value) : value}`);
  const mark = level === "info" ? " " : level === "warn" ? "!" : "✗";
  return [at, mark, layer.padEnd(8), text, ...shown].join(" ").trimEnd();
}

const quoted = (text: string) => (/[\s"]/.test(text) ? JSON.stringify(text) : text);
