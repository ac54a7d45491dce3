/** Queries on a file: the form of parameters, without a change of values or loss of an index. */
import { Database as Sqlite } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eq, inArray, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { campaignStore } from "../../../src/features/campaign/campaign-store.ts";
import { outboxStore } from "../../../src/features/webhook/outbox-store.ts";
import { arg } from "../../../src/store/query/prepared.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { queriesOf } from "../../../src/store/sqlite/file-queries.ts";
import { watchStatements } from "../../support/store/statement-watch.ts";
import { tempDir } from "../../support/temp-dir.ts";

const things = sqliteTable("things", {
  id: integer("id").primaryKey(),
  name: text("name"),
  isOn: integer("is_on", { mode: "boolean" }),
});
const path = join(tempDir(), "linevoice.db");
const database = openDatabase(path, 0);
const sqlite = new Sqlite(":memory:", { strict: true });
sqlite.run("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, is_on INTEGER)");
const queries = queriesOf(sqlite);
afterAll(async () => {
  sqlite.close();
  await database.close();
});

test("every parameter is written +?, so that SQLite's plan does not depend on bound values", () => {
  const written = [
    queries.select().from(things).where(eq(things.id, 1)).limit(5).offset(2),
    queries
      .select()
      .from(things)
      .where(inArray(things.id, [1, 2])),
    queries
      .select()
      .from(things)
      .where(eq(things.name, arg("name")))
      .limit(arg("limit")),
    queries.insert(things).values({ id: 1, name: "a", isOn: true }),
    queries
      .update(things)
      .set({ name: sql`${arg("name")}` })
      .where(sql`json_extract('{}', ${"$.a"}) IS ${1}`),
    queries.delete(things).where(eq(things.isOn, false)),
  ].map((query) => query.toSQL().sql);
  for (const statement of written) {
    expect(statement).toContain("+?");
    expect(statement).not.toMatch(/[^+]\?/);
  }
});

test.each([
  [1, "text", true],
  [-1, "", false],
  [Number.MAX_SAFE_INTEGER, "1", null],
  [0, null, true],
])("values come back unchanged: %p, %p, %p", async (id, name, isOn) => {
  await queries.insert(things).values({ id, name, isOn });
  const found = queries
    .select()
    .from(things)
    .where(eq(things.id, arg("id")))
    .limit(arg("limit"));
  expect(await found.prepare().all({ id, limit: 1 })).toEqual([{ id, name, isOn }]);
  const types: unknown = await queries.get(
    sql`SELECT typeof(id) AS id, typeof(name) AS name FROM things WHERE id = ${id}`,
  );
  expect(types).toEqual(["integer", name === null ? "null" : "text"]);
});

test("bytes come back unchanged", async () => {
  const bytes = new Uint8Array([0, 255, 63]);
  const found: unknown = await queries.get(sql`SELECT ${bytes}, typeof(${bytes})`);
  expect(found).toEqual([bytes, "blob"]);
});

test("pending deliveries of an endpoint, and calls in progress, are found by their own indexes", async () => {
  const watch = watchStatements();
  await database.tx(async (q) => {
    await outboxStore(q).abandon(1, { webhookId: 1, legacyUrl: null });
    await outboxStore(q).abandon(1, { webhookId: null, legacyUrl: "https://a.example/" });
    await campaignStore(q).byCall("none");
    await campaignStore(q).due(1, 1, 1);
  });
  watch.stop();
  const plans = new Sqlite(path, { readonly: true });
  const used = [...watch.statements]
    .filter((statement) => /^(select|update)/.test(statement))
    .flatMap((statement) =>
      plans
        .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .map(({ detail }) => detail),
    );
  plans.close();
  expect(used).toEqual([
    expect.stringContaining("INDEX outbox_ready_webhook (webhook_id=?)"),
    expect.stringContaining("INDEX outbox_ready_legacy (legacy_url=?)"),
    expect.stringContaining("INDEX campaign_targets_calling (call_uuid=?)"),
    expect.stringContaining("campaigns USING INTEGER PRIMARY KEY"),
    expect.stringContaining("calls USING INDEX calls_uuid (call_uuid=?)"),
    expect.stringContaining(
      "INDEX campaign_targets_due (campaign_id=? AND status=? AND not_before<?)",
    ),
    "CORRELATED SCALAR SUBQUERY 1",
    expect.stringContaining("INDEX contacts_number"),
    "CORRELATED SCALAR SUBQUERY 2",
    expect.stringContaining("live USING INDEX campaign_targets_calling"),
  ]);
});
