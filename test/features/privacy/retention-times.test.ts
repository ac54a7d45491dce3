/** Age limits of deletions, rows per batch, and the start of a pass. */
import { expect, test } from "bun:test";
import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../../src/core/log.ts";
import { Retention } from "../../../src/features/privacy/retention.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempDir } from "../../support/temp-dir.ts";

const DAY_MS = 86_400_000;

function world(days: { transcripts: number; recordings: number; outbox: number }) {
  const clock = fakeClock();
  const asked: Record<string, unknown> = {};
  const passesAtMs: number[] = [];
  /** Row counts of the next batches. */
  const batches: number[] = [];
  const recordings: { tenantId: number; callUuid: string; file: string }[] = [];
  const expired: string[] = [];
  const daysBefore = (atMs: number) => (clock.now() - atMs) / DAY_MS;
  const records = () => ({
    async expireTranscripts(_nowMs: number, baseDays: number, limit: number) {
      passesAtMs.push(clock.elapsedMs);
      asked.transcripts = [baseDays, limit];
      return batches.shift() ?? 0;
    },
    async recordingsEndedBy(beforeMs: number) {
      asked.recordings = daysBefore(beforeMs);
      return recordings.splice(0);
    },
    markRecordingExpired: async (_tenantId: number, callUuid: string) =>
      void expired.push(callUuid),
    async deleteEvents(before: { anyMs: number; transcriptMs: number }, limit: number) {
      asked.events = [daysBefore(before.anyMs), daysBefore(before.transcriptMs), limit];
      return 0;
    },
    async deleteOld(what: string, beforeMs: number) {
      asked[what] = daysBefore(beforeMs);
      return 0;
    },
    isFileNeeded: async () => false,
  });
  const directory = tempDir();
  const [recordingsDir, outboxDir] = [join(directory, "recordings"), join(directory, "outbox")];
  for (const path of [recordingsDir, outboxDir]) mkdirSync(path);
  const retention = new Retention({
    expireRehearsals: () => 0,
    clock,
    records,
    log: silentLog,
    recordingsDir,
    outboxDir,
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
    transcriptsDays: days.transcripts,
    recordingsDays: days.recordings,
    outboxDays: days.outbox,
  } as unknown as ConstructorParameters<typeof Retention>[0]);
  /** A file of this age; the returned function says whether it still exists. */
  const file = (folder: "recordings" | "outbox", name: string, ageMs: number) => {
    const path = join(directory, folder, name);
    writeFileSync(path, "");
    const at = new Date(clock.now() - ageMs);
    utimesSync(path, at, at);
    return () => statSync(path, { throwIfNoEntry: false }) !== undefined;
  };
  return { clock, asked, passesAtMs, batches, retention, file, recordings, expired };
}

test("logs are deleted after 30 days, memories after 90, copies of a transcript together with it", async () => {
  const { asked, retention } = world({ transcripts: 10, recordings: 20, outbox: 7 });
  await retention.run();
  expect(asked).toEqual({
    transcripts: [10, 3],
    recordings: 20,
    deliveries: 30,
    events: [30, 10, 200],
    mails: 10,
    memories: 90,
    crm_answers: 90,
    crm_messages: 10,
    purposes: 90,
    pin_attempts: 90,
  });
  const longer = world({ transcripts: 60, recordings: 90, outbox: 7 });
  await longer.retention.run();
  expect(longer.asked).toMatchObject({ events: [30, 30, 200], mails: 30, crm_messages: 30 });
});

test("a pass runs a minute after the start and every hour", async () => {
  const { clock, passesAtMs, retention } = world({ transcripts: 1, recordings: 1, outbox: 1 });
  retention.start();
  await clock.advance(59_999);
  expect(passesAtMs).toEqual([]);
  await clock.advance(1);
  await retention.run();
  await clock.advance(3_540_000 - 1);
  expect(passesAtMs).toEqual([60_000]);
  await clock.advance(1);
  expect(passesAtMs).toEqual([60_000, 3_600_000]);
  await retention.stop();
});

test("a batch is three calls, followed by a pause of 20 ms; an incomplete batch is the last", async () => {
  const { clock, passesAtMs, batches, retention } = world({
    transcripts: 1,
    recordings: 1,
    outbox: 1,
  });
  batches.push(3, 2, 3);
  const report = retention.run();
  await eventually(() => clock.pendingTimers === 1, "the rest");
  await clock.advance(19);
  expect(passesAtMs).toEqual([0]);
  await clock.advance(1);
  expect((await report).transcripts).toBe(5);
  expect(passesAtMs).toEqual([0, 20]);
});

test("mail files are deleted after the outbox's days, unreferenced recordings after a day or more", async () => {
  const { retention, file } = world({ transcripts: 30, recordings: 0, outbox: 7 });
  const name = "0190a5f0-0000-7000-8000-000000000000.wav";
  const other = "0190a5f0-0000-7000-8000-000000000001.mp3";
  const files = [
    ...[file("outbox", "a.eml", 7 * DAY_MS), file("outbox", "b.eml", 7 * DAY_MS - 60_000)],
    ...[file("outbox", "c.txt", 9 * DAY_MS), file("recordings", name, DAY_MS)],
    ...[file("recordings", other, DAY_MS - 60_000), file("recordings", "notes.wav", 9 * DAY_MS)],
  ];
  const { mail_files, orphan_files } = await retention.run();
  expect([mail_files, orphan_files]).toEqual([1, 1]);
  expect(files.map((isThere) => isThere())).toEqual([false, true, true, false, true, true]);
});

test("a recording expires even if its file is already missing", async () => {
  const { retention, recordings, expired, file } = world({
    transcripts: 1,
    recordings: 1,
    outbox: 1,
  });
  const isThere = file("recordings", "there.mp3", 0);
  for (const name of ["gone", "there"])
    recordings.push({ tenantId: 1, callUuid: name, file: `${name}.mp3` });
  expect((await retention.run()).recordings).toBe(2);
  expect([expired, isThere()]).toEqual([["gone", "there"], false]);
});
