/** Erasure of a person and export of a tenant's data: on real files, byte by byte. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Database } from "../../../src/core/database.ts";
import { microEur } from "../../../src/core/money.ts";
import { createAgentScenarios } from "../../../src/features/agent/agent-scenarios.ts";
import { createDoNotCallList } from "../../../src/features/contact/do-not-call.ts";
import { doNotCallStore } from "../../../src/features/contact/do-not-call-store.ts";
import { erasePerson } from "../../../src/features/privacy/erase-person.ts";
import { exportTenant } from "../../../src/features/privacy/export-tenant.ts";
import { scenarioReaderHere } from "../../../src/features/rehearsal/scenario-reader.ts";
import {
  agentScenarios,
  birthdayCalls,
  callComments,
  callDiagnostics,
  callMemories,
  callPurposes,
  calls,
  callTags,
  campaigns,
  campaignTargets,
  contacts,
  crmCache,
  crmPosts,
  events,
  mails,
  phoneNumbers,
  pinAttempts,
  schedules,
  toolCalls,
  turns,
} from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import {
  insertAgent,
  insertTenant,
  insertTool,
  insertWebhook,
} from "../../support/store/stored-rows.ts";
import { isRemote, openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const PERSON = "+37061234567";
const OTHER = "+37069999999";
const OWN = "+37052000000";
const SECRET_WORDS = "canary words of the caller";
const opened: Database[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

async function appliance() {
  const dataDir = tempDir();
  const recordingsDir = join(dataDir, "recordings");
  const outboxDir = join(dataDir, "outbox");
  mkdirSync(recordingsDir);
  mkdirSync(outboxDir);
  const databasePath = join(dataDir, "linevoice.db");
  const clock = fakeClock();
  const database = await openTestDatabase(databasePath, clock.now());
  opened.push(database);
  const doNotCallList = createDoNotCallList(doNotCallStore, new Uint8Array(32).fill(5), database);
  return { database, recordingsDir, outboxDir, databasePath, doNotCallList, clock, dataDir };
}

const uuidOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

async function insertCall(
  { database, recordingsDir, outboxDir }: Awaited<ReturnType<typeof appliance>>,
  tenantId: number,
  n: number,
  fields: Partial<typeof calls.$inferInsert>,
): Promise<string> {
  const callUuid = uuidOf(n);
  const recordingFile = `${callUuid}.mp3`;
  writeFileSync(join(recordingsDir, recordingFile), "mp3");
  writeFileSync(join(outboxDir, `2026-11-21T030000-${callUuid}.eml`), SECRET_WORDS);
  await database.tx(async (queries) => {
    const [call] = await queries
      .insert(calls)
      .values({
        callUuid,
        tenantId,
        direction: "inbound",
        status: "completed",
        createdAt: 0,
        fromNumber: PERSON,
        toNumber: OWN,
        endedAt: 1,
        summary: SECRET_WORDS,
        recordingStatus: "ready",
        recordingFile,
        overageRate: microEur(0),
        cost: microEur(1234),
        ...fields,
      })
      .returning({ id: calls.id });
    const callId = call?.id ?? 0;
    await queries.insert(turns).values({
      callId,
      turnIndex: 0,
      speaker: "customer",
      text: SECRET_WORDS,
      startMs: 0,
      endMs: 900,
      interrupted: false,
    });
    await queries.insert(callTags).values({ tenantId, callId, tag: SECRET_WORDS });
    await queries
      .insert(callComments)
      .values({ tenantId, callId, text: SECRET_WORDS, createdAt: 0 });
    await queries.insert(toolCalls).values({
      callId,
      tool: "book",
      arguments: { who: SECRET_WORDS },
      ok: true,
      durationMs: 5,
      createdAt: 0,
    });
    await queries.insert(events).values({
      id: `evt_${n}`,
      tenantId,
      type: "transcript.completed",
      callUuid,
      body: JSON.stringify({ text: SECRET_WORDS, from: fields.fromNumber ?? PERSON }),
      createdAt: 0,
    });
    await queries.insert(mails).values({
      tenantId,
      key: `transcript:${callUuid}`,
      callUuid,
      recipient: "a@example.com",
      subject: fields.fromNumber ?? PERSON,
      body: SECRET_WORDS,
      status: "pending",
      attempts: 0,
      createdAt: 0,
    });
  });
  return callUuid;
}

const insertSchedule = (database: Database, tenantId: number, callUuid: string, to: string) =>
  database.tx(async (queries) => {
    await queries.insert(schedules).values({
      tenantId,
      callUuid,
      toNumber: to,
      fromNumber: OWN,
      scheduleAt: 9e15,
      status: "pending",
      immediate: false,
      createdAt: 0,
    });
  });

const KNOWN = [
  ...["contacts", "call_memories", "call_purposes", "pin_attempts", "crm_cache", "crm_posts"],
  ...["campaigns", "campaign_targets", "birthday_calls"],
];
/** Places that contain a person, in addition to calls. */
const KNOWN_IN = [
  ...([contacts, callMemories, callPurposes, pinAttempts] as const),
  ...([crmCache, crmPosts, campaignTargets, birthdayCalls, agentScenarios] as const),
];

/** One row in each place, full of the person's data. */
const insertKnown = (database: Database, tenantId: number, numberE164: string, callUuid: string) =>
  database.tx(async (queries) => {
    const words = numberE164 === PERSON ? `${SECRET_WORDS} ${PERSON}` : `of ${numberE164}`;
    const times = { createdAt: 1, updatedAt: 1 };
    const [contact] = await queries
      .insert(contacts)
      .values({ tenantId, numberE164, firstName: words, notes: words, pinHash: "canary", ...times })
      .returning();
    const contactId = contact?.id ?? 0;
    await queries
      .insert(birthdayCalls)
      .values({ tenantId, contactId, year: 2026, state: "done", callUuid, ...times });
    await queries
      .insert(callMemories)
      .values({ tenantId, numberE164, callUuid, reason: words, outcome: words, attemptedAt: 1 });
    await queries
      .insert(callPurposes)
      .values({ tenantId, callUuid, reason: words, origin: "api", createdAt: 1 });
    await queries
      .insert(pinAttempts)
      .values({ tenantId, numberE164, callUuid, ok: false, attemptedAt: 1 });
    await queries
      .insert(crmCache)
      .values({ tenantId, numberE164, answer: { name: words }, fetchedAt: 1 });
    await queries
      .insert(crmPosts)
      .values({ tenantId, callUuid, body: words, status: "delivered", nextAttemptAt: 1, ...times });
    const [campaign] = await queries
      .insert(campaigns)
      .values({
        tenantId,
        name: "Check-ups",
        status: "finished",
        callingFrom: 0,
        callingTo: 60,
        concurrencyMax: 1,
        attemptsMax: 1,
        retryAfterMin: 5,
        ...times,
      })
      .returning();
    await queries.insert(campaignTargets).values({
      tenantId,
      campaignId: campaign?.id ?? 0,
      numberE164,
      variables: { name: words },
      status: "done",
      notBefore: 1,
      updatedAt: 1,
    });
  });

/** A scenario with the number in the caller's words. */
async function insertScenario(database: Database, tenantId: number, number: string) {
  const agentId = await insertAgent(database, tenantId);
  const grouped = number.replace(/(?=\d{5}$)/, " ");
  await database.tx((queries) =>
    queries.insert(agentScenarios).values({
      tenantId,
      agentId,
      name: "A",
      updatedAt: 1,
      yaml: `name: A\nscript: [{say: "Call ${number === PERSON ? SECRET_WORDS : ""} ${grouped}"}]`,
    }),
  );
}

test("no data of an erased person is left, in rows, files or free pages; others keep theirs", async () => {
  const world = await appliance();
  const { database, recordingsDir, databasePath } = world;
  const tenantId = await insertTenant(database);
  const erased = await insertCall(world, tenantId, 1, {});
  const outbound = { direction: "outbound", fromNumber: OWN, toNumber: PERSON } as const;
  await insertCall(world, tenantId, 2, outbound);
  const queued = await insertCall(world, tenantId, 3, { ...outbound, status: "queued" });
  await insertSchedule(database, tenantId, queued, PERSON);

  await insertKnown(database, tenantId, PERSON, erased);
  await insertKnown(database, tenantId, OTHER, uuidOf(900));
  const stranger = await insertTenant(database);
  await insertKnown(database, stranger, OTHER, uuidOf(901));
  await insertScenario(database, tenantId, PERSON);
  await insertScenario(database, tenantId, OTHER);
  await insertScenario(database, stranger, OTHER);
  const planned = await erasePerson(world, tenantId, PERSON, true);
  expect(planned).toEqual({
    dry_run: true,
    calls: 3,
    turns: 3,
    tool_calls: 3,
    events: 3,
    mails: 3,
    tags: 3,
    comments: 3,
    recordings: 3,
    mail_files: 3,
    schedules_cancelled: 1,
    rehearsals: 0,
    contacts: 1,
    memories: 1,
    pin_attempts: 1,
    crm_answers: 1,
    crm_messages: 1,
    campaign_targets: 1,
    scenarios: 1,
  });
  expect(existsSync(join(recordingsDir, `${erased}.mp3`))).toBe(true);
  expect(await erasePerson(world, tenantId, PERSON, false)).toEqual({ ...planned, dry_run: false });

  // A database server overwrites its pages in its own way.
  const files = isRemote ? [] : [databasePath, `${databasePath}-wal`];
  const bytes = files.map((path) => readFileSync(path, "latin1"));
  for (const text of [PERSON, SECRET_WORDS])
    expect([text, bytes.join("").includes(text)]).toEqual([text, false]);
  expect(existsSync(join(recordingsDir, `${erased}.mp3`))).toBe(false);
  for (const table of KNOWN_IN) {
    const kept = await database.read.select().from(table);
    expect(kept.map((row) => row.tenantId).sort()).toEqual([tenantId, stranger]);
  }
  const rows = await database.read.select().from(calls);
  expect(rows.map((row) => [row.status, row.cost, row.recordingStatus, row.recordingFile])).toEqual(
    [
      ["completed", microEur(1234), "expired", null],
      ["completed", microEur(1234), "expired", null],
      ["cancelled", microEur(0), "expired", null],
    ],
  );
  const [schedule] = await database.read.select().from(schedules);
  expect(schedule).toMatchObject({ status: "cancelled", toNumber: "" });
  expect((await erasePerson(world, tenantId, PERSON, false)).calls).toBe(0);
});

test("a caller with a short number is erased, but nobody whose number has the same digits", async () => {
  const world = await appliance();
  const { database } = world;
  const tenantId = await insertTenant(database);
  await insertCall(world, tenantId, 1, { fromNumber: "1001" });
  await insertCall(world, tenantId, 2, { fromNumber: "11001" });
  await insertCall(world, tenantId, 3, { fromNumber: "+37061001001" });
  await insertScenario(database, tenantId, "+37061001001");
  expect(await erasePerson(world, tenantId, "1001", false)).toMatchObject({
    calls: 1,
    scenarios: 0,
  });
  const rows = await database.read.select().from(calls);
  expect(rows.map(({ fromNumber }) => fromNumber)).toEqual(["", "11001", "+37061001001"]);
  for (const typo of ["1", "1001000", "37061001001", "+1001", "10 01", ""])
    await expect(erasePerson(world, tenantId, typo, false)).rejects.toThrow("2 to 6 digits");
});

test("a scenario made from a person's call is deleted with the call, though it does not contain the number", async () => {
  const world = await appliance();
  const { database } = world;
  const [tenantId, stranger] = [await insertTenant(database), await insertTenant(database)];
  const callUuid = await insertCall(world, tenantId, 1, {});
  const scenarios = createAgentScenarios({
    database,
    clock: fakeClock(),
    scenarioReader: scenarioReaderHere,
  });
  const yaml = (name: string, uuid: string) =>
    `name: ${name}\nfrom_call: ${uuid}\nscript: [{hang_up: true}]\nmust: [hello]\n`;
  const agentId = await insertAgent(database, tenantId);
  const other = await insertAgent(database, stranger);
  await scenarios.put(tenantId, agentId, yaml("Made", callUuid));
  await scenarios.put(tenantId, agentId, yaml("Else", uuidOf(77)));
  await scenarios.put(stranger, other, yaml("Theirs", callUuid));
  expect((await erasePerson(world, tenantId, PERSON, true)).scenarios).toBe(1);
  expect((await erasePerson(world, tenantId, PERSON, false)).scenarios).toBe(1);
  const names = async (tenant: number, agent: number) =>
    (await scenarios.list(tenant, agent)).map(({ name }) => name);
  expect([await names(tenantId, agentId), await names(stranger, other)]).toEqual([
    ["Else"],
    ["Theirs"],
  ]);
  await expect(scenarios.put(tenantId, agentId, yaml("Made", callUuid))).rejects.toMatchObject({
    field: "yaml",
  });
});

test("a number without its last digit deletes no other person's scenario", async () => {
  const world = await appliance();
  const tenantId = await insertTenant(world.database);
  await insertScenario(world.database, tenantId, PERSON);
  const typo = await erasePerson(world, tenantId, PERSON.slice(0, -1), true);
  const whole = await erasePerson(world, tenantId, PERSON, true);
  expect([typo.scenarios, whole.scenarios]).toEqual([0, 1]);
});

test("rows grown and pages split before an erasure keep no old copy", async () => {
  const world = await appliance();
  const { database, databasePath } = world;
  const tenantId = await insertTenant(database);
  for (let n = 1; n <= 300; n += 1) {
    const other = { fromNumber: `+3706${String(n).padStart(7, "0")}`, summary: null };
    await insertCall(world, tenantId, n, n % 3 === 0 ? { summary: null } : other);
    const grown = uuidOf(Math.max(1, n - 2));
    const summary = "what was said ".repeat(1 + (n % 29));
    await database.tx((queries) =>
      queries.update(calls).set({ summary }).where(eq(calls.callUuid, grown)),
    );
  }
  expect((await erasePerson(world, tenantId, PERSON, false)).calls).toBe(100);

  const files = isRemote ? [] : [databasePath, `${databasePath}-wal`];
  const bytes = files.map((path) => readFileSync(path, "latin1")).join("");
  expect(bytes.split(PERSON).length - 1).toBe(0);
});

test("a person who opted out is erased with the number, but still known as opted out", async () => {
  const world = await appliance();
  const { database, doNotCallList, databasePath } = world;
  const tenantId = await insertTenant(database);
  const stranger = await insertTenant(database);
  const erased = await insertCall(world, tenantId, 1, {});
  await insertKnown(database, tenantId, PERSON, erased);
  await insertKnown(database, tenantId, OTHER, uuidOf(900));
  await database.tx((queries) => queries.update(contacts).set({ doNotCall: true }));
  for (const dryRun of [true, false])
    expect(await erasePerson(world, tenantId, PERSON, dryRun)).toMatchObject({
      dry_run: dryRun,
      contacts: 1,
      do_not_call_kept: true,
    });
  expect(await doNotCallList.has(database.read, tenantId, PERSON)).toBe(true);
  expect(await doNotCallList.has(database.read, tenantId, OTHER)).toBe(false);
  expect(await doNotCallList.has(database.read, stranger, PERSON)).toBe(false);
  // A second erasure gives the same result.
  expect(await erasePerson(world, tenantId, PERSON, false)).toMatchObject({
    contacts: 0,
    do_not_call_kept: true,
  });
  const files = isRemote ? [] : [databasePath, `${databasePath}-wal`];
  for (const path of files) expect(readFileSync(path, "latin1")).not.toContain(PERSON);
  const withoutRefusal = await erasePerson(world, tenantId, "+37060000001", false);
  expect(withoutRefusal.do_not_call_kept).toBeUndefined();
});

test("measurements of an erased person's call are deleted too", async () => {
  const world = await appliance();
  const { database } = world;
  const tenantId = await insertTenant(database);
  await insertCall(world, tenantId, 1, {});
  await insertCall(world, tenantId, 2, { fromNumber: OTHER });
  await database.tx(async (queries) => {
    for (const { id } of await queries.select({ id: calls.id }).from(calls))
      await queries.insert(callDiagnostics).values({ callId: id, tenantId, sip: [], quality: [] });
  });
  await erasePerson(world, tenantId, PERSON, false);
  expect(await database.read.select().from(callDiagnostics)).toHaveLength(1);
});

test("other numbers and other tenants are not touched", async () => {
  const world = await appliance();
  const { database, recordingsDir } = world;
  const tenantId = await insertTenant(database);
  const stranger = await insertTenant(database);
  const kept = await insertCall(world, tenantId, 1, { fromNumber: OTHER });
  const foreign = await insertCall(world, stranger, 2, {});
  await insertSchedule(database, stranger, uuidOf(9), PERSON);
  await erasePerson(world, tenantId, PERSON, false);
  expect((await database.read.select().from(turns)).length).toBe(2);
  expect((await database.read.select().from(mails)).length).toBe(2);
  for (const uuid of [kept, foreign])
    expect(existsSync(join(recordingsDir, `${uuid}.mp3`))).toBe(true);
  const [schedule] = await database.read.select().from(schedules);
  expect(schedule).toMatchObject({ status: "pending", toNumber: PERSON });
});

test("a live call, a tenant's own number and an invalid number are refused, with nothing erased", async () => {
  const world = await appliance();
  const tenantId = await insertTenant(world.database);
  await insertCall(world, tenantId, 1, { status: "in_progress" });
  await insertCall(world, tenantId, 2, { fromNumber: OTHER, recordingStatus: "processing" });
  await world.database.tx(async (queries) => {
    await queries
      .insert(phoneNumbers)
      .values({ tenantId, numberE164: OWN, inboundEnabled: true, createdAt: 0 });
  });
  for (const [number, message] of [
    [PERSON, "Try again in a minute"],
    [OTHER, "Try again in a minute"],
    [OWN, "belongs to the tenant"],
    ["61234567", "E.164"],
  ] as const)
    await expect(erasePerson(world, tenantId, number, false)).rejects.toThrow(message);
  expect((await world.database.read.select().from(turns)).length).toBe(2);
});

// `linevoice export` reads the file itself.
if (!isRemote)
  test("an export has every row of the tenant, none of another's, and no secret", async () => {
    const world = await appliance();
    const { database, databasePath, dataDir } = world;
    const tenantId = await insertTenant(database, {
      name: "Mine",
      webhookSecretSealed: "canary-1",
    });
    const stranger = await insertTenant(database, { name: "Not mine" });
    await insertAgent(database, tenantId);
    await insertTool(database, tenantId, { secretSealed: "canary-2" });
    await insertWebhook(database, tenantId, { secretSealed: "canary-3" });
    await insertCall(world, tenantId, 1, {});
    await insertCall(world, stranger, 2, { fromNumber: OTHER });
    await insertKnown(database, tenantId, PERSON, uuidOf(1));
    await insertKnown(database, stranger, OTHER, uuidOf(2));
    const file = join(dataDir, "export.jsonl");
    const report = exportTenant(databasePath, tenantId, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, "utf8");
    const tables = text
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { table: string }).table);
    for (const table of [
      "tenants",
      "agents",
      "tools",
      "webhooks",
      "calls",
      "turns",
      "tool_calls",
      ...KNOWN,
    ])
      expect([table, tables.filter((name) => name === table).length]).toEqual([table, 1]);
    expect(Object.values(report.rows).reduce((sum, n) => sum + n, 0)).toBe(tables.length);
    expect(text).toContain(SECRET_WORDS);
    for (const hidden of ["canary-", "Not mine", OTHER]) expect(text).not.toContain(hidden);
    expect(() => exportTenant(databasePath, tenantId, file)).toThrow("already exists");
    expect(() => exportTenant(databasePath, 99, join(dataDir, "none"))).toThrow(
      "Tenant not found.",
    );
    const nowhere = join(dataDir, "no-such.db");
    expect(() => exportTenant(nowhere, tenantId, join(dataDir, "none"))).toThrow();
    expect(existsSync(nowhere)).toBe(false);
  });

test("a person whose recording is already deleted can be erased", async () => {
  const world = await appliance();
  const tenantId = await insertTenant(world.database);
  const callUuid = await insertCall(world, tenantId, 1, {});
  rmSync(join(world.recordingsDir, `${callUuid}.mp3`));
  expect(await erasePerson(world, tenantId, PERSON, false)).toMatchObject({ calls: 1 });
});
