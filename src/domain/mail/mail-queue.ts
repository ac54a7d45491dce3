/**
 * The mail queue: emails are stored with the change that they report and handed to the provider one
 * by one. Emails with a recording have their own lane, so that a large one does not delay a sign-in
 * email.
 *
 * Delivery is at least once: an email stays pending until the provider has accepted it. After a
 * crash in between it is sent again with the same Message-ID and key. If a crash prevented the step
 * after sending (deleting the recording), the next start completes it.
 *
 *   pending ──accepted──► sent
 *      │ └─failed, attempts left──► pending (later)
 *      └─failed for good, or none left──► dead (kept, with its error)
 */
import type { Timer } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import type { MailQueue } from "./ports.ts";
import { MailRejected } from "./provider.ts";
import { attemptSend, type SendAttemptOptions } from "./send-attempt.ts";
import type { ClaimedMail, MailLane, MailStores, QueuedMail } from "./stores.ts";

interface MailQueueOptions extends SendAttemptOptions {
  readonly database: Database;
  readonly stores: MailStores;
  /** Name of this node, where several share the store. Missing: it is the only one. */
  readonly node?: string | null;
  readonly random: Random;
}

export interface MailWorker extends MailQueue {
  /** Call it after every `onSent` listener is registered. */
  start(): void;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Delay before each attempt, by index, ±10 %. */
const MAIL_DELAYS_MS: readonly number[] = [
  0,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  4 * HOUR,
  12 * HOUR,
  24 * HOUR,
];
/** Until the attempt itself computes its timeout. */
const LEASE_MS = MINUTE;
/**
 * A node that has not sent a due email for this long is considered lost: its emails are sent
 * without the recording.
 */
export const LOST_AFTER_MS = 24 * HOUR;
/** Also finds emails whose lease by a dead node has expired. */
const LOOK_EVERY_MS = 30 * SECOND;
const STOP_GRACE_MS = 5 * SECOND;
const CATCH_UP_MAX = 1000;
const ERROR_LENGTH_MAX = 500;

type SentListener = Parameters<MailQueue["onSent"]>[0];

interface Lane {
  wake(): void;
  /** Resolves when the current email, if any, is finished. */
  stop(): Promise<void>;
}

/** Sends one email after another: when woken, and when the next is due. */
function openLane(
  deps: Pick<MailQueueOptions, "clock" | "log"> & {
    readonly isRunning: () => boolean;
    /** Sends everything that is due. */
    readonly round: () => Promise<void>;
    readonly nextDueAt: () => Promise<number | null>;
  },
): Lane {
  const { clock, log, isRunning, round, nextDueAt } = deps;
  let looking: "idle" | "looking" | "look again" = "idle";
  let timer: Timer | null = null;
  let working: Promise<void> = Promise.resolve();

  function wake(): void {
    if (!isRunning()) return;
    if (looking !== "idle") {
      looking = "look again";
      return;
    }
    looking = "looking";
    working = look();
  }

  const stillWanted = () => looking === "look again" && isRunning();

  async function look(): Promise<void> {
    try {
      do {
        looking = "looking";
        await round();
      } while (stillWanted());
      const next = await nextDueAt();
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

  function arm(delayMs: number): void {
    timer?.cancel();
    timer = isRunning() ? clock.after(Math.max(1, delayMs), wake) : null;
  }

  return {
    wake,
    async stop() {
      timer?.cancel();
      await working;
    },
  };
}

export function createMailQueue(options: MailQueueOptions): MailWorker {
  const { database, stores, provider, clock, random, log, node = null } = options;
  const owner = hex(random.bytes(8));
  const listeners: SentListener[] = [];
  const abort = new AbortController();
  let phase: "new" | "running" | "stopped" = "new";
  /**
   * Set while steps after sending failed or may have been missed; they are repeated in the next
   * round.
   */
  let needsCatchUp = true;
  const shared = {
    ...{ clock, log, isRunning: () => phase === "running" },
    nextDueAt: () => stores(database.read).nextDueAfter(clock.now()),
  };
  const lanes = [
    openLane({ ...shared, round: () => deliverDue("without") }),
    openLane({ ...shared, round: () => deliverDue("with attachment") }),
  ];
  const wake = () => {
    for (const lane of lanes) lane.wake();
  };

  async function deliverDue(lane: MailLane): Promise<void> {
    if (lane === "with attachment" && needsCatchUp) await catchUp();
    for (let mail = await claim(lane); mail; mail = await claim(lane)) await attempt(mail);
  }

  async function claim(lane: MailLane): Promise<ClaimedMail | null> {
    if (phase !== "running") return null;
    const nowMs = clock.now();
    const due = { nowMs, owner, leaseUntilMs: nowMs + LEASE_MS, node, lane };
    const lostBeforeMs = nowMs - LOST_AFTER_MS;
    return database.tx((queries) => stores(queries).claim({ ...due, lostBeforeMs }));
  }

  async function attempt(mail: ClaimedMail): Promise<void> {
    const fields = { mail_id: mail.id, call_id: mail.callUuid, provider: provider.name };
    let sentMail: QueuedMail;
    try {
      sentMail = await attemptSend(
        options,
        mail,
        {
          extendLease: (ms) =>
            database.tx((q) => stores(q).extendLease(mail.id, owner, clock.now() + ms)),
          detach: (form) => database.tx((q) => stores(q).detach(mail.id, owner, form)),
        },
        abort.signal,
      );
    } catch (error) {
      if (abort.signal.aborted) await database.tx((q) => stores(q).release(mail.id, owner));
      else await putBack(mail, error);
      return;
    }
    const sent = await database.tx((q) => stores(q).markSent(mail.id, owner, clock.now()));
    log.info("mail.sent", fields);
    if (sent) await notifyListeners(sentMail);
  }

  async function putBack(mail: QueuedMail, error: unknown): Promise<void> {
    const attempts = mail.attempts + 1;
    const planned = error instanceof MailRejected ? undefined : MAIL_DELAYS_MS[attempts];
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

  async function notifyListeners(mail: QueuedMail): Promise<void> {
    const { tenantId, callUuid, attachment } = mail;
    try {
      for (const listener of listeners) await listener({ tenantId, callUuid, attachment });
      if (attachment) await database.tx((queries) => stores(queries).forgetAttachment(mail.id));
    } catch (error) {
      needsCatchUp = true;
      log.error("mail.listener_failed", { mail_id: mail.id, error: describeError(error) });
    }
  }

  /** Completes the step after sending if a crash prevented it. */
  async function catchUp(): Promise<void> {
    needsCatchUp = false;
    try {
      let left: readonly QueuedMail[];
      do {
        left = await stores(database.read).withAttachmentLeft(CATCH_UP_MAX, node);
        for (const mail of left) await notifyListeners(mail);
        // Those whose listener failed are read again in the next round, not now.
      } while (left.length === CATCH_UP_MAX && !needsCatchUp);
    } catch (error) {
      needsCatchUp = true;
      log.error("mail.catch_up_failed", { error: describeError(error) });
    }
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
      wake();
    },
    async stop() {
      phase = "stopped";
      const grace = clock.after(STOP_GRACE_MS, () => abort.abort(new Error("stopping")));
      await Promise.all(lanes.map((lane) => lane.stop()));
      grace.cancel();
      await provider.close();
    },
  };
}
