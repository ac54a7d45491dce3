/**
 * The mail queue: mails are stored with the change they report and handed to the provider one by one.
 *
 * At least once: a mail stays pending until the provider has accepted it. After a crash right then it
 * is sent again with the same Message-ID and key. What follows a hand-over (the recording is deleted)
 * is made up for at the next start when a crash came between.
 *
 *   pending ──accepted──► sent
 *      │ └─failed, attempts left──► pending (later)
 *      └─failed for good, or none left──► dead (kept, with its error)
 */
import { type Clock, sleep, type Timer } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { Database } from "../store/database.ts";
import { buildMessage } from "./message.ts";
import type { MailQueue } from "./ports.ts";
import { type MailProvider, MailRefused } from "./provider.ts";
import type { MailStores, QueuedMail } from "./stores.ts";

export interface MailQueueOptions {
  readonly database: Database;
  readonly stores: MailStores;
  readonly provider: MailProvider;
  /** Attachments are files in here. */
  readonly recordingsDir: string;
  /** `Linevoice <calls@example.com>` or a bare address. */
  readonly from: string;
  /** Several nodes share the store: this one's name. Missing: it is alone. */
  readonly node?: string | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface MailWorker extends MailQueue {
  /** After every `onSent` listener is in place. */
  start(): void;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Pause before the attempt of the same place, ±10 %. */
export const MAIL_DELAYS_MS: readonly number[] = [
  0,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  4 * HOUR,
  12 * HOUR,
  24 * HOUR,
];
const SEND_TIMEOUT_MS = 2 * MINUTE;
const LEASE_MS = SEND_TIMEOUT_MS + MINUTE;
/** Also finds what another, dead node had leased. */
const LOOK_EVERY_MS = 30 * SECOND;
const STOP_GRACE_MS = 5 * SECOND;
const LEFT_OVER_MAX = 1000;
const ERROR_LENGTH_MAX = 500;

type SentListener = Parameters<MailQueue["onSent"]>[0];

export function createMailQueue(options: MailQueueOptions): MailWorker {
  const { database, stores, provider, clock, random, log, node = null } = options;
  const owner = hex(random.bytes(8));
  const listeners: SentListener[] = [];
  const abort = new AbortController();
  let phase: "new" | "running" | "stopped" = "new";
  let looking: "idle" | "looking" | "look again" = "idle";
  let timer: Timer | null = null;
  let working: Promise<void> = Promise.resolve();
  /** What follows a hand-over could not be done: tried again at the next look. */
  let leftOver = false;

  function wake(): void {
    if (phase !== "running") return;
    if (looking !== "idle") {
      looking = "look again";
      return;
    }
    looking = "looking";
    working = look();
  }

  const stillWanted = () => looking === "look again" && phase === "running";

  async function look(): Promise<void> {
    try {
      do {
        looking = "looking";
        if (leftOver) await catchUp();
        for (let mail = await claim(); mail; mail = await claim()) await handOver(mail);
      } while (stillWanted());
      const next = await stores(database.read).nextDueAfter(clock.now());
      arm(next === null ? LOOK_EVERY_MS : Math.min(next - clock.now(), LOOK_EVERY_MS));
    } catch (error) {
      log.error("mail.claim_failed", { error: describeError(error) });
      arm(LOOK_EVERY_MS);
    } finally {
      const again = stillWanted();
      looking = "idle";
      if (again) wake();
    }
  }

  async function claim(): Promise<QueuedMail | null> {
    if (phase !== "running") return null;
    const nowMs = clock.now();
    return database.tx((queries) => stores(queries).claim(nowMs, owner, nowMs + LEASE_MS, node));
  }

  async function handOver(mail: QueuedMail): Promise<void> {
    const fields = { mail_id: mail.id, call_id: mail.callUuid, provider: provider.name };
    try {
      const message = await buildMessage(mail, options.from, options.recordingsDir);
      if (mail.attachment && !message.attachment) log.warn("mail.attachment_gone", fields);
      await within(SEND_TIMEOUT_MS, provider.send(message));
    } catch (error) {
      if (abort.signal.aborted) await database.tx((q) => stores(q).release(mail.id, owner));
      else await putBack(mail, error);
      return;
    }
    const sent = await database.tx((q) => stores(q).markSent(mail.id, owner, clock.now()));
    log.info("mail.sent", fields);
    if (sent) await tellListeners(mail);
  }

  /** Rejects when the time is up, or when the queue is stopped for good. */
  async function within(limitMs: number, work: Promise<void>): Promise<void> {
    const done = new AbortController();
    const limit = sleep(clock, limitMs, AbortSignal.any([done.signal, abort.signal])).then(() => {
      throw new Error(`the provider did not answer within ${limitMs} ms`);
    });
    limit.catch(() => undefined);
    try {
      await Promise.race([work, limit]);
    } finally {
      done.abort();
      work.catch(() => undefined); // it may still fail when nobody listens any more
    }
  }

  async function putBack(mail: QueuedMail, error: unknown): Promise<void> {
    const attempts = mail.attempts + 1;
    const planned = error instanceof MailRefused ? undefined : MAIL_DELAYS_MS[attempts];
    const delayMs =
      planned === undefined ? null : Math.round(planned * (0.9 + 0.2 * random.float()));
    const reason = describeError(error).slice(0, ERROR_LENGTH_MAX);
    const outcome = {
      attempts,
      nextAttemptAt: delayMs === null ? null : clock.now() + delayMs,
      error: reason,
    };
    await database.tx((queries) => stores(queries).markFailed(mail.id, owner, outcome));
    const fields = { mail_id: mail.id, call_id: mail.callUuid, attempts, error: reason };
    if (delayMs === null) log.error("mail.dead", fields);
    else log.warn("mail.failed", { ...fields, retry_in_ms: delayMs });
  }

  async function tellListeners(mail: QueuedMail): Promise<void> {
    const { tenantId, callUuid, attachment } = mail;
    try {
      for (const listener of listeners) await listener({ tenantId, callUuid, attachment });
      if (attachment) await database.tx((queries) => stores(queries).forgetAttachment(mail.id));
    } catch (error) {
      leftOver = true;
      log.error("mail.listener_failed", { mail_id: mail.id, error: describeError(error) });
    }
  }

  /** A crash came between the hand-over and what follows it. */
  async function catchUp(): Promise<void> {
    leftOver = false;
    try {
      for (const mail of await stores(database.read).withAttachmentLeft(LEFT_OVER_MAX, node))
        await tellListeners(mail);
    } catch (error) {
      leftOver = true;
      log.error("mail.catch_up_failed", { error: describeError(error) });
    }
  }

  function arm(delayMs: number): void {
    timer?.cancel();
    timer = phase === "running" ? clock.after(Math.max(1, delayMs), wake) : null;
  }

  return {
    enqueue: (queries, tenantId, mail) => stores(queries).enqueue(tenantId, mail, clock.now()),
    wake,
    onSent: (listener) => {
      listeners.push(listener);
    },
    start() {
      if (phase !== "new") return;
      phase = "running";
      looking = "look again";
      working = catchUp().then(look);
    },
    async stop() {
      phase = "stopped";
      timer?.cancel();
      const grace = clock.after(STOP_GRACE_MS, () => abort.abort(new Error("stopping")));
      await working;
      grace.cancel();
      await provider.close();
    },
  };
}
