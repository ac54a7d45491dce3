/** The mail queue: what is handed over, when again, and what is left when it cannot be. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { createMailQueue, type MailWorker } from "../../../src/mail/mail-queue.ts";
import type { MailDraft } from "../../../src/mail/ports.ts";
import { type MailProvider, MailRefused } from "../../../src/mail/provider.ts";
import { outboxProvider } from "../../../src/mail/providers/outbox.ts";
import { mailStore } from "../../../src/store/mail-store.ts";
import { mails } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { decodeWords, readMail } from "../../support/mime.ts";
import { insertTenant } from "../../support/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openTestDatabase } from "../../support/test-store.ts";

setDefaultTimeout(30_000);

const directory = tempDir();
const recordingsDir = join(directory, "recordings");
mkdirSync(recordingsDir);
const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(directory, "mail.db"), clock.now());
const tenantId = await insertTenant(database);
const workers: MailWorker[] = [];

afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await database.close();
});

function startQueue(provider: MailProvider): MailWorker {
  const from = "Linevoice <calls@voice.example>";
  const options = { database, stores: mailStore, recordingsDir, from, log: silentLog };
  const queue = createMailQueue({ ...options, provider, clock, random: systemRandom });
  workers.push(queue);
  return queue;
}

function draft(fields: Partial<MailDraft> = {}): MailDraft {
  const callUuid = crypto.randomUUID();
  return {
    key: `transcript:${callUuid}`,
    callUuid,
    recipient: "desk@clinic.example",
    subject: "Skambutis iš +37060000001, звонок",
    body: "Eilutė ąčęėįšųūž\n.taškas pradžioje\nСтрока",
    attachment: null,
    ...fields,
  };
}

function recording(name: string): Buffer {
  const content = randomBytes(50_000);
  writeFileSync(join(recordingsDir, name), content);
  return content;
}

async function enqueue(queue: MailWorker, mail: MailDraft): Promise<void> {
  await database.tx((queries) => queue.enqueue(queries, tenantId, mail));
  queue.wake();
}

const rowOf = async (mail: MailDraft) =>
  (await database.read.select().from(mails).where(eq(mails.key, mail.key)))[0];
const hasStatus = (mail: MailDraft, status: string) =>
  eventually(async () => (await rowOf(mail))?.status === status, `${status}`);

/** A provider that answers as the list says, then accepts. */
function scripted(...outcomes: (Error | "never")[]) {
  const sent: string[] = [];
  const provider: MailProvider = {
    name: "outbox",
    async send(message) {
      sent.push(message.messageId);
      const outcome = outcomes.shift();
      if (outcome === "never") await new Promise(() => {});
      if (outcome instanceof Error) throw outcome;
    },
    async close() {},
  };
  return { provider, sent };
}

describe("the mail queue", () => {
  test("leaves an .eml whose text and MP3 read back as they were, then tells whoever listens, once", async () => {
    const outbox = join(directory, "outbox");
    const queue = startQueue(outboxProvider(outbox));
    const told: unknown[] = [];
    queue.onSent(async (mail) => {
      expect(existsSync(join(recordingsDir, mail.attachment ?? ""))).toBe(true);
      rmSync(join(recordingsDir, mail.attachment ?? ""));
      told.push(mail);
    });
    queue.start();
    const content = recording("a.mp3");
    const mail = draft({ attachment: "a.mp3" });
    await enqueue(queue, mail);
    await eventually(async () => told.length === 1, "handed over");
    const files = readdirSync(outbox);
    expect(files).toEqual([`2026-11-21T040506-${mail.callUuid}.eml`]);
    const read = readMail(readFileSync(join(outbox, files[0] ?? ""), "latin1"));
    expect(decodeWords(read.headers.subject ?? "")).toBe(mail.subject);
    expect(read.headers).toMatchObject({
      from: "Linevoice <calls@voice.example>",
      to: "desk@clinic.example",
    });
    expect(read.text.replaceAll("\r\n", "\n")).toBe(mail.body);
    expect(read.attachment?.type).toBe("audio/mpeg");
    expect(read.attachment?.filename).toMatch(/^call-2026-11-21-0405-[0-9a-f]{8}\.mp3$/);
    expect(read.attachment?.content.equals(content)).toBe(true);
    expect(told).toEqual([{ tenantId, callUuid: mail.callUuid, attachment: "a.mp3" }]);
    await eventually(async () => (await rowOf(mail))?.attachment === null, "settled");
    await enqueue(queue, mail);
    await queue.stop();
    expect(readdirSync(outbox).length).toBe(1);
  });

  test("a mail that rolls back with its change is never sent", async () => {
    const { provider, sent } = scripted();
    const queue = startQueue(provider);
    queue.start();
    const failing = database.tx(async (queries) => {
      await queue.enqueue(queries, tenantId, draft());
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    queue.wake();
    await queue.stop();
    expect(sent).toEqual([]);
  });

  test("retries with growing pauses under one Message-ID, then keeps it dead with its error", async () => {
    const outage = Array.from({ length: 8 }, () => new Error("out of reach"));
    const { provider, sent } = scripted(...outage);
    const queue = startQueue(provider);
    queue.start();
    const mail = draft();
    await enqueue(queue, mail);
    for (let attempt = 1; attempt <= 8; attempt++) {
      await eventually(async () => (await rowOf(mail))?.attempts === attempt, `try ${attempt}`);
      const row = await rowOf(mail);
      if (attempt < 8) clock.stepWallClock((row?.nextAttemptAt ?? 0) - clock.now());
      queue.wake();
    }
    expect(await rowOf(mail)).toMatchObject({ status: "dead", lastError: "out of reach" });
    expect(sent.length).toBe(8);
    expect(new Set(sent).size).toBe(1);
    await queue.stop();
  });

  test("what the provider refuses for good is not tried again, and holds up no other", async () => {
    const { provider, sent } = scripted(new MailRefused("no such user"));
    const queue = startQueue(provider);
    queue.start();
    const refused = draft();
    const fine = draft();
    await enqueue(queue, refused);
    await enqueue(queue, fine);
    await hasStatus(refused, "dead");
    await hasStatus(fine, "sent");
    expect(sent.length).toBe(2);
    await queue.stop();
  });

  test("a provider that never answers is given up on and tried again later", async () => {
    const { provider } = scripted("never");
    const queue = startQueue(provider);
    queue.start();
    const mail = draft();
    await enqueue(queue, mail);
    await eventually(async () => {
      await clock.advance(10_000);
      return (await rowOf(mail))?.status === "sent";
    }, "sent in the end");
    expect((await rowOf(mail))?.attempts).toBe(1);
    await queue.stop();
  });

  test("stopping in the middle leaves the mail pending, uncounted, for the next start", async () => {
    const { provider, sent } = scripted("never");
    const queue = startQueue(provider);
    queue.start();
    const mail = draft();
    await enqueue(queue, mail);
    await eventually(async () => sent.length === 1, "under way");
    const stopping = queue.stop();
    await clock.advance(5000);
    await stopping;
    expect(await rowOf(mail)).toMatchObject({ status: "pending", attempts: 0, leaseOwner: null });
    const next = startQueue(scripted().provider);
    next.start();
    await hasStatus(mail, "sent");
    await next.stop();
  });

  test("a crash between hand-over and deletion is made up for at the next start", async () => {
    const mail = draft({ attachment: "left.mp3" });
    const before = startQueue(scripted().provider);
    before.onSent(async () => {
      throw new Error("the process died here");
    });
    before.start();
    recording("left.mp3");
    await enqueue(before, mail);
    await hasStatus(mail, "sent");
    await before.stop();
    const { provider, sent } = scripted();
    const after = startQueue(provider);
    const told: (string | null)[] = [];
    after.onSent(async ({ attachment }) => void told.push(attachment));
    after.start();
    await eventually(() => told.length === 1, "told at start");
    await eventually(async () => (await rowOf(mail))?.attachment === null, "settled");
    expect(told).toEqual(["left.mp3"]);
    expect(sent).toEqual([]);
    await after.stop();
  });

  test("a recording that is gone leaves the transcript to be sent without it", async () => {
    const mail = draft({ attachment: "gone.mp3" });
    const messages: unknown[] = [];
    const queue = startQueue({
      name: "outbox",
      send: async (message) => void messages.push(message.attachment),
      close: async () => {},
    });
    queue.start();
    await enqueue(queue, mail);
    await hasStatus(mail, "sent");
    expect(messages).toEqual([null]);
    await queue.stop();
  });
});
