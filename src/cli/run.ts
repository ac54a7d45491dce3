/** argv → command → exit status: 0 done, 1 failed, 2 wrong usage. */
import { ConfigInvalid } from "../config/load.ts";
import { nearest } from "../config/nearest.ts";
import { AppError, describeError } from "../core/errors.ts";
import { backupCommand } from "./backup.ts";
import { callCommand } from "./call.ts";
import { campaignCommand } from "./campaign.ts";
import { checkoutCommand } from "./checkout.ts";
import { configCommand } from "./config.ts";
import { contactCommand } from "./contact.ts";
import { creditCommand } from "./credit.ts";
import { demoCommand } from "./demo.ts";
import { eraseCommand } from "./erase.ts";
import { exportCommand } from "./export.ts";
import { keyCommand } from "./key.ts";
import { logsCommand } from "./logs.ts";
import { migrateCommand } from "./migrate.ts";
import { readyCommand } from "./ready.ts";
import { restoreCommand } from "./restore.ts";
import { setupCommand } from "./setup.ts";
import { statementCommand } from "./statement.ts";
import { supportBundleCommand } from "./support-bundle.ts";
import { tenantCommand } from "./tenant.ts";
import { toolCommand } from "./tool.ts";
import { trunkCommand } from "./trunk.ts";
import { type Command, type Terminal, WrongUsage } from "./usage.ts";
import { userCommand } from "./user.ts";
import { versionCommand } from "./version.ts";

const doctorCommand: Command = {
  summary: "check everything a call needs; say how to mend what is wrong",
  usage: ["doctor [--json]"],
  run: async (args, terminal) =>
    await (await import("./doctor.ts")).doctorCommand.run(args, terminal),
};

/** The server is loaded only when it is asked for: other commands start faster. */
const serveCommand: Command = {
  summary: "run the appliance",
  usage: ["serve"],
  run: async (args, terminal) =>
    await (await import("./serve.ts")).serveCommand.run(args, terminal),
};

const commands = new Map<string, Command>([
  ["serve", serveCommand],
  ["demo", demoCommand],
  ["setup", setupCommand],
  ["tenant", tenantCommand],
  ["user", userCommand],
  ["key", keyCommand],
  ["trunk", trunkCommand],
  ["tool", toolCommand],
  ["contact", contactCommand],
  ["campaign", campaignCommand],
  ["credit", creditCommand],
  ["checkout", checkoutCommand],
  ["statement", statementCommand],
  ["call", callCommand],
  ["doctor", doctorCommand],
  ["ready", readyCommand],
  ["logs", logsCommand],
  ["config", configCommand],
  ["migrate", migrateCommand],
  ["backup", backupCommand],
  ["restore", restoreCommand],
  ["erase", eraseCommand],
  ["export", exportCommand],
  ["support-bundle", supportBundleCommand],
  ["version", versionCommand],
]);

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
  const command = commands.get(name === "--version" ? "version" : name);
  if (!command) {
    const near = nearest(name, [...commands.keys()]);
    terminal.err(`linevoice: there is no command ${name}.${near ? ` Did you mean ${near}?` : ""}`);
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

/** `--config FILE` may also stand before the command. */
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
  ...command.usage.map((line, index) => `${index === 0 ? "Usage:" : "      "} linevoice ${line}`),
  "",
  ...(command.notes ? [...command.notes, ""] : []),
  ...OPTIONS_HELP,
];

const overview = () => [
  "linevoice: AI voice agents on the telephone",
  "",
  ...[...commands].map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`),
  "",
  ...OPTIONS_HELP,
];

function report(error: unknown, command: Command, terminal: Terminal): number {
  if (error instanceof WrongUsage) {
    terminal.err(`linevoice: ${error.message}`);
    for (const line of usageOf(command).slice(0, command.usage.length)) terminal.err(line);
    return 2;
  }
  const message =
    error instanceof AppError
      ? error.publicMessage
      : error instanceof ConfigInvalid
        ? error.problems.join("\n")
        : describeError(error);
  terminal.err(error instanceof ConfigInvalid ? message : `linevoice: ${message}`);
  return 1;
}
