/** Cached reads are never older than a new read. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Database } from "../../src/core/database.ts";
import { createQueryCache } from "../../src/core/query-cache.ts";
import { tenants } from "../../src/store/schema/index.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { insertTenant } from "../support/store/stored-rows.ts";
import { tempDir } from "../support/temp-dir.ts";

async function opened() {
  const path = join(tempDir(), "linevoice.db");
  const database = openDatabase(path, 0);
  const tenantId = await insertTenant(database);
  let made = 0;
  const kept = createQueryCache(database);
  const nameOf = async () => {
    made++;
    const [row] = await database.read
      .select({ name: tenants.name })
      .from(tenants)
      .where(eq(tenants.id, tenantId));
    return row?.name;
  };
  return { path, database, tenantId, kept, nameOf, made: () => made };
}

const rename = (database: Database, tenantId: number, name: string) =>
  database.tx((queries) => queries.update(tenants).set({ name }).where(eq(tenants.id, tenantId)));

test("a second read before the next commit comes from the cache", async () => {
  const { database, kept, nameOf, made } = await opened();
  const first = await kept.read("name", nameOf);
  expect(await kept.read("name", nameOf)).toBe(first);
  expect(made()).toBe(1);
  await kept.read("another name", nameOf);
  expect(made()).toBe(2);
  await database.close();
});

test("after a commit the next read is of now", async () => {
  const { database, tenantId, kept, nameOf } = await opened();
  await kept.read("name", nameOf);
  for (const name of ["A", "B", "C"]) {
    await rename(database, tenantId, name);
    expect(await kept.read("name", nameOf)).toBe(name);
  }
  await database.close();
});

test("a commit of another process counts like one of this", async () => {
  const { path, database, tenantId, kept, nameOf } = await opened();
  await kept.read("name", nameOf);
  const other = openDatabase(path, 0);
  await rename(other, tenantId, "from elsewhere");
  expect(await kept.read("name", nameOf)).toBe("from elsewhere");
  await other.close();
  await database.close();
});

test("what a connection for reading writes by itself counts too", async () => {
  const { database, tenantId, kept, nameOf } = await opened();
  await kept.read("name", nameOf);
  await database.read.update(tenants).set({ name: "beside" }).where(eq(tenants.id, tenantId));
  expect(await kept.read("name", nameOf)).toBe("beside");
  await database.close();
});

test("a read during which something was committed is not kept for after it", async () => {
  const { database, tenantId, kept, nameOf } = await opened();
  const old = await kept.read("name", async () => {
    const before = await nameOf();
    await rename(database, tenantId, "meanwhile");
    return before;
  });
  expect(old).not.toBe("meanwhile");
  expect(await kept.read("name", nameOf)).toBe("meanwhile");
  await database.close();
});

test("a failure is not kept, and a thousand names take no more room than a bounded few", async () => {
  const { database, kept, nameOf, made } = await opened();
  const failing = kept.read("name", () => Promise.reject(new Error("once")));
  expect(failing).rejects.toThrow("once");
  await failing.catch(() => undefined);
  for (let n = 0; n < 1000; n++) await kept.read(`name ${n}`, nameOf);
  await kept.read("name 0", nameOf);
  expect(made()).toBe(1001);
  await kept.read("name 999", nameOf);
  expect(made()).toBe(1001);
  await database.close();
});

test("if the database does not report its version, each read is new", async () => {
  const { database, nameOf, made } = await opened();
  const kept = createQueryCache({ ...database, version: () => null });
  await kept.read("name", nameOf);
  await kept.read("name", nameOf);
  expect(made()).toBe(2);
  await database.close();
});
