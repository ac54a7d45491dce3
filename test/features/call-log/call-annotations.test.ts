/** Tags and comments of calls, on a database without an appliance: limits, spelling, and ownership. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { AppError } from "../../../src/core/errors.ts";
import { createCallAnnotations } from "../../../src/features/call-log/call-annotations.ts";
import { callComments, calls, callTags, users } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const uuidOf = (at: number) => `019bb1b2-0000-7000-8000-${String(at).padStart(12, "0")}`;
const OWNER = { userId: 1, isOwner: true };

async function world() {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const [own, other] = [await insertTenant(database), await insertTenant(database)];
  for (const at of [1, 2]) await insertCall(database, own, uuidOf(at));
  await insertCall(database, other, uuidOf(3));
  const annotations = createCallAnnotations({ database, clock: fakeClock() });
  const idOf = async (at: number) => {
    const where = eq(calls.callUuid, uuidOf(at));
    const row = await database.read.select({ id: calls.id }).from(calls).where(where).get();
    return row?.id ?? 0;
  };
  return { database, own, other, annotations, idOf };
}

const refusalOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? (error.messageName.reason ?? error.code) : error;
};

test("a call accepts at most 20 tags; a repeated one does not count", async () => {
  const { annotations, own, database } = await world();
  const call = uuidOf(1);
  for (let at = 1; at <= 20; at++) await annotations.addTag(own, call, `Tag ${at}`);
  expect(await annotations.addTag(own, call, "  TAG   7 ")).toHaveLength(20);
  expect(await refusalOf(annotations.addTag(own, call, "Tag 21"))).toBe("tags_of_call");
  expect(await annotations.removeTag(own, call, "Tag 7")).toHaveLength(19);
  expect(await annotations.addTag(own, call, "Tag 21")).toHaveLength(20);
  await database.close();
});

test("a company has at most 200 different tags, which keep their first spelling", async () => {
  const { annotations, own, database, idOf } = await world();
  const callId = await idOf(1);
  const tagged = Array.from({ length: 199 }, (_, at) => ({ tenantId: own, callId, tag: `${at}` }));
  await database.tx((queries) => queries.insert(callTags).values(tagged));
  expect(await annotations.addTag(own, uuidOf(2), "Žalia")).toEqual(["Žalia"]);
  expect(await refusalOf(annotations.addTag(own, uuidOf(2), "New"))).toBe("tags_of_company");
  expect(await annotations.addTag(own, uuidOf(1), "ŽALIA").catch(() => null)).toBeNull();
  expect(await annotations.removeTag(own, uuidOf(2), "Žalia")).toEqual([]);
  expect((await annotations.tagsInUse(own)).length).toBe(199);
  await database.close();
});

test("a call accepts at most 200 comments", async () => {
  const { annotations, own, database, idOf } = await world();
  const callId = await idOf(1);
  const row = { tenantId: own, callId, text: "x", createdAt: 0 };
  await database.tx((queries) => queries.insert(callComments).values(Array(199).fill(row)));
  const [author] = await database.tx((queries) =>
    queries.insert(users).values({ email: "r@x.example", name: "Rasa", createdAt: 0 }).returning(),
  );
  const add = () => annotations.addComment(own, uuidOf(1), author?.id ?? 0, "y");
  await add();
  expect(await refusalOf(add())).toBe("comments_of_call");
  await database.close();
});

test("another company's owner neither sees nor changes a call's tags and comments", async () => {
  const { annotations, own, other, database } = await world();
  await annotations.addTag(own, uuidOf(1), "Ours");
  const { comments } = await annotations.of(own, uuidOf(1), OWNER);
  expect(comments).toEqual([]);
  for (const tried of [
    annotations.of(other, uuidOf(1), OWNER),
    annotations.addTag(other, uuidOf(1), "Theirs"),
    annotations.removeTag(other, uuidOf(1), "Ours"),
    annotations.addComment(other, uuidOf(1), 1, "Theirs"),
  ])
    expect(await refusalOf(tried)).toBe("not_found");
  expect(await annotations.tagsInUse(other)).toEqual([]);
  expect(await annotations.tagsInUse(own)).toEqual([{ tag: "Ours", calls: 1 }]);
  // The same word at both companies is two tags.
  await annotations.addTag(other, uuidOf(3), "OURS");
  expect(await annotations.tagsInUse(other)).toEqual([{ tag: "OURS", calls: 1 }]);
  await database.close();
});

test("a call with deleted words accepts nothing more", async () => {
  const { annotations, own, database } = await world();
  const where = eq(calls.callUuid, uuidOf(1));
  await database.tx((queries) =>
    queries.update(calls).set({ transcriptExpiredAt: 1 }).where(where),
  );
  expect(await refusalOf(annotations.addTag(own, uuidOf(1), "Late"))).toBe("words_gone");
  expect(await refusalOf(annotations.addComment(own, uuidOf(1), 1, "Late"))).toBe("words_gone");
  expect((await annotations.of(own, uuidOf(1), OWNER)).isOpen).toBe(false);
  await database.close();
});
