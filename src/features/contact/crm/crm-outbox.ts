/**
 * Sends call results to a CRM. The message is stored in the transaction that ends the call, and sent until it
 * is accepted. Each tenant has one request at a time, so a slow CRM delays only its own messages. Every attempt
 * has the call's UUID as `Idempotency-Key`, so that the CRM can detect repeated messages.
 *
 *   pending ──2xx──► delivered
 *      │ └─failure, attempts left──► pending (later)
 *      └─failure, none left──► failed (kept; `replay` makes it pending)
 */
import { type Clock, sleep } from "../../../core/clock.ts";
import type { Database, Queries } from "../../../core/database.ts";
import { AppError, describeError, notFound } from "../../../core/errors.ts";
import { leaseOwner } from "../../../core/ids.ts";
import type { Log } from "../../../core/log.ts";
import type { Random } from "../../../core/random.ts";
import { nextDelayMs, parseRetryAfter } from "../../../core/retry-schedule.ts";
import { WorkLoop } from "../../../core/work-loop.ts";
import type { OutboundHttpClient } from "../../../platform/net/outbound-http.ts";
import { type CrmRecords, crmHeaders } from "./lookup.ts";
import { notPaid } from "./trial.ts";

interface CrmPost {
  readonly id: number;
  readonly tenantId: number;
  readonly callUuid: string;
  readonly body: string;
  readonly attempts: number;
}

interface CrmPostList {
  /** Newest first. */
  posts(tenantId: number): Promise<CrmPostState[]>;
}

interface CrmPostState extends CrmPostOutcome {
  readonly id: number;
  readonly callUuid: string;
  readonly createdAt: number;
}

interface CrmPostOutcome {
  readonly status: "pending" | "delivered" | "failed";
  readonly attempts: number;
  readonly nextAttemptAt: number;
  readonly httpStatus: number | null;
  readonly error: string | null;
}

/** Implemented by store/contact/crm-store.ts. */
export interface CrmPostRecords {
  /** Leases and returns the message due first, except of these tenants; null if none is due. */
  claim(
    nowMs: number,
    owner: string,
    untilMs: number,
    exceptTenants: readonly number[],
  ): Promise<CrmPost | null>;
  settle(id: number, owner: string, outcome: CrmPostOutcome, nowMs: number): Promise<void>;
  nextDueAfter(nowMs: number): Promise<number | null>;
  statusOf(tenantId: number, id: number): Promise<string | null>;
  /** Makes it pending and due now, with its attempts reset. */
  replay(tenantId: number, id: number, nowMs: number): Promise<void>;
}

interface CrmOutboxOptions {
  readonly database: Database;
  readonly records: (queries: Queries) => CrmPostRecords & CrmPostList & Pick<CrmRecords, "target">;
  /** True if the add-on is paid. */
  readonly isOn: (queries: Queries, tenantId: number) => Promise<boolean>;
  readonly vault: { open(sealed: string, binding: string): string };
  readonly client: OutboundHttpClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const TIMEOUT_MS = 10_000;
/** Tenants served at the same time. */
const AT_ONCE_MAX = 8;
const LEASE_MS = 60_000;
const LOOK_EVERY_MS = 30_000;
const ANSWER_BYTES_MAX = 16 * 1024;
const ERROR_MAX = 300;

export class CrmOutbox {
  readonly #owner: string;
  readonly #abort = new AbortController();
  readonly #loop: WorkLoop;
  /** Requests in progress, by tenant. */
  readonly #underWay = new Map<number, Promise<void>>();

  constructor(private readonly options: CrmOutboxOptions) {
    const { clock, log, database, records } = options;
    this.#owner = leaseOwner(options.random);
    this.#loop = new WorkLoop({
      clock,
      log,
      failure: "crm.posts_failed",
      everyMs: LOOK_EVERY_MS,
      round: () => this.#sendDue(),
      nextDueAt: () => records(database.read).nextDueAfter(clock.now()),
    });
  }

  wake(): void {
    this.#loop.wake();
  }

  list(tenantId: number): Promise<CrmPostState[]> {
    return this.options.records(this.options.database.read).posts(tenantId);
  }

  async #sendDue(): Promise<void> {
    for (let post = await this.#claim(); post; post = await this.#claim()) this.#begin(post);
  }

  async #claim(): Promise<CrmPost | null> {
    if (!this.#loop.isRunning || this.#underWay.size >= AT_ONCE_MAX) return null;
    const { database, records, clock } = this.options;
    const nowMs = clock.now();
    const busy = [...this.#underWay.keys()];
    return database.tx((queries) =>
      records(queries).claim(nowMs, this.#owner, nowMs + LEASE_MS, busy),
    );
  }

  #begin(post: CrmPost): void {
    const sending = this.#send(post)
      .catch((error) => this.options.log.error("crm.posts_failed", { error: describeError(error) }))
      .finally(() => {
        this.#underWay.delete(post.tenantId);
        this.wake();
      });
    this.#underWay.set(post.tenantId, sending);
  }

  async #send(post: CrmPost): Promise<void> {
    const { database, records, clock, random, log } = this.options;
    const attempts = post.attempts + 1;
    const { httpStatus, error, retryAfterMs } = await this.#attempt(post);
    if (error !== null && this.#abort.signal.aborted) return; // the lease expires; the attempt does not count
    const delayMs = error === null ? null : nextDelayMs(attempts, retryAfterMs, random);
    const status = error === null ? "delivered" : delayMs === null ? "failed" : "pending";
    const nowMs = clock.now();
    const nextAttemptAt = nowMs + (delayMs ?? 0);
    const outcome: CrmPostOutcome = { status, attempts, nextAttemptAt, httpStatus, error };
    await database.tx((queries) => records(queries).settle(post.id, this.#owner, outcome, nowMs));
    const fields = { call_id: post.callUuid, attempts, http_status: httpStatus };
    if (status === "delivered") log.info("crm.reported", fields);
    else log.warn("crm.report_failed", { ...fields, status, error });
  }

  async #attempt({ tenantId, callUuid, body }: CrmPost) {
    const { database, records, isOn, vault, client, clock } = this.options;
    try {
      if (!(await isOn(database.read, tenantId))) return failure("the add-on is not paid");
      const target = await records(database.read).target(tenantId);
      if (!target) return failure("no CRM address is set up");
      const response = await client.request({
        method: "POST",
        url: target.url,
        headers: { ...crmHeaders(target, tenantId, vault), "Idempotency-Key": callUuid },
        body,
        timeoutMs: TIMEOUT_MS,
        responseBytesMax: ANSWER_BYTES_MAX,
        statusOnly: true,
        signal: this.#abort.signal,
      });
      const ok = response.status >= 200 && response.status < 300;
      return {
        httpStatus: response.status,
        error: ok ? null : `the CRM answered HTTP ${response.status}`,
        retryAfterMs: parseRetryAfter(response.headers["retry-after"], clock.now()),
      };
    } catch (error) {
      return failure(describeError(error).slice(0, ERROR_MAX));
    }
  }

  start(): void {
    this.#loop.start();
  }

  /** Throws not_found; conflict if it is still pending or the add-on is not paid. */
  async replay(tenantId: number, id: number): Promise<void> {
    const { database, records, isOn, clock } = this.options;
    await database.tx(async (queries) => {
      if (!(await isOn(queries, tenantId))) throw notPaid();
      const status = await records(queries).statusOf(tenantId, id);
      if (status === null) throw notFound("CRM message");
      if (status === "pending")
        throw new AppError({
          code: "conflict",
          reason: "being_sent",
          publicMessage: "The message is already being sent; it is retried automatically.",
        });
      await records(queries).replay(tenantId, id, clock.now());
    });
    this.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    const sent = Promise.all(this.#underWay.values());
    const grace = sleep(this.options.clock, 3_000, this.#abort.signal).catch(() => undefined);
    await Promise.race([sent, grace]);
    this.#abort.abort();
    await sent;
  }
}

const failure = (error: string) => ({ httpStatus: null, error, retryAfterMs: null });
