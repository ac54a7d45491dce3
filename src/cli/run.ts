/**
 * argv → command → exit status: 0 success; 1 failure; 2 a fault that a restart does not fix (usage,
 * configuration, CPU).
 */

import { nearest } from "../core/did-you-mean.ts";
import { AppError, describeError } from "../core/errors.ts";
import { ConfigInvalid } from "../ops/config/config-invalid.ts";
import { commandNames, loadCommand, summaries } from "./commands.ts";
import { withoutJit } from "./disable-jit.ts";
import { fileProblem } from "./file-argument.ts";
import { CannotRunHere, type Command, type Terminal, WrongUsage } from "./usage.ts";

const OPTIONS_HELP = [
  "Every command takes --config FILE (default: /etc/linevoice/linevoice.toml, else",
  "./config/linevoice.toml, else built-in defaults) and --help.",
];

/** Never throws. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { name, args } = commandOf(argv);
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    for (const line of overview()) (name === undefined ? terminal.err : terminal.out)(line);
    return name === undefined ? 2 : 0;
  }
  const command = await withoutJit(() => loadCommand(name === "--version" ? "version" : name));
  if (!command) {
    const near = nearest(name, commandNames);
    terminal.err(`linevoice: unknown command ${name}.${near ? ` Did you mean ${near}?` : ""}`);
    terminal.err("See linevoice --help.");
    return 2;
  }
  if (args.includes("--help") || args.includes("-h")) {
    for (const line of usageOf(command)) terminal.out(line);
    return 0;
  }
  try {
    return await command.run(args, terminal);
  } catch (error) {
    return report(error, command, terminal);
  }
}

/** `--config FILE` may also precede the command. */
function commandOf(argv: readonly string[]) {
  const [first, second, ...rest] = argv;
  if (first === "--config" && second !== undefined) {
    const [name, ...args] = rest;
    return { name, args: [...args, "--config", second] };
  }
  if (first?.startsWith("--config=")) return { name: second, args: [...rest, first] };
  return { name: first, args: argv.slice(1) };
}

const usageOf = (command: Command) => [
  ...command.usage.map((line, index) => {
    const program = line.startsWith(" ") ? "         " : "linevoice";
    return `${index === 0 ? "Usage:" : "      "} ${program} ${line}`;
  }),
  "",
  ...(command.notes ? [...command.notes, ""] : []),
  ...OPTIONS_HELP,
];

const overview = () => [
  "linevoice: AI voice agents on the telephone",
  "",
  ...Object.entries(summaries).map(([name, summary]) => `  ${name.padEnd(9)} ${summary}`),
  "",
  ...OPTIONS_HELP,
];

function wordsOf(error: unknown): string {
  if (error instanceof AppError) return error.publicMessage;
  const { path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const file = dest ?? path;
  return (file === undefined ? null : fileProblem(error, file)) ?? describeError(error);
}

function report(error: unknown, command: Command, terminal: Terminal): number {
  if (error instanceof WrongUsage) {
    terminal.err(`linevoice: ${error.message}`);
    for (const line of usageOf(command).slice(0, command.usage.length)) terminal.err(line);
    return 2;
  }
  if (error instanceof ConfigInvalid) {
    terminal.err(error.problems.join("\n"));
    return 2;
  }
  terminal.err(`linevoice: ${wordsOf(error)}`);
  return error instanceof CannotRunHere ? 2 : 1;
}
