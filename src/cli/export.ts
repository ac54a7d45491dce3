/**
 * `linevoice export`: writes one tenant's data to a file. It only reads, also while a server runs.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import { exportTenant } from "../features/privacy/export-tenant.ts";
import { writeAsInvoker } from "./invoker-file.ts";
import { invokerConfig, requireDatabaseFile } from "./operator.ts";
import { type Command, idFrom, parse, required } from "./usage.ts";

export const exportCommand: Command = {
  usage: ["export --tenant ID --to FILE [--json]"],
  notes: [
    "Without secrets. The calls contain the names of recordings; copy the files from <data>/recordings.",
  ],
  async run(args, terminal) {
    const options = { tenant: { type: "string" }, to: { type: "string" } } as const;
    const { values } = parse(args, options, 0);
    const tenantId = idFrom(values.tenant, "--tenant");
    const file = resolve(terminal.cwd, required(values.to, "--to"));
    const { config, dataDir } = invokerConfig(values.config, terminal);
    requireDatabaseFile(config, "`linevoice export`");
    const database = `${dataDir}/linevoice.db`;
    if (!existsSync(database))
      throw new AppError({
        code: "not_found",
        publicMessage: `There is no database in ${dataDir}.`,
      });
    const made = await writeAsInvoker(dataDir, file, async (scratch) =>
      exportTenant(database, tenantId, scratch),
    );
    const report = { ...made, file };
    const total = Object.values(report.rows).reduce((sum, count) => sum + count, 0);
    terminal.out(values.json ? JSON.stringify(report) : `${file}: ${total} rows.`);
    return 0;
  },
};
