/** Deletion of a recording after its mail was accepted: real store, real files, real outbox. */

import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { deleteMailedRecordings } from "../../../src/call/ended/mailed-recordings.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { MailQueue } from "../../../src/features/mail/mail-queue.ts";
import { mailStore } from "../../../src/features/mail/mail-store.ts";
import { outboxProvider } from "../../../src/features/mail/providers/outbox.ts";
import { recordingReady } from "../../../src/features/webhook/catalogue.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { createRecordingLinks } from "../../../src/http/recording-links.ts";
import { calls, mails as storedMails } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertCall, insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const LINK_MS = 15 * 60_000;
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function world() {
  const directory = tempDir();
  const recordingsDir = join(directory, "recordings");
  mkdirSync(recordingsDir);
  const clock = fakeClock();
  const database = await openTestDatabase(join(directory, "linevoice.db"), clock.now());
  const shared = { database, clock, log: silentLog, random: systemRandom };
  const links = createRecordingLinks(
    () => new Uint8Array(32),
    () => "https://voice.example",
    clock,
  );
  const mails = new MailQueue({
    ...shared,
    stores: mailStore,
    provider: outboxProvider(join(directory, "outbox")),
    recordingsDir,
    attachmentBytesMax: 1_000,
    from: "calls@voice.example",
    recordingLink: (callUuid) => links.urlFor(callUuid).url,
  });
  const settings = { recordingsDir } as Parameters<typeof deleteMailedRecordings>[0]["settings"];
  const start = (node = "A") =>
    deleteMailedRecordings({ ...shared, stores: callStores, links, mails, node, settings });
  const timer = start();
  mails.start();
  open.push(async () => {
    timer.cancel();
    await mails.stop();
    await database.close();
  });
  const sink = createEventSink({ ...shared, stores: webhookStores, wake: () => undefined });

  /** A call whose recording is announced and mailed; resolves when the mail is sent. */
  async function mailed(tenantId: number, bytes = 100, node = "A"): Promise<string> {
    const callUuid = crypto.randomUUID();
    await insertCall(database, tenantId, callUuid);
    const file = `${callUuid}.mp3`;
    writeFileSync(join(recordingsDir, file), new Uint8Array(bytes));
    await database.tx(async (queries) => {
      const recording = { recordingStatus: "ready", recordingFile: file, node } as const;
      await queries.update(calls).set(recording).where(eq(calls.callUuid, callUuid));
      const facts = { callUuid, agentId: null, direction: "inbound" } as const;
      const { url, expiresAtMs } = links.urlFor(callUuid);
      const announced = { url, expiresAtMs, durationMs: 1_000, format: "mp3" };
      await sink.emit(queries, tenantId, recordingReady(facts, announced));
      await mails.enqueue(queries, tenantId, {
        key: callUuid,
        callUuid,
        recipient: "desk@clinic.example",
        subject: "s",
        body: "b",
        attachment: file,
      });
    });
    mails.wake();
    await eventually(async () => {
      const rows = await database.read.select().from(storedMails);
      const mail = rows.find((row) => row.callUuid === callUuid);
      return mail?.status === "sent" && mail.attachment === null;
    }, "the mail is out");
    return callUuid;
  }

  const stateOf = async (callUuid: string): Promise<unknown[]> => {
    const rows = await database.read.select().from(calls).where(eq(calls.callUuid, callUuid));
    const isThere = existsSync(join(recordingsDir, `${callUuid}.mp3`));
    return [rows[0]?.recordingStatus, isThere];
  };
  return { clock, database, mailed, stateOf, start, recordingsDir };
}

const GONE = ["emailed_deleted", false];
const KEPT = ["ready", true];

test("the recording is deleted at once if no webhook got its link, otherwise when the link has expired", async () => {
  const { clock, database, mailed, stateOf } = await world();
  const told = await insertTenant(database);
  const url = "https://hooks.example/";
  await insertWebhook(database, told, { url, events: ["recording.ready"] });
  const untold = await insertTenant(database);
  await insertWebhook(database, untold, { url, events: ["call.ended"] });
  const [waits, goes] = [await mailed(told), await mailed(untold)];
  expect(await stateOf(goes)).toEqual(GONE);
  expect(await stateOf(waits)).toEqual(KEPT);
  await clock.advance(LINK_MS - 1);
  await database.tx(async () => {});
  expect(await stateOf(waits)).toEqual(KEPT);
  // The check runs every half minute.
  await clock.advance(30_000);
  await eventually(async () => (await stateOf(waits))[0] === "emailed_deleted", "deleted");
  expect(await stateOf(waits)).toEqual(GONE);
});

/** Passes only the requested rows on. */
function askedOf(announcedAt: number | null) {
  const clock = fakeClock();
  const asked: unknown[][] = [];
  const recordings = () => ({
    announcedAt: async () => announcedAt,
    async markMailed() {
      asked.push(["markMailed"]);
    },
    async deleteAt(_tenantId: number, _callUuid: string, atMs: number) {
      asked.push(["deleteAt", atMs]);
    },
    async dueForDeletion(_now: number, _node: string, most: number) {
      asked.push([clock.elapsedMs, most]);
      return [];
    },
  });
  let sent: (mail: object) => Promise<void> = async () => {};
  const timer = deleteMailedRecordings({
    clock,
    stores: { recordings },
    log: silentLog,
    node: "A",
    links: { validMs: LINK_MS },
    settings: { recordingsDir: tempDir() },
    database: { tx: (work: (queries: object) => Promise<void>) => work({}) },
    mails: { onSent: (listener: typeof sent) => (sent = listener) },
  } as unknown as Parameters<typeof deleteMailedRecordings>[0]);
  return {
    clock,
    asked,
    timer,
    sent: () => sent({ tenantId: 1, callUuid: "c", attachment: "c.mp3" }),
  };
}

test("one check deletes a hundred recordings at most, and checks run every 30 seconds", async () => {
  const { clock, asked, timer } = askedOf(null);
  await clock.advance(60_000);
  expect(asked).toEqual([
    [30_000, 100],
    [60_000, 100],
  ]);
  timer.cancel();
});

test("a recording whose link expires as the mail is sent is deleted with it", async () => {
  const nowMs = fakeClock().now();
  const outcomes = [nowMs - LINK_MS, nowMs - LINK_MS + 1].map(async (announcedAt) => {
    const { asked, timer, sent } = askedOf(announcedAt);
    await sent();
    timer.cancel();
    return asked;
  });
  expect(await Promise.all(outcomes)).toEqual([[["markMailed"]], [["deleteAt", nowMs + 1]]]);
});

test("a recording mailed as a link stays, even if a webhook got it", async () => {
  const { clock, database, mailed, stateOf } = await world();
  const callUuid = await mailed(await insertTenant(database), 1_001);
  await clock.advance(2 * LINK_MS);
  await database.tx(async () => {});
  expect(await stateOf(callUuid)).toEqual(KEPT);
});

test("a due recording is found after a restart, and only by its own node", async () => {
  const { clock, database, mailed, stateOf, start } = await world();
  const tenantId = await insertTenant(database);
  const subscription = { url: "https://hooks.example/", events: ["recording.ready"] };
  await insertWebhook(database, tenantId, subscription);
  const others = await mailed(tenantId, 100, "B");
  await clock.advance(LINK_MS + 30_000);
  await database.tx(async () => {});
  expect(await stateOf(others)).toEqual(KEPT);
  const restarted = start("B");
  await clock.advance(30_000);
  await eventually(async () => (await stateOf(others))[0] === "emailed_deleted", "deleted");
  expect(await stateOf(others)).toEqual(GONE);
  restarted.cancel();
});

test("a link is valid for the requested time, below its end and not at it", () => {
  const clock = fakeClock(1_795_000_000_000);
  const links = createRecordingLinks(
    () => new Uint8Array(32),
    () => "https://voice.example",
    clock,
  );
  for (const validMs of [LINK_MS, 30 * 86_400_000]) {
    const url = new URL(links.urlFor("call", validMs).url);
    const expires = Number(url.searchParams.get("expires"));
    const opens = () => links.verify("call", expires, url.searchParams.get("signature") ?? "");
    expect(expires * 1000 - clock.now()).toBe(validMs);
    clock.stepWallClock(validMs - 1);
    expect(opens()).toBe(true);
    clock.stepWallClock(1);
    expect(opens()).toBe(false);
  }
});
