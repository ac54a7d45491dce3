/** Retention on a real database and real files: data stays 1 ms below each limit, and is deleted at it. */

import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Database } from "../../../src/core/database.ts";
import { silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { callAnnotationStore } from "../../../src/features/call-log/call-annotation-store.ts";
import { callHistoryStore } from "../../../src/features/call-log/call-history-store.ts";
import { Retention, type RetentionOptions } from "../../../src/features/privacy/retention.ts";
import { retentionStore } from "../../../src/features/privacy/retention-store.ts";
import {
  callComments,
  callMemories,
  callPurposes,
  calls,
  callTags,
  crmCache,
  crmPosts,
  deliveries,
  events,
  mails,
  outbox,
  pinAttempts,
  toolCalls,
  turns,
} from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NOW = 1_795_000_000_000;
const DAY_MS = 86_400_000;
const opened: { database: Database; stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const { database, stop } of opened.splice(0)) {
    await stop();
    await database.close();
  }
});

async function appliance(options: Partial<RetentionOptions> = {}) {
  const dataDir = tempDir();
  const recordingsDir = join(dataDir, "recordings");
  const outboxDir = join(dataDir, "outbox");
  mkdirSync(recordingsDir);
  mkdirSync(outboxDir);
  const database = await openTestDatabase(join(dataDir, "linevoice.db"), NOW);
  const clock = fakeClock(NOW);
  const retention = new Retention({
    expireRehearsals: () => 0,
    records: retentionStore,
    database,
    clock,
    log: silentLog,
    recordingsDir,
    outboxDir,
    transcriptsDays: 30,
    recordingsDays: 30,
    outboxDays: 7,
    ...options,
  });
  retention.start();
  opened.push({ database, stop: () => retention.stop() });
  return { database, clock, retention, recordingsDir, outboxDir };
}

const uuidOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

async function insertEnded(
  database: Database,
  tenantId: number,
  n: number,
  fields: Partial<typeof calls.$inferInsert>,
): Promise<string> {
  const callUuid = uuidOf(n);
  await database.tx(async (queries) => {
    const [call] = await queries
      .insert(calls)
      .values({
        callUuid,
        tenantId,
        direction: "inbound",
        status: "completed",
        fromNumber: "+37060000001",
        toNumber: "+37052000000",
        createdAt: 0,
        recordingStatus: "none",
        overageRate: microEur(0),
        cost: microEur(0),
        summary: "A visit was booked.",
        ...fields,
      })
      .returning({ id: calls.id });
    const callId = call?.id ?? 0;
    await queries.insert(turns).values({
      callId,
      turnIndex: 0,
      speaker: "customer",
      text: "My name is Ona.",
      startMs: 0,
      endMs: 900,
      interrupted: false,
    });
    await queries.insert(callTags).values({ tenantId, callId, tag: "Ona" });
    await queries.insert(callComments).values({ tenantId, callId, text: "Ona", createdAt: 0 });
    await queries.insert(toolCalls).values({
      callId,
      tool: "book",
      arguments: { name: "Ona" },
      ok: true,
      durationMs: 5,
      createdAt: 0,
    });
  });
  return callUuid;
}

async function transcriptOf(database: Database, tenantId: number, callUuid: string) {
  const history = callHistoryStore(database.read);
  const call = await history.find(tenantId, callUuid);
  const callId = call?.id ?? 0;
  const words = (await history.turns(callId)).map((turn) => turn.text);
  const [tool] = await history.toolCalls(callId);
  const annotations = callAnnotationStore(database.read);
  const added = [
    ...(await annotations.tagsOf(tenantId, callId)),
    ...(await annotations.commentsOf(tenantId, callId)).map(({ text }) => text),
  ];
  const expiredAt = call?.transcriptExpiredAt;
  return { words, added, arguments: tool?.arguments, expiredAt, call };
}

test("a transcript stays to its last millisecond and is deleted at the limit; the summary stays", async () => {
  const { database, retention } = await appliance();
  const tenantId = await insertTenant(database);
  const below = await insertEnded(database, tenantId, 1, { endedAt: NOW - 30 * DAY_MS + 1 });
  const at = await insertEnded(database, tenantId, 2, { endedAt: NOW - 30 * DAY_MS });
  const above = await insertEnded(database, tenantId, 3, { endedAt: NOW - 400 * DAY_MS });
  expect((await retention.run()).transcripts).toBe(2);
  expect(await transcriptOf(database, tenantId, below)).toMatchObject({
    words: ["My name is Ona."],
    added: ["Ona", "Ona"],
    arguments: { name: "Ona" },
    expiredAt: null,
  });
  for (const gone of [at, above])
    expect(await transcriptOf(database, tenantId, gone)).toMatchObject({
      words: [],
      added: [],
      arguments: {},
      expiredAt: NOW,
      call: { summary: "A visit was booked.", status: "completed" },
    });
  expect((await retention.run()).transcripts).toBe(0);
});

test("each paid block keeps the tenant's own transcripts 30 days longer, up to six months in all", async () => {
  const { database, retention } = await appliance();
  for (const blocks of [0, 1, 2, 3, 4, 5]) {
    const tenantId = await insertTenant(database, { retentionBlocks: blocks });
    const limitMs = (30 + 30 * blocks) * DAY_MS;
    const below = await insertEnded(database, tenantId, 2 * blocks, { endedAt: NOW - limitMs + 1 });
    const at = await insertEnded(database, tenantId, 2 * blocks + 1, { endedAt: NOW - limitMs });
    await retention.run();
    expect((await transcriptOf(database, tenantId, below)).expiredAt).toBeNull();
    expect((await transcriptOf(database, tenantId, at)).expiredAt).toBe(NOW);
  }
});

test("blocks extend a longer basic period to six months in all, and never shorten it", async () => {
  const longer = await appliance({ transcriptsDays: 90 });
  const tenantId = await insertTenant(longer.database, { retentionBlocks: 5 });
  const within = await insertEnded(longer.database, tenantId, 1, { endedAt: NOW - 179 * DAY_MS });
  const over = await insertEnded(longer.database, tenantId, 2, { endedAt: NOW - 180 * DAY_MS });
  await longer.retention.run();
  expect((await transcriptOf(longer.database, tenantId, within)).expiredAt).toBeNull();
  expect((await transcriptOf(longer.database, tenantId, over)).expiredAt).toBe(NOW);

  const year = await appliance({ transcriptsDays: 365 });
  const other = await insertTenant(year.database, { retentionBlocks: 1 });
  const kept = await insertEnded(year.database, other, 3, { endedAt: NOW - 364 * DAY_MS });
  await year.retention.run();
  expect((await transcriptOf(year.database, other, kept)).expiredAt).toBeNull();
});

test("a call in progress keeps its transcript, however old it is", async () => {
  const { database, retention } = await appliance();
  const tenantId = await insertTenant(database);
  const live = await insertEnded(database, tenantId, 1, { status: "in_progress", endedAt: null });
  await retention.run();
  expect((await transcriptOf(database, tenantId, live)).words).toHaveLength(1);
});

test("a recording is deleted at its limit, file and row; one needed by a mail waits", async () => {
  const { database, retention, recordingsDir } = await appliance();
  const tenantId = await insertTenant(database);
  const recorded = async (n: number, endedAt: number) => {
    const recordingFile = `${uuidOf(n)}.mp3`;
    writeFileSync(join(recordingsDir, recordingFile), "mp3");
    return insertEnded(database, tenantId, n, { endedAt, recordingStatus: "ready", recordingFile });
  };
  const below = await recorded(1, NOW - 30 * DAY_MS + 1);
  const at = await recorded(2, NOW - 30 * DAY_MS);
  const unmailed = await recorded(3, NOW - 31 * DAY_MS);
  const [mail] = await database.tx((queries) =>
    queries
      .insert(mails)
      .values({
        tenantId,
        key: "transcript:3",
        recipient: "a@example.com",
        subject: "s",
        body: "b",
        attachment: `${unmailed}.mp3`,
        status: "pending",
        attempts: 1,
        createdAt: NOW,
      })
      .returning({ id: mails.id }),
  );
  const stateOf = async (uuid: string) => {
    const call = await callHistoryStore(database.read).find(tenantId, uuid);
    const file = existsSync(join(recordingsDir, `${uuid}.mp3`));
    return { status: call?.recordingStatus, named: call?.recordingFile !== null, file };
  };
  expect((await retention.run()).recordings).toBe(1);
  expect(await stateOf(at)).toEqual({ status: "expired", named: false, file: false });
  for (const kept of [below, unmailed])
    expect(await stateOf(kept)).toEqual({ status: "ready", named: true, file: true });
  await database.tx((queries) =>
    queries
      .update(mails)
      .set({ status: "dead" })
      .where(eq(mails.id, mail?.id ?? 0)),
  );
  await retention.run();
  expect(await stateOf(unmailed)).toEqual({ status: "expired", named: false, file: false });
});

test("a crash between the deletion of file and row is repaired", async () => {
  const { database, retention } = await appliance();
  const tenantId = await insertTenant(database);
  const gone = await insertEnded(database, tenantId, 1, {
    endedAt: 0,
    recordingStatus: "ready",
    recordingFile: `${uuidOf(1)}.mp3`,
  });
  await retention.run();
  const call = await callHistoryStore(database.read).find(tenantId, gone);
  expect(call?.recordingStatus).toBe("expired");
});

test("unreferenced files are deleted after their time; files that are not recordings stay", async () => {
  const { database, retention, recordingsDir } = await appliance();
  const tenantId = await insertTenant(database);
  const old = (name: string, ageMs: number) => {
    const path = join(recordingsDir, name);
    writeFileSync(path, "audio");
    utimesSync(path, (NOW - ageMs) / 1000, (NOW - ageMs) / 1000);
    return path;
  };
  const orphan = old(`${uuidOf(1)}.wav`, 31 * DAY_MS);
  const young = old(`${uuidOf(2)}.wav`, 29 * DAY_MS);
  const foreign = old("notes.txt", 99 * DAY_MS);
  const inWork = old(`${uuidOf(3)}.wav`, 31 * DAY_MS);
  await insertEnded(database, tenantId, 3, {
    endedAt: NOW,
    recordingStatus: "processing",
    recordingFile: `${uuidOf(3)}.wav`,
  });
  expect((await retention.run()).orphan_files).toBe(1);
  expect([orphan, young, foreign, inWork].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test("delivery logs, events and mails are deleted at 30 days; unsent ones stay", async () => {
  const { database, retention } = await appliance();
  const tenantId = await insertTenant(database);
  const limit = NOW - 30 * DAY_MS;
  const event = (id: string, createdAt: number, status: "pending" | "delivered") =>
    database.tx(async (queries) => {
      const type = "call.ended";
      await queries.insert(events).values({ id, tenantId, type, body: "{}", createdAt });
      const [row] = await queries
        .insert(outbox)
        .values({
          tenantId,
          eventId: id,
          legacyUrl: "https://a.test",
          status,
          attempts: 1,
          createdAt,
        })
        .returning({ id: outbox.id });
      await queries.insert(deliveries).values({
        id: `del_${id}`,
        tenantId,
        outboxId: row?.id ?? null,
        eventId: id,
        type,
        attempt: 1,
        status: status === "pending" ? "failed" : "delivered",
        durationMs: 1,
        createdAt,
      });
    });
  await event("below", limit + 1, "delivered");
  await event("at", limit, "delivered");
  await event("stuck", limit - DAY_MS, "pending");
  const mail = (key: string, createdAt: number, status: "pending" | "sent" | "dead") =>
    database.tx((queries) =>
      queries.insert(mails).values({
        tenantId,
        key,
        recipient: "a@example.com",
        subject: "s",
        body: "Customer: Ona",
        status,
        attempts: 1,
        createdAt,
      }),
    );
  await mail("sent below", limit + 1, "sent");
  await mail("sent at", limit, "sent");
  await mail("dead at", limit, "dead");
  await mail("waiting", limit - DAY_MS, "pending");
  expect(await retention.run()).toMatchObject({ deliveries: 2, events: 1, mails: 2 });
  const left = {
    events: (await database.read.select().from(events)).map((row) => row.id),
    outbox: (await database.read.select().from(outbox)).map((row) => row.eventId),
    deliveries: (await database.read.select().from(deliveries)).map((row) => row.id),
    mails: (await database.read.select().from(mails)).map((row) => row.key),
  };
  expect(left).toEqual({
    events: ["below", "stuck"],
    outbox: ["below", "stuck"],
    deliveries: ["del_below"],
    mails: ["sent below", "waiting"],
  });
});

test("copies of transcripts in events, mails and mail files follow a shorter limit", async () => {
  const { database, retention, outboxDir } = await appliance({ transcriptsDays: 7 });
  const tenantId = await insertTenant(database);
  const at = NOW - 7 * DAY_MS;
  await database.tx(async (queries) => {
    await queries.insert(events).values([
      { id: "t-at", tenantId, type: "transcript.completed", body: "{}", createdAt: at },
      { id: "t-below", tenantId, type: "transcript.completed", body: "{}", createdAt: at + 1 },
      { id: "other", tenantId, type: "call.ended", body: "{}", createdAt: at },
    ]);
  });
  for (const [name, ageDays] of [
    ["old.eml", 8],
    ["young.eml", 6],
  ] as const) {
    const path = join(outboxDir, name);
    writeFileSync(path, "Subject: s");
    utimesSync(path, (NOW - ageDays * DAY_MS) / 1000, (NOW - ageDays * DAY_MS) / 1000);
  }
  expect(await retention.run()).toMatchObject({ events: 1, mail_files: 1 });
  expect((await database.read.select().from(events)).map((row) => row.id).sort()).toEqual([
    "other",
    "t-below",
  ]);
  expect(existsSync(join(outboxDir, "young.eml"))).toBe(true);
});

test.each([
  ["outbox_keep_days", { outboxDays: 3 }],
  ["the transcripts in them", { outboxDays: 30, transcriptsDays: 3 }],
])("mail files are deleted at the limit of %s: above and at it, not below", async (_, days) => {
  const { retention, outboxDir } = await appliance(days);
  for (const [name, agoMs] of [
    ["above.eml", 3 * DAY_MS + 1000],
    ["at.eml", 3 * DAY_MS],
    ["below.eml", 3 * DAY_MS - 1000],
    ["above.txt", 3 * DAY_MS + 1000],
  ] as const) {
    const path = join(outboxDir, name);
    writeFileSync(path, "Subject: s");
    utimesSync(path, (NOW - agoMs) / 1000, (NOW - agoMs) / 1000);
  }
  expect(await retention.run()).toMatchObject({ mail_files: 2 });
  expect(readdirSync(outboxDir).sort()).toEqual(["above.txt", "below.eml"]);
});

test("memories, PIN tries and CRM answers are deleted after 90 days, CRM messages after 30", async () => {
  const { database, retention } = await appliance();
  const tenantId = await insertTenant(database);
  await insertEnded(database, tenantId, 51, { endedAt: null, status: "queued" });
  await database.tx(async (queries) => {
    for (const [n, age] of [89, 90, 29, 30].entries()) {
      const at = NOW - age * DAY_MS;
      const callUuid = uuidOf(50 + n);
      const numberE164 = `+3706000000${n}`;
      const who = { tenantId, numberE164, callUuid };
      await queries
        .insert(callMemories)
        .values({ ...who, reason: "r", outcome: "o", attemptedAt: at });
      await queries
        .insert(callPurposes)
        .values({ tenantId, callUuid, reason: "r", origin: "api", createdAt: at });
      await queries.insert(pinAttempts).values({ ...who, ok: false, attemptedAt: at });
      await queries.insert(crmCache).values({ tenantId, numberE164, answer: {}, fetchedAt: at });
      const status = n === 3 ? "pending" : n === 1 ? "failed" : "delivered";
      await queries.insert(crmPosts).values({
        tenantId,
        callUuid,
        body: "{}",
        status,
        nextAttemptAt: at,
        createdAt: at,
        updatedAt: at,
      });
    }
  });
  expect(await retention.run()).toMatchObject({ memories: 1, crm_answers: 1, crm_messages: 2 });
  const numbers = async (table: typeof callMemories | typeof pinAttempts | typeof crmCache) =>
    (await database.read.select().from(table)).map((row) => row.numberE164.at(-1)).sort();
  for (const table of [callMemories, pinAttempts, crmCache])
    expect(await numbers(table)).toEqual(["0", "2", "3"]);
  const posts = await database.read.select().from(crmPosts);
  expect(posts.map(({ status }) => status).sort()).toEqual(["delivered", "pending"]);
  // The reason of a scheduled call stays, however old it is.
  expect(await database.read.select().from(callPurposes)).toHaveLength(4);
  await database.tx((queries) => queries.update(calls).set({ endedAt: NOW }));
  await retention.run();
  expect(await database.read.select().from(callPurposes)).toHaveLength(3);
});

test("a backlog is deleted in small transactions, and automatically every hour", async () => {
  const { database, clock } = await appliance({ batchMax: 3 });
  const tenantId = await insertTenant(database);
  for (let n = 0; n < 10; n++) await insertEnded(database, tenantId, n, { endedAt: 0 });
  const expired = async (passesMs = 20) => {
    await clock.advance(passesMs);
    const rows = await database.read.select({ at: calls.transcriptExpiredAt }).from(calls);
    return rows.filter((row) => row.at !== null).length;
  };
  expect(await expired()).toBe(0);
  await clock.advance(60_000);
  await eventually(async () => (await expired()) === 10, "the backlog is worked off");
  await insertEnded(database, tenantId, 10, { endedAt: 0 });
  await eventually(async () => (await expired(3_600_000)) === 11, "the next hour's work is done");
});
