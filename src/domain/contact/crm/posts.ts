/**
 * Telling a CRM how a call went: stored in the transaction that ends the call, sent until it is accepted. One
 * at a time for a tenant, of several tenants at once: a CRM that does not answer delays its own only. Every
 * attempt carries the call's UUID as `Idempotency-Key`, so that the CRM can make the same record of it
 * however often it comes.
 *
 *   pending ──2xx──► delivered
 *      │ └─failure, attempts left──► pending (later)
 *      └─failure, none left──► failed (kept; `replay` makes it pending)
 */
import { type Clock, sleep, type Timer } from "../../../core/clock.ts";
import type { Database, Queries } from "../../../core/database.ts";
import { AppError, describeError, notFound } from "../../../core/errors.ts";
import { hex } from "../../../core/ids.ts";
import type { Log } from "../../../core/log.ts";
import type { Random } from "../../../core/random.ts";
import { nextDelayMs, parseRetryAfter } from "../../../core/retry-schedule.ts";
import type { OutboundHttpClient } from "../../../platform/net/outbound-http.ts";
import { type CrmRecords, type CrmTarget, crmHeaders } from "./lookup.ts";
import { notPaid } from "./trial.ts";

interface CrmPost {
  readonly id: number;
  readonly tenantId: number;
  readonly callUuid: string;
  readonly body: string;
  readonly attempts: number;
}

interface CrmPostOutcome {
  readonly status: "pending" | "delivered" | "failed";
  readonly attempts: number;
  readonly nextAttemptAt: number;
  readonly httpStatus: number | null;
  readonly error: string | null;
}

/** Implemented by store/crm-store.ts. */
export interface CrmPostRecords {
  /** Leases and answers the one due first, none of `exceptTenants`; null: nothing is due. */
  claim(
    nowMs: number,
    owner: string,
    untilMs: number,
    exceptTenants: readonly number[],
  ): Promise<CrmPost | null>;
  settle(id: number, owner: string, outcome: CrmPostOutcome, nowMs: number): Promise<void>;
  nextDueAfter(nowMs: number): Promise<number | null>;
  statusOf(tenantId: number, id: number): Promise<string | null>;
  /** Pending again, now, with all its attempts. */
  replay(tenantId: number, id: number, nowMs: number): Promise<void>;
}

interface CrmPostsOptions {
  readonly database: Database;
  readonly records: (queries: Queries) => CrmPostRecords & Pick<CrmRecords, "target">;
  /** The add-on is paid for. */
  readonly isOn: (queries: Queries, tenantId: number) => Promise<boolean>;
  readonly vault: { open(sealed: string, binding: string): string };
  readonly client: OutboundHttpClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export type CrmPosts = ReturnType<typeof createCrmPosts>;

const TIMEOUT_MS = 10_000;
/** Tenants whose CRMs are told at once. */
const AT_ONCE_MAX = 8;
const LEASE_MS = 60_000;
const LOOK_EVERY_MS = 30_000;
const ANSWER_BYTES_MAX = 16 * 1024;
const ERROR_MAX = 300;

export function createCrmPosts(options: CrmPostsOptions) {
  const { database, records, isOn, vault, client, clock, random, log } = options;
  const owner = hex(random.bytes(8));
  const abort = new AbortController();
  let timer: Timer | null = null;
  let running = false;
  let stopped = true;
  let again = false;
  let work: Promise<void> = Promise.resolve();
  /** By tenant. */
  const underWay = new Map<number, Promise<void>>();

  function wake(): void {
    if (stopped) return;
    again = true;
    if (running) return;
    running = true;
    work = round();
  }

  async function round(): Promise<void> {
    try {
      while (again && !stopped) {
        again = false;
        for (let post = await claim(); post; post = await claim()) begin(post);
      }
      const next = await records(database.read).nextDueAfter(clock.now());
      arm(next === null ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, next - clock.now()));
    } catch (error) {
      log.error("crm.posts_failed", { error: describeError(error) });
      arm(LOOK_EVERY_MS);
    } finally {
      running = false;
      // Woken while the next look was planned.
      if (again) wake();
    }
  }

  function arm(ms: number): void {
    timer?.cancel();
    timer = stopped ? null : clock.after(Math.max(1, ms), wake);
  }

  async function claim(): Promise<CrmPost | null> {
    if (stopped || underWay.size >= AT_ONCE_MAX) return null;
    const nowMs = clock.now();
    const busy = [...underWay.keys()];
    return database.tx((queries) => records(queries).claim(nowMs, owner, nowMs + LEASE_MS, busy));
  }

  function begin(post: CrmPost): void {
    const sending = send(post)
      .catch((error) => log.error("crm.posts_failed", { error: describeError(error) }))
      .finally(() => {
        underWay.delete(post.tenantId);
        wake();
      });
    underWay.set(post.tenantId, sending);
  }

  async function send(post: CrmPost): Promise<void> {
    const attempts = post.attempts + 1;
    const { httpStatus, error, retryAfterMs } = await attempt(post);
    if (error !== null && abort.signal.aborted) return; // the lease runs out; nothing is counted
    const delayMs = error === null ? null : nextDelayMs(attempts, retryAfterMs, random);
    const status = error === null ? "delivered" : delayMs === null ? "failed" : "pending";
    const nowMs = clock.now();
    await database.tx((queries) =>
      records(queries).settle(
        post.id,
        owner,
        { status, attempts, nextAttemptAt: nowMs + (delayMs ?? 0), httpStatus, error },
        nowMs,
      ),
    );
    const fields = { call_id: post.callUuid, attempts, http_status: httpStatus };
    if (status === "delivered") log.info("crm.reported", fields);
    else log.warn("crm.report_failed", { ...fields, status, error });
  }

  async function attempt(post: CrmPost) {
    try {
      if (!(await isOn(database.read, post.tenantId))) return failure("the add-on is not paid");
      const target: CrmTarget | null = await records(database.read).target(post.tenantId);
      if (!target) return failure("no CRM address is set up");
      const response = await client.request({
        method: "POST",
        url: target.url,
        headers: {
          ...crmHeaders(target, post.tenantId, vault),
          "idempotency-key": post.callUuid,
        },
        body: post.body,
        timeoutMs: TIMEOUT_MS,
        responseBytesMax: ANSWER_BYTES_MAX,
        statusOnly: true,
        signal: abort.signal,
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

  const failure = (error: string) => ({ httpStatus: null, error, retryAfterMs: null });

  return {
    wake,

    start() {
      if (!stopped || abort.signal.aborted) return;
      stopped = false;
      wake();
    },

    /** Throws not_found; conflict while it is on its way, or the add-on is not paid. */
    async replay(tenantId: number, id: number): Promise<void> {
      await database.tx(async (queries) => {
        if (!(await isOn(queries, tenantId))) throw notPaid();
        const status = await records(queries).statusOf(tenantId, id);
        if (status === null) throw notFound("CRM message");
        if (status === "pending")
          throw new AppError({
            code: "conflict",
            publicMessage: "The message is on its way already; it is tried again by itself.",
          });
        await records(queries).replay(tenantId, id, clock.now());
      });
      wake();
    },

    async stop(): Promise<void> {
      stopped = true;
      timer?.cancel();
      await work;
      const sent = Promise.all(underWay.values());
      const grace = sleep(clock, 3_000, abort.signal).catch(() => undefined);
      await Promise.race([sent, grace]);
      abort.abort();
      await sent;
    },
  };
}
