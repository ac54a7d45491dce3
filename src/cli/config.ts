/** `linevoice config check|show`. */
import { settingsFromConfig } from "../app/settings-from-config.ts";
import { closedSecrets } from "../ops/config/open-secrets.ts";
import { plainStore } from "../ops/config/plain-store.ts";
import { showConfig } from "../ops/config/show.ts";
import { configFor } from "./operator.ts";
import { type Command, parse, table, WrongUsage } from "./usage.ts";
import { version } from "./version.ts";

export const configCommand: Command = {
  usage: ["config check [--json]", "config show [--json]"],
  async run(args, terminal) {
    const { values, words } = parse(args, {}, 1);
    const [action] = words;
    if (action !== "check" && action !== "show")
      throw new WrongUsage("Expected a subcommand: check or show.");
    const loaded = configFor(values.config, terminal);
    if (action === "check") {
      settingsFromConfig(loaded.config, {
        version,
        masterKey: new Uint8Array(32),
        dataDir: loaded.dataDir,
      });
      const found = [plainStore(loaded), closedSecrets(loaded)].flatMap((each) =>
        each ? [`${each.finding} ${each.remedy}`] : [],
      );
      const warnings = [...found, ...loaded.warnings];
      if (values.json) terminal.out(JSON.stringify({ ok: true, file: loaded.file, warnings }));
      else terminal.out(`${loaded.file ?? "the built-in defaults"}: valid.`);
      if (!values.json) for (const line of warnings) terminal.err(`warning: ${line}`);
      return 0;
    }
    const keys = showConfig(loaded);
    if (values.json) {
      terminal.out(JSON.stringify({ file: loaded.file, keys }));
      return 0;
    }
    const shown = (value: unknown) =>
      typeof value === "object" && JSON.stringify(value).length > 80
        ? `${Object.keys(value ?? {}).length} entries`
        : JSON.stringify(value);
    for (const line of table(keys.map(({ key, value, source }) => [key, shown(value), source])))
      terminal.out(line);
    return 0;
  },
};
