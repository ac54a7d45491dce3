/** `linevoice logs`: the running server's newest lines; `--call` follows one call across all layers. */
import type { LogLine } from "../interface/contracts/appliance.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, parse, WrongUsage } from "./usage.ts";

const LEVELS = ["info", "warn", "error"] as const;
const LIMIT_MAX = 2000;

export const logsCommand: Command = {
  usage: ["logs [--call UUID] [--level info|warn|error] [--limit N] [--json]"],
  notes: [
    "Without words, numbers and secrets. Older lines are in the journal: journalctl -u linevoice",
  ],
  async run(args, terminal) {
    const { values } = parse(
      args,
      {
        call: { type: "string" },
        level: { type: "string", default: "info" },
        limit: { type: "string", default: "200" },
      },
      0,
    );
    const level = LEVELS.find((name) => name === values.level);
    if (!level) throw new WrongUsage("--level is one of info, warn, error.");
    const limit = Number(values.limit);
    if (!/^\d{1,4}$/.test(values.limit) || limit < 1 || limit > LIMIT_MAX)
      throw new WrongUsage(`--limit is a whole number from 1 to ${LIMIT_MAX}.`);
    const call = values.call?.toLowerCase() ?? null;
    if (call !== null && !/^[0-9a-f-]{36}$/.test(call))
      throw new WrongUsage("--call is a call's UUID, as `GET /calls` shows it.");
    const lines = await operate(configFor(values.config, terminal), "logs.read", {
      ...{ call, level, limit },
    });
    for (const line of lines) terminal.out(values.json ? JSON.stringify(line) : inWords(line));
    return 0;
  },
};

function inWords({ at, layer, level, text, fields }: LogLine): string {
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}=${typeof value === "string" ? quoted(value) : value}`);
  const mark = level === "info" ? " " : level === "warn" ? "!" : "✗";
  return [at.slice(11, 23), mark, layer.padEnd(8), text, ...shown].join(" ").trimEnd();
}

const quoted = (text: string) => (/[\s"]/.test(text) ? JSON.stringify(text) : text);
