/** The maximum of audit log entries per tenant: at it all stay, above it the newest. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { auditStore } from "../../../src/features/identity/audit-store.ts";
import { auditEntries } from "../../../src/store/schema/index.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("the oldest entries above the limit are deleted in batches, per tenant and without tenant", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const [full, atBound] = [await insertTenant(database), await insertTenant(database)];
  const write = (tenantId: number | null, at: number) =>
    database.tx((queries) =>
      auditStore(queries).insert({
        tenantId,
        userId: null,
        userEmail: null,
        action: "updateAgent",
        target: "/agents/1",
        ip: "",
        outcome: "done",
        details: null,
        at,
      }),
    );
  for (let at = 0; at < 6; at++)
    for (const tenantId of [full, null, ...(at < 3 ? [atBound] : [])]) await write(tenantId, at);
  const remove = () => database.tx((queries) => auditStore(queries).removeBeyond(3, 4));
  expect([await remove(), await remove(), await remove()]).toEqual([4, 2, 0]);
  const left = await database.read.select().from(auditEntries);
  const of = (tenantId: number | null) =>
    left.filter((entry) => entry.tenantId === tenantId).map(({ at }) => at);
  expect([of(full), of(atBound), of(null)]).toEqual([
    [3, 4, 5],
    [0, 1, 2],
    [3, 4, 5],
  ]);
  await database.close();
});
