/** The list of calls as a person reads it, on a database without an appliance. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { microEur } from "../../../src/core/money.ts";
import { createCallSearch } from "../../../src/features/call-log/call-search.ts";
import { calls, contacts, schedules, turns } from "../../../src/store/schema/index.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const uuidOf = (at: number) => `019bb1b2-0000-7000-8000-${String(at).padStart(12, "0")}`;

test("all live calls are at the top of the first page, and are not listed again", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const tenantId = await insertTenant(database);
  const rows = Array.from({ length: 30 }, (_, at) => ({
    tenantId,
    callUuid: uuidOf(at),
    direction: "inbound" as const,
    createdAt: at * 1000,
    fromNumber: "+37061234567",
    toNumber: "+37061234568",
    recordingStatus: "none" as const,
    overageRate: microEur(0),
    cost: microEur(0),
    status: at === 2 || at === 12 ? ("in_progress" as const) : ("completed" as const),
  }));
  await database.tx((queries) => queries.insert(calls).values(rows));
  const search = createCallSearch(database);
  const listed = async (offset: number, status?: "in_progress" | "completed") => {
    const found = await search.find(tenantId, { status }, "", { limit: 10, offset });
    return found.calls.map(({ callUuid }) => callUuid);
  };
  const pages = [await listed(0), await listed(10), await listed(20)];
  expect(pages[0]?.slice(0, 3)).toEqual([uuidOf(12), uuidOf(2), uuidOf(29)]);
  expect(pages.flat().toSorted()).toEqual(rows.map(({ callUuid }) => callUuid));
  expect(await listed(0, "in_progress")).toEqual([uuidOf(12), uuidOf(2)]);
  expect((await listed(0, "completed"))[0]).toBe(uuidOf(29));
  await database.close();
});

test("live calls come first, then the others, without those not due yet", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const tenantId = await insertTenant(database);
  const call = (
    at: number,
    status: "completed" | "in_progress" | "queued",
    scheduleId?: number,
  ) => ({
    tenantId,
    callUuid: uuidOf(at),
    direction: "inbound" as const,
    createdAt: at * 1000,
    fromNumber: "+37061234567",
    toNumber: "+37061234568",
    recordingStatus: "none" as const,
    overageRate: microEur(0),
    cost: microEur(0),
    status,
    scheduleId,
  });
  const schedule = (id: number, status: "pending" | "fired") => ({
    id,
    tenantId,
    callUuid: uuidOf(90 + id),
    toNumber: "",
    fromNumber: "",
    status,
    immediate: false,
    scheduleAt: 9_000_000,
    createdAt: 0,
  });
  await database.tx(async (queries) => {
    await queries.insert(schedules).values([schedule(1, "pending"), schedule(2, "fired")]);
    await queries
      .insert(calls)
      .values([
        ...[call(1, "in_progress"), call(2, "completed"), call(3, "completed", 2)],
        ...[call(4, "queued", 1), call(5, "queued", 2), call(6, "completed")],
      ]);
  });
  const latest = async (count: number) => {
    const found = await createCallSearch(database).latest(tenantId, count);
    return found.map(({ callUuid }) => callUuid);
  };
  expect(await latest(5)).toEqual([1, 6, 5, 3, 2].map(uuidOf));
  expect(await latest(2)).toEqual([1, 6].map(uuidOf));
  await database.close();
});

test("words are found without case and accents, in spoken words, summaries and names", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const tenantId = await insertTenant(database);
  const rows = Array.from({ length: 250 }, (_, at) => ({
    tenantId,
    callUuid: uuidOf(at),
    direction: "inbound" as const,
    createdAt: at * 1000,
    fromNumber: `+3706${1_000_000 + at}`,
    toNumber: "+37061234568",
    status: "completed" as const,
    overageRate: microEur(0),
    cost: microEur(0),
    recordingStatus: "none" as const,
    summary: at === 7 ? "About a GIRAFFE." : null,
  }));
  await database.tx(async (queries) => {
    const stored = await queries.insert(calls).values(rows).returning({ id: calls.id });
    const said = { speaker: "customer" as const, startMs: 0, endMs: 1, interrupted: false };
    await queries.insert(turns).values([
      { ...said, callId: stored[3]?.id ?? 0, turnIndex: 0, text: "Kur mano Sąskaita?" },
      { ...said, callId: stored[120]?.id ?? 0, turnIndex: 0, text: "Dvi SASKAITOS." },
    ]);
    await queries.insert(contacts).values({
      tenantId,
      numberE164: "+37061000009",
      firstName: "Žirafa",
      lastName: "Petraitienė",
      createdAt: 0,
      updatedAt: 0,
    });
  });
  const search = createCallSearch(database);
  const found = async (words: string) =>
    (await search.find(tenantId, {}, words, { limit: 10, offset: 0 })).calls.map(
      ({ callUuid, said, contactName }) => [callUuid, said, contactName],
    );
  expect(await found("saskait")).toEqual([
    [uuidOf(120), "Dvi SASKAITOS.", null],
    [uuidOf(3), "Kur mano Sąskaita?", null],
  ]);
  expect(await found("giraffe nobody")).toEqual([]);
  expect(await found("giraffe")).toEqual([[uuidOf(7), null, null]]);
  expect(await found("zirafa petr")).toEqual([[uuidOf(9), null, "Žirafa Petraitienė"]]);
  await database.close();
});
