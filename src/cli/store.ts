/** `linevoice store copy`: moves the data from the file to a libSQL server, or back. */
import { resolve } from "node:path";
import { systemClock as clock } from "../core/clock.ts";
import { systemRandom as random } from "../core/random.ts";
import { copyStoreTo, type StorePlace } from "../ops/backup/copy-store.ts";
import { awaitDataDir } from "../ops/data-dir-lock.ts";
import { isDatabaseUrl } from "../platform/config/formats.ts";
import { action, commandOf } from "./actions.ts";
import { fileArgument } from "./file-argument.ts";
import { configFor } from "./operator.ts";
import { required, table } from "./usage.ts";

export const storeCommand = commandOf(
  "store",
  {
    copy: action({
      usage: ["store copy --to URL|FILE [--token-file F] [--json]"],
      options: { to: { type: "string" }, "token-file": { type: "string" } },
      async run({ values, terminal }) {
        const to = required(values.to, "--to");
        const tokenFile = values["token-file"];
        const token = tokenFile ? fileArgument(tokenFile, terminal).toString().trim() : null;
        const { config, dataDir } = configFor(values.config, terminal);
        const { database, auth_token: authToken } = config.storage;
        const from: StorePlace =
          database === "file" ? `${dataDir}/linevoice.db` : { url: database, authToken };
        const target: StorePlace = isDatabaseUrl(to)
          ? { url: to, authToken: token }
          : resolve(terminal.cwd, to);
        const lock = await awaitDataDir(dataDir, "command");
        try {
          const copied = await copyStoreTo(from, target, { clock, random });
          if (values.json) terminal.out(JSON.stringify({ to, tables: copied }));
          else
            for (const line of table([
              ["TABLE", "ROWS", "SHA-256"],
              ...copied.map((each) => [each.table, String(each.rows), each.sha256.slice(0, 16)]),
            ]))
              terminal.out(line);
          if (!values.json) terminal.out(`All rows in ${to} match the source.`);
          return 0;
        } finally {
          lock.release();
        }
      },
    }),
  },
  [
    "Copies the database in [storage] database into an empty store and compares all rows. Stop every node",
    "first. If the copy is interrupted, run it again. Then change [storage] database. master.key and recordings stay in place.",
  ],
);
