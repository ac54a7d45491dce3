/** The mail queue: delivery, retries, and mails that cannot be delivered. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Database, Queries } from "../../../src/core/database.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { MailQueue } from "../../../src/features/mail/mail-queue.ts";
import { mailStore } from "../../../src/features/mail/mail-store.ts";
import { buildMessage, type MailMessage } from "../../../src/features/mail/message.ts";
import type { MailDraft } from "../../../src/features/mail/ports.ts";
import {
  type MailProvider,
  MailRejected,
  MailTooLarge,
} from "../../../src/features/mail/provider.ts";
import { outboxProvider } from "../../../src/features/mail/providers/outbox.ts";
import { mails } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { decodeWords, readMail } from "../../support/http/mime.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(30_000);

const directory = tempDir();
const recordingsDir = join(directory, "recordings");
mkdirSync(recordingsDir);
const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(directory, "mail.db"), clock.now());
const tenantId = await insertTenant(database);
const workers: MailQueue[] = [];
const ATTACHMENT_BYTES_MAX = 50_000;
const ANSWER_MS_MAX = 60_000;
const linkOf = (callUuid: string) => `https://voice.example/api/v1/recordings/${callUuid}?signed`;

afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await database.close();
});

function startQueue(provider: MailProvider, changed: Partial<Database> = {}): MailQueue {
  const from = "Linevoice <calls@voice.example>";
  const options = {
    database: { ...database, ...changed },
    stores: mailStore,
    recordingsDir,
    from,
    log: silentLog,
    attachmentBytesMax: ATTACHMENT_BYTES_MAX,
    recordingLink: linkOf,
  };
  const queue = new MailQueue({ ...options, provider, clock, random: systemRandom });
  workers.push(queue);
  return queue;
}

function draft(fields: Partial<MailDraft> = {}): MailDraft {
  const callUuid = crypto.randomUUID();
  return {
    key: `transcript:${callUuid}`,
    callUuid,
    recipient: "desk@clinic.example",
    subject: "Įeinantis skambutis: +37060000001, звонок",
    body: "Eilutė ąčęėįšųūž\n.taškas pradžioje\nСтрока",
    attachment: null,
    ...fields,
  };
}

function recording(name: string, bytes = 50_000): Buffer {
  const content = randomBytes(bytes);
  writeFileSync(join(recordingsDir, name), content);
  return content;
}

async function enqueue(queue: MailQueue, mail: MailDraft): Promise<void> {
  await database.tx((queries) => queue.enqueue(queries, tenantId, mail));
  queue.wake();
}

const rowOf = async (mail: MailDraft) =>
  (await database.read.select().from(mails).where(eq(mails.key, mail.key)))[0];
const hasStatus = (mail: MailDraft, status: string) =>
  eventually(async () => (await rowOf(mail))?.status === status, `${status}`);

/** A provider whose hand-overs end as listed; all later ones succeed. */
function scripted(...outcomes: (Error | "never")[]) {
  const sent: string[] = [];
  const messages: MailMessage[] = [];
  const provider: MailProvider = {
    name: "outbox",
    answerMsMax: ANSWER_MS_MAX,
    async send(message, signal) {
      sent.push(message.messageId);
      messages.push(message);
      const outcome = outcomes.shift();
      if (outcome === "never")
        await new Promise((_, fail) => {
          signal.addEventListener("abort", () => fail(signal.reason), { once: true });
        });
      if (outcome instanceof Error) throw outcome;
    },
    async close() {},
  };
  return { provider, sent, messages };
}

describe("the mail queue", () => {
  test("notifies its listener although the reply of the store after the hand-over is lost", async () => {
    const name = "lost-answer.mp3";
    recording(name);
    let isLosing = false;
    const told: (string | null)[] = [];
    const { provider } = scripted();
    const send = provider.send;
    const queue = startQueue(
      {
        ...provider,
        async send(message, signal) {
          await send(message, signal);
          isLosing = true;
        },
      },
      {
        async tx<Result>(body: (queries: Queries) => Promise<Result>): Promise<Result> {
          const result = await database.tx(body);
          const isLost = isLosing;
          isLosing = false;
          if (isLost) throw new Error("the answer is lost");
          return result;
        },
      },
    );
    queue.onSent(async ({ attachment }) => void told.push(attachment));
    queue.start();
    const mail = draft({ attachment: name });
    await enqueue(queue, mail);
    await hasStatus(mail, "sent");
    queue.wake();
    await eventually(async () => (await rowOf(mail))?.attachment === null, "it is done");
    expect(told).toEqual([name]);
    await queue.stop();
  });

  test("writes an .eml whose text and MP3 read back unchanged, then notifies its listener once", async () => {
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

  test.each(["without an attachment", "with an attachment"])(
    "a server that hangs for one company's mail %s holds no other company's, and stops after its time",
    async (form) => {
      const attachment = form === "with an attachment" ? "hanging.mp3" : null;
      if (attachment) recording(attachment, 1_000);
      const others = [await insertTenant(database), await insertTenant(database)];
      const { provider, sent } = scripted("never");
      const queue = startQueue(provider);
      queue.start();
      const [hanging, next] = [draft({ attachment }), draft({ attachment })];
      await enqueue(queue, hanging);
      await eventually(async () => sent.length === 1, "it hangs");
      await enqueue(queue, next);
      for (const other of others) {
        const mail = draft({ attachment });
        await database.tx((queries) => queue.enqueue(queries, other, mail));
        queue.wake();
        await hasStatus(mail, "sent");
      }
      expect([(await rowOf(hanging))?.attempts, (await rowOf(next))?.status]).toEqual([
        0,
        "pending",
      ]);
      await clock.advance(ANSWER_MS_MAX + 1_000);
      await hasStatus(next, "sent");
      expect((await rowOf(hanging))?.lastError).toContain("did not accept the email within");
      await queue.stop();
      await database.tx((queries) => queries.delete(mails));
    },
  );

  test("at most four mails are sent at once", async () => {
    const { provider, sent } = scripted(...Array.from({ length: 4 }, () => "never" as const));
    const queue = startQueue(provider);
    queue.start();
    const waiting = draft();
    for (let company = 0; company < 5; company++) {
      const id = await insertTenant(database);
      const mail = company === 4 ? waiting : draft();
      await database.tx((queries) => queue.enqueue(queries, id, mail));
      queue.wake();
      await eventually(async () => sent.length === Math.min(company + 1, 4), `${company}`);
    }
    await Bun.sleep(50);
    expect(sent.length).toBe(4);
    await clock.advance(2 * ANSWER_MS_MAX);
    await hasStatus(waiting, "sent");
    await queue.stop();
    await database.tx((queries) => queries.delete(mails));
  });

  test("a mail whose transaction rolls back is never sent", async () => {
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

  test("retries with growing pauses under one Message-ID, then keeps the failed mail with its error", async () => {
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

  test("a mail that the provider rejects permanently is not retried and delays no other", async () => {
    const { provider, sent } = scripted(new MailRejected("no such user"));
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

  test("a provider that never answers times out, and the mail is retried later", async () => {
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

  test("stopping in mid-delivery leaves the mail pending, without counting the attempt, for the next start", async () => {
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

  test("after a crash between hand-over and deletion the next start finishes the mail", async () => {
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

  test("more mails than one query reads are all finished at the next start", async () => {
    const rows = Array.from({ length: 1_100 }, (_, at) => ({
      tenantId,
      key: `crashed:${at}`,
      recipient: "desk@clinic.example",
      subject: "",
      body: "",
      attachment: `crashed-${at}.mp3`,
      status: "sent" as const,
      attempts: 1,
      createdAt: clock.now(),
      sentAt: clock.now(),
    }));
    await database.tx(async (queries) => {
      while (rows.length > 0) await queries.insert(mails).values(rows.splice(0, 100));
    });
    const queue = startQueue(scripted().provider);
    const told = new Set<string | null>();
    queue.onSent(async ({ attachment }) => void told.add(attachment));
    queue.start();
    await eventually(() => told.size === 1_100, "all are told");
    await queue.stop();
  });

  test("if the recording file is missing, the transcript is sent without it", async () => {
    const mail = draft({ attachment: "gone.mp3" });
    const messages: unknown[] = [];
    const queue = startQueue({
      name: "outbox",
      answerMsMax: ANSWER_MS_MAX,
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

const WORDS = {
  attached: "ATTACHED",
  linked: "LINK {url}",
  gone: "GONE",
  notKept: "NOT KEPT",
  unreachable: "ELSEWHERE",
};

/** A mail with a recording of `bytes` bytes (null: no file), and the attempts to send it. */
async function handedOver(bytes: number | null, ...outcomes: Error[]) {
  const { provider, messages } = scripted(...outcomes);
  const queue = startQueue(provider);
  const told: (string | null)[] = [];
  queue.onSent(async ({ attachment }) => void told.push(attachment));
  queue.start();
  const name = `${crypto.randomUUID()}.mp3`;
  if (bytes !== null) recording(name, bytes);
  const mail = draft({ attachment: name, body: "TEXT\n\n", recordingWords: WORDS });
  await enqueue(queue, mail);
  await eventually(async () => (await rowOf(mail))?.status !== "pending", "over");
  await queue.stop();
  const row = await rowOf(mail);
  const tries = messages.map(({ key, text, attachment }) => ({
    key,
    text,
    bytes: attachment?.content.length ?? null,
  }));
  return { mail, name, row, told, tries };
}

describe("a recording", () => {
  test.each([ATTACHMENT_BYTES_MAX - 1, ATTACHMENT_BYTES_MAX])(
    "of %d bytes is attached: below the limit and at it",
    async (bytes) => {
      const { mail, name, row, told, tries } = await handedOver(bytes);
      expect(tries).toEqual([{ key: mail.key, text: "TEXT\n\nATTACHED\n", bytes }]);
      expect(told).toEqual([name]);
      expect(row).toMatchObject({ status: "sent", recordingForm: "attached" });
    },
  );

  test("above the limit is sent as a link, and the listener does not delete it", async () => {
    const { mail, row, told, tries } = await handedOver(ATTACHMENT_BYTES_MAX + 1);
    const text = `TEXT\n\nLINK ${linkOf(mail.callUuid ?? "")}\n`;
    expect(tries).toEqual([{ key: `${mail.key}:linked`, text, bytes: null }]);
    expect(told).toEqual([null]);
    expect(row).toMatchObject({ status: "sent", attempts: 0, recordingForm: "linked" });
  });

  test("above the limit is mentioned without a link if recordings are kept for 0 days", async () => {
    const message = (words: Partial<typeof WORDS>) => {
      const mail = draft({ recordingWords: { ...WORDS, ...words } });
      const queued = { ...mail, id: 1, tenantId, attempts: 0, createdAt: 0 };
      return buildMessage(
        { ...queued, recordingForm: "linked" },
        "a@b.example",
        recordingsDir,
        () => null,
      );
    };
    expect((await message({})).text).toEndWith("NOT KEPT\n");
    // A mail queued by an older version.
    expect((await message({ notKept: undefined })).text).toEndWith("GONE\n");
  });

  test("too large for the receiver is sent as a link at once", async () => {
    const { mail, row, told, tries } = await handedOver(1000, new MailTooLarge("552 too large"));
    expect(tries.map(({ bytes }) => bytes)).toEqual([1000, null]);
    expect(tries[1]?.text).toContain(linkOf(mail.callUuid ?? ""));
    expect(told).toEqual([null]);
    expect(row).toMatchObject({ status: "sent", attempts: 0, recordingForm: "linked" });
  });

  test("whose mail is refused even with a link fails permanently", async () => {
    const full = new MailTooLarge("552 mailbox full");
    const { row, told, tries } = await handedOver(1000, full, full);
    expect(tries).toHaveLength(2);
    expect(told).toEqual([]);
    expect(row).toMatchObject({ status: "dead", lastError: "552 mailbox full" });
  });

  test("with a missing file is reported as missing in the mail", async () => {
    const { tries } = await handedOver(null);
    expect(tries).toMatchObject([{ text: "TEXT\n\nGONE\n", bytes: null }]);
  });
});

describe("a hand-over that takes too long", () => {
  /** Accepts a message and does not answer until the test does. */
  function slow() {
    const tries: { readonly signal: AbortSignal; readonly settle: (error?: Error) => void }[] = [];
    const provider: MailProvider = {
      name: "smtp",
      answerMsMax: ANSWER_MS_MAX,
      send: (_message, signal) =>
        new Promise((resolve, reject) => {
          tries.push({ signal, settle: (error) => (error ? reject(error) : resolve()) });
        }),
      async close() {},
    };
    return { provider, tries };
  }

  test.each([
    ["without a recording", 0],
    ["with one, a minute a megabyte more", 25_000],
  ])("%s is aborted at its time limit, and retried after it has ended", async (_, bytes) => {
    const { provider, tries } = slow();
    const queue = startQueue(provider);
    queue.start();
    const name = `${crypto.randomUUID()}.mp3`;
    if (bytes > 0) recording(name, bytes);
    const mail = draft({ attachment: bytes > 0 ? name : null });
    await enqueue(queue, mail);
    await eventually(() => tries.length === 1, "under way");
    await clock.advance(ANSWER_MS_MAX + bytes * 0.06 - 1);
    expect(tries[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(tries[0]?.signal.aborted).toBe(true);
    // The aborted hand-over has not ended, so an hour later there is no retry.
    for (let minute = 0; minute < 60; minute++) {
      await clock.advance(60_000);
      await database.tx(async () => {});
    }
    expect(tries).toHaveLength(1);
    tries[0]?.settle(new Error("aborted"));
    await eventually(async () => (await rowOf(mail))?.attempts === 1, "given up");
    expect((await rowOf(mail))?.lastError).toContain("did not accept the email within");
    await eventually(async () => {
      await clock.advance(10_000);
      return tries.length === 2;
    }, "tried again");
    tries[1]?.settle();
    await hasStatus(mail, "sent");
    await queue.stop();
  });

  test("keeps its lease until it ends: another node does not take the mail", async () => {
    const { provider, tries } = slow();
    const queue = startQueue(provider);
    queue.start();
    recording("leased.mp3", 40_000);
    const mail = draft({ attachment: "leased.mp3" });
    await enqueue(queue, mail);
    await eventually(() => tries.length === 1, "under way");
    expect((await rowOf(mail))?.leaseUntil).toBeGreaterThanOrEqual(
      clock.now() + ANSWER_MS_MAX + 2_400,
    );
    tries[0]?.settle();
    await hasStatus(mail, "sent");
    await queue.stop();
  });

  test("does not delay mails without a recording", async () => {
    const { provider, tries } = slow();
    const queue = startQueue(provider);
    queue.start();
    recording("slow.mp3", 1_000);
    const large = draft({ attachment: "slow.mp3" });
    await enqueue(queue, large);
    await eventually(() => tries.length === 1, "under way");
    const small = draft();
    await enqueue(queue, small);
    await eventually(() => tries.length === 2, "the small one too");
    tries[1]?.settle();
    await hasStatus(small, "sent");
    tries[0]?.settle();
    await hasStatus(large, "sent");
    await queue.stop();
  });
});
