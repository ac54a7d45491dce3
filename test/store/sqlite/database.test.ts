/** Closing the connection to a database file. */
import { expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { scheduleStore } from "../../../src/features/schedule/schedule-store.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { openReadOnly } from "../../../src/store/sqlite/read-only.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Open files of this process below a directory. */
function openBelow(directory: string): string[] {
  const handles = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // closed meanwhile
    }
  });
  return handles.filter((path) => path.startsWith(directory));
}

test.skipIf(process.platform !== "linux")(
  "a closed database releases its files at once, whatever statements it has made",
  async () => {
    const directory = tempDir();
    const path = join(directory, "linevoice.db");
    const database = openDatabase(path, 0);
    const tenantId = await insertTenant(database);
    for (let n = 0; n < 50; n++) await database.read.select().from(tenants).limit(n);
    const filter = { exceptTenants: [], node: null, immediateOnly: false };
    await scheduleStore(database.read).firstDue(0, 0, 1, filter);
    await database.tx((queries) => scheduleStore(queries).claimDue("a", 0, 1, 10, filter));
    const beside = openReadOnly(path);
    expect(await beside.queries.select({ id: tenants.id }).from(tenants)).toEqual([
      { id: tenantId },
    ]);
    expect(openBelow(directory).length).toBeGreaterThan(2);
    beside.close();
    await database.close();
    expect(openBelow(directory)).toEqual([]);
    // A cached statement is closed too.
    expect(scheduleStore(database.read).firstDue(0, 0, 1, filter)).rejects.toThrow("closed");
    await database.close();
  },
);
