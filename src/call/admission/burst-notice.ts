/**
 * Notifies the owner and the operators when calls to new destinations are stopped (dialing-burst.ts). Each gets
 * a mail. The event `dialing.stopped` and a log line are written too.
 *
 * At most once a day per tenant: the time of the last notice is stored in the same transaction as the mails.
 */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { fill, textsOf } from "../../core/texts.ts";
import type { MailQueue } from "../../features/mail/mail-queue.ts";
import type { MailDraft } from "../../features/mail/ports.ts";
import { companyName, type Reader } from "../../features/mail/reader.ts";
import { eventDraft } from "../../features/webhook/catalogue.ts";
import type { EventSink } from "../../features/webhook/ports.ts";
import burstTexts from "./burst-texts.json" with { type: "json" };
import type { BurstStop } from "./dialing-burst.ts";

const TEXTS = textsOf(burstTexts);

const DAY_MS = 86_400_000;

/** Implemented by the stores of tenants and of users. */
interface BurstNoticeStores {
  tenants(queries: Queries): {
    /** Returns the tenant if this caller may notify it; null if it was notified since `notSinceMs`. */
    claimBurstNotice(
      tenantId: number,
      nowMs: number,
      notSinceMs: number,
    ): Promise<NotifiedTenant | null>;
  };
  users(queries: Queries): {
    all(): Promise<readonly NotifiedUser[]>;
  };
}

export interface NotifiedTenant {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  /** Language of the person who reads this address. */
  readonly locale: Reader["locale"];
}

interface NotifiedUser {
  readonly email: string;
  readonly operator: boolean;
  readonly locale: Reader["locale"];
}

interface BurstNoticeOptions {
  readonly stores: BurstNoticeStores;
  readonly database: Database;
  readonly mails: Pick<MailQueue, "enqueue" | "wake">;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Log;
}

function mailTo(
  { email, locale }: Pick<NotifiedUser, "email" | "locale">,
  tenant: NotifiedTenant,
  { kind, limit }: BurstStop,
  atMs: number,
): MailDraft {
  const words = TEXTS[locale];
  const company = companyName(tenant.name, locale);
  const paragraphs = [`${fill(words[kind], { company, limit })} ${words.effect}`, ...words.advice];
  return {
    key: `dialing-stopped:${tenant.id}:${atMs}:${email}`,
    callUuid: null,
    recipient: email,
    subject: fill(words.subject, { company }),
    body: `${paragraphs.join("\n\n")}\n`,
    attachment: null,
  };
}

/** Returns a function to call for each stopped call. It returns at once and never throws. */
export function createBurstNotice(options: BurstNoticeOptions): (stop: BurstStop) => void {
  const { database, stores, mails, events, clock, log } = options;

  async function notify(stop: BurstStop): Promise<void> {
    const notified = await database.tx(async (queries) => {
      const nowMs = clock.now();
      const { tenantId, kind, limit } = stop;
      const tenant = await stores
        .tenants(queries)
        .claimBurstNotice(tenantId, nowMs, nowMs - DAY_MS);
      if (!tenant) return false;
      const operators = (await stores.users(queries).all()).filter((user) => user.operator);
      const readers = [tenant, ...operators.filter(({ email }) => email !== tenant.email)];
      for (const reader of readers)
        await mails.enqueue(queries, tenantId, mailTo(reader, tenant, stop, nowMs));
      await events.emit(queries, tenantId, eventDraft("dialing.stopped", null, { kind, limit }));
      return true;
    });
    if (!notified) return;
    log.warn("dialing.stopped", { tenant: stop.tenantId, kind: stop.kind, limit: stop.limit });
    mails.wake();
    events.wake();
  }

  return (stop) => {
    notify(stop).catch((error) =>
      log.error("dialing.notice_failed", { tenant: stop.tenantId, error: describeError(error) }),
    );
  };
}
