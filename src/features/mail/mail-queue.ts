/**
 * The mail queue. Emails are stored with the change that they report. A tenant's emails are sent one by one, and
 * several tenants' at once, so that a server that hangs for one recipient does not delay the others. Emails with
 * a recording have a separate lane, so that a large one does not delay a sign-in email.
 *
 * Delivery is at least once: an email stays pending until the provider has accepted it. After a crash in
 * between it is sent again with the same Message-ID and key. If a crash prevented the step after sending
 * (deleting the recording), the next start completes it.
 *
 *   pending ──accepted──► sent
 *      │ └─failed, attempts left──► pending (later)
 *      └─failed for good, or none left──► dead (kept, with its error)
 */
import type { Database, Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import { leaseOwner } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { WorkLoop } from "../../core/work-loop.ts";
import type { MailDraft } from "./ports.ts";
import { MailRejected } from "./provider.ts";
import { attemptSend, type SendAttemptOptions } from "./send-attempt.ts";
import type { ClaimedMail, MailLane, MailStores, QueuedMail } from "./stores.ts";

interface MailQueueOptions extends SendAttemptOptions {
  readonly database: Database;
  readonly stores: MailStores;
  /** Name of this node if several share the store. Default: only one node. */
  readonly node?: string | null;
  readonly random: Random;
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
/** Initial lease, until the attempt computes its timeout. */
const LEASE_MS = MINUTE;
/**
 * If a node has not sent a due email for this long, it is considered lost. Its emails are then sent without
 * the recording.
 */
export const LOST_AFTER_MS = 24 * HOUR;
/** Attempts of different tenants at once, per lane. */
const AT_ONCE_MAX = 4;
/** Also finds emails whose lease by a dead node has expired. */
const LOOK_EVERY_MS = 30 * SECOND;
const STOP_GRACE_MS = 5 * SECOND;
const CATCH_UP_MAX = 1000;
const ERROR_LENGTH_MAX = 500;

type SentListener = (
  mail: Pick<QueuedMail, "tenantId" | "callUuid" | "attachment">,
) => Promise<void>;

export class MailQueue {
  readonly #owner: string;
  readonly #listeners: SentListener[] = [];
  readonly #abort = new AbortController();
  readonly #lanes: Readonly<Record<MailLane, WorkLoop>>;
  /** Attempts in progress, by tenant. They never reject. */
  readonly #attempts: Readonly<Record<MailLane, Map<number, Promise<void>>>> = {
    without: new Map(),
    "with attachment": new Map(),
  };
  /** True if steps after sending failed or may be missing after a crash, so they must be repeated. */
  #needsCatchUp = true;

  constructor(private readonly options: MailQueueOptions) {
    this.#owner = leaseOwner(options.random);
    this.#lanes = {
      without: this.#openLane("without"),
      "with attachment": this.#openLane("with attachment"),
    };
  }

  enqueue(queries: Queries, tenantId: number, mail: MailDraft): Promise<void> {
    const { stores, clock } = this.options;
    return stores(queries).enqueue(tenantId, mail, clock.now());
  }

  /** Call it after the commit: sends soon. */
  wake(): void {
    for (const lane of Object.values(this.#lanes)) lane.wake();
  }

  /** Runs once for each email that a provider has accepted, before the tenant's next one is claimed. */
  onSent(listener: SentListener): void {
    this.#listeners.push(listener);
  }

  /** Call it after every `onSent` listener is registered. */
  start(): void {
    for (const lane of Object.values(this.#lanes)) lane.start();
  }

  async stop(): Promise<void> {
    const { clock, provider } = this.options;
    const grace = clock.after(STOP_GRACE_MS, () => this.#abort.abort(new Error("stopping")));
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.stop()));
    await Promise.all(Object.values(this.#attempts).flatMap((lane) => [...lane.values()]));
    grace.cancel();
    await provider.close();
  }

  #openLane(lane: MailLane): WorkLoop {
    const { database, stores, clock, log } = this.options;
    return new WorkLoop({
      clock,
      log,
      failure: "mail.claim_failed",
      everyMs: LOOK_EVERY_MS,
      round: () => this.#deliverDue(lane),
      nextDueAt: () => stores(database.read).nextDueAfter(clock.now()),
    });
  }

  async #deliverDue(lane: MailLane): Promise<void> {
    if (lane === "with attachment" && this.#needsCatchUp) await this.#catchUp();
    const attempts = this.#attempts[lane];
    while (attempts.size < AT_ONCE_MAX) {
      const mail = await this.#claim(lane);
      if (!mail) return;
      const { tenantId } = mail;
      attempts.set(
        tenantId,
        this.#attempt(mail)
          .catch((error: unknown) =>
            this.options.log.error("mail.claim_failed", { error: describeError(error) }),
          )
          .finally(() => {
            attempts.delete(tenantId);
            this.#lanes[lane].wake();
          }),
      );
    }
  }

  async #claim(lane: MailLane): Promise<ClaimedMail | null> {
    if (!this.#lanes[lane].isRunning) return null;
    const { database, stores, clock, node = null } = this.options;
    const nowMs = clock.now();
    const due = {
      nowMs,
      owner: this.#owner,
      leaseUntilMs: nowMs + LEASE_MS,
      lostBeforeMs: nowMs - LOST_AFTER_MS,
      node,
      lane,
      busyTenants: [...this.#attempts[lane].keys()],
    };
    // Most rounds find nothing, so check by reading before using the writer.
    if (!(await stores(database.read).hasDue(due))) return null;
    return database.tx((queries) => stores(queries).claim(due));
  }

  async #attempt(mail: ClaimedMail): Promise<void> {
    const { database, stores, provider, clock, log } = this.options;
    const owner = this.#owner;
    const steps = {
      extendLease: (ms: number) =>
        database.tx((q) => stores(q).extendLease(mail.id, owner, clock.now() + ms)),
      detach: (form: "linked" | "unreachable") =>
        database.tx((q) => stores(q).detach(mail.id, owner, form)),
    };
    let sentMail: QueuedMail;
    try {
      sentMail = await attemptSend(this.options, mail, steps, this.#abort.signal);
    } catch (error) {
      if (this.#abort.signal.aborted) await database.tx((q) => stores(q).release(mail.id, owner));
      else await this.#putBack(mail, error);
      return;
    }
    const sent = await database
      .tx((q) => stores(q).markSent(mail.id, owner, clock.now()))
      .catch((error: unknown) => {
        // It may be marked as sent although the store's reply was lost.
        this.#needsCatchUp = true;
        throw error;
      });
    log.info("mail.sent", { mail_id: mail.id, call_id: mail.callUuid, provider: provider.name });
    if (sent) await this.#notifyListeners(sentMail);
  }

  async #putBack(mail: QueuedMail, error: unknown): Promise<void> {
    const { database, stores, clock, random, log } = this.options;
    const attempts = mail.attempts + 1;
    const planned = error instanceof MailRejected ? undefined : MAIL_DELAYS_MS[attempts];
    const delayMs =
      planned === undefined ? null : Math.round(planned * (0.9 + 0.2 * random.float()));
    const reason = describeError(error).slice(0, ERROR_LENGTH_MAX);
    const nextAttemptAt = delayMs === null ? null : clock.now() + delayMs;
    const outcome = { attempts, nextAttemptAt, error: reason };
    await database.tx((queries) => stores(queries).markFailed(mail.id, this.#owner, outcome));
    const fields = { mail_id: mail.id, call_id: mail.callUuid, attempts, error: reason };
    if (delayMs === null) log.error("mail.dead", fields);
    else log.warn("mail.failed", { ...fields, retry_in_ms: delayMs });
  }

  async #notifyListeners(mail: QueuedMail): Promise<void> {
    const { database, stores, log } = this.options;
    const { tenantId, callUuid, attachment } = mail;
    try {
      for (const listener of this.#listeners) await listener({ tenantId, callUuid, attachment });
      if (attachment) await database.tx((queries) => stores(queries).forgetAttachment(mail.id));
    } catch (error) {
      this.#needsCatchUp = true;
      log.error("mail.listener_failed", { mail_id: mail.id, error: describeError(error) });
    }
  }

  /** Completes the step after sending if a crash prevented it. */
  async #catchUp(): Promise<void> {
    const { database, stores, log, node = null } = this.options;
    this.#needsCatchUp = false;
    try {
      let left: readonly QueuedMail[];
      do {
        left = await stores(database.read).withAttachmentLeft(CATCH_UP_MAX, node);
        for (const mail of left) await this.#notifyListeners(mail);
        // Emails whose listener failed are read again in the next round, not now.
      } while (left.length === CATCH_UP_MAX && !this.#needsCatchUp);
    } catch (error) {
      this.#needsCatchUp = true;
      log.error("mail.backlog_failed", { error: describeError(error) });
    }
  }
}
