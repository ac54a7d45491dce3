/** Call results of some tenants, for the operator's list of tenants. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { microEur } from "../../../src/core/money.ts";
import { tenantAdminStore } from "../../../src/features/tenant/tenant-admin-store.ts";
import { calls } from "../../../src/store/schema/index.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOUR_MS = 3_600_000;

test("each tenant has its own calls and latencies since then", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const busy = await insertTenant(database);
  const other = await insertTenant(database);
  const row = (tenantId: number, hour: number, latencyP95Ms: number | null) => ({
    tenantId,
    latencyP95Ms,
    createdAt: hour * HOUR_MS,
    callUuid: crypto.randomUUID(),
    direction: "inbound" as const,
    fromNumber: "",
    toNumber: "",
    status: "failed" as const,
    recordingStatus: "none" as const,
    overageRate: microEur(0),
    cost: microEur(0),
  });
  const rows = [row(busy, 1, 900), row(busy, 2, 300), row(busy, 3, null), row(other, 2, 700)];
  await database.tx((queries) => queries.insert(calls).values(rows));
  const store = tenantAdminStore(database.read);
  expect(await store.latenciesSince([busy, other], 2 * HOUR_MS)).toEqual([
    { tenantId: busy, latenciesMs: [300] },
    { tenantId: other, latenciesMs: [700] },
  ]);
  expect(await store.callsSince([busy, other], 2 * HOUR_MS)).toEqual([
    { tenantId: busy, calls: 2, failed: 2 },
    { tenantId: other, calls: 1, failed: 1 },
  ]);
  expect(await store.latenciesSince([other], 0)).toEqual([{ tenantId: other, latenciesMs: [700] }]);
  expect(await store.callsSince([other], 0)).toEqual([{ tenantId: other, calls: 1, failed: 1 }]);
  expect(await store.callsSince([], 0)).toEqual([]);
  await database.close();
});
