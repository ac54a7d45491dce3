/** Open calls of all tenants: heartbeats, and calls without a process. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { callStore } from "../../../src/call/store/call-store.ts";
import { calls } from "../../../src/store/schema/index.ts";
import { insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("a heartbeat updates the named open calls, and the others are returned as left", async () => {
  const database = await openTestDatabase(join(tempDir(), "calls.db"), 0);
  const tenants = [await insertTenant(database), await insertTenant(database)] as const;
  await insertCall(database, tenants[0], "one");
  await insertCall(database, tenants[1], "two");
  await insertCall(database, tenants[0], "over");
  await database.tx(async (queries) => {
    await queries.update(calls).set({ status: "completed" }).where(eq(calls.callUuid, "over"));
  });
  const left = async (...except: string[]) =>
    (await callStore(database.read).leftLive(except)).map(({ callUuid }) => callUuid).sort();
  expect(await left()).toEqual(["one", "two"]);
  expect(await left("one", "unknown")).toEqual(["two"]);
  expect(await left("one", "two")).toEqual([]);

  const beat = (uuids: string[]) =>
    database.tx((queries) => callStore(queries).heartbeat(uuids, 1234));
  expect(await beat(["one", "over", "unknown"])).toEqual(new Set(["one"]));
  const stored = await database.read
    .select({ uuid: calls.callUuid, heartbeatAt: calls.heartbeatAt })
    .from(calls)
    .orderBy(calls.callUuid);
  expect(stored.map(({ heartbeatAt }) => heartbeatAt)).toEqual([1234, null, null]);
  await database.close();
});
