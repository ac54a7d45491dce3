/**
 * `Idempotency-Key` on POST (decisions 1): the first answer is replayed for 24 hours; the same
 * key with another request is a conflict. A request that arrives while the first one runs waits for
 * its answer. Answers of 429 and 5xx are not kept: the caller is told to try again and may.
 *
 * Answers are sealed at rest, since some carry a secret that is shown once. What is kept of a tenant's in 24 hours
 * is bounded: the disk is everybody's. Counted in memory, so a restart begins anew. A claim without an
 * answer and without a running request was cut off by a crash: whether it took effect is unknown,
 * so that repeating it blindly is refused.
 */
import { createHash } from "node:crypto";
import type { Clock, ClockTrust, Timer } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, conflict, describeError, invalidField } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { KeyLimits } from "../../domain/tenant/key-limits.ts";
import { idempotencyBinding } from "../../platform/secrets/secret-binding.ts";
import type { Problem } from "./problem.ts";

const RETENTION_MS = 24 * 3_600_000;
const PURGE_PERIOD_MS = 10 * 60_000;
const WAIT_MS = 30_000;
/** More than 100,000 usual answers. */
const KEPT_BYTES_MAX = 256 * 1024 * 1024;
/** Of a row without its answer. */
const ROW_BYTES = 512;

interface IdempotencyRecord {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly bodyHash: string;
  readonly status: number | null;
  readonly response: string | null;
  readonly createdAt: number;
}

/** Implemented by store/tenant/idempotency-store.ts. */
export interface IdempotencyRecords {
  find(tenantId: number, key: string): Promise<IdempotencyRecord | undefined>;
  insert(
    tenantId: number,
    claim: { key: string; method: string; path: string; bodyHash: string; createdAt: number },
  ): Promise<void>;
  finish(tenantId: number, key: string, status: number, response: string): Promise<void>;
  remove(tenantId: number, key: string): Promise<void>;
  purge(beforeMs: number): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly json: string;
  /** Version of the record that the answer shows; null: it has none. */
  readonly etag?: string | null;
  readonly replayed?: boolean;
  /** What the first request was rejected with. A replayed answer has none. */
  readonly problem?: Problem;
}

interface IdempotentRequest {
  readonly tenantId: number;
  readonly key: string;
  readonly method: string;
  /** The path without the mount, so that both spellings of a path are one request. */
  readonly path: string;
  readonly body: Uint8Array;
  /** Of the API key. What one may get, another that may less must not be shown. */
  readonly limits: KeyLimits;
  /** Only this key or session may get the answer again; null: any of the tenant. */
  readonly asker: string | null;
}

interface IdempotencyDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => IdempotencyRecords;
  readonly vault: {
    seal(plain: string, binding: string): string;
    open(sealed: string, binding: string): string;
  };
  readonly clock: Clock;
  /** False: no key becomes new again. Default: always true. */
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly log: Log;
  readonly keptBytesMax?: number;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

export function createIdempotency(dependencies: IdempotencyDependencies) {
  const { database, records, vault, clock } = dependencies;
  const kept = keptBytes(dependencies);
  /** Requests that run in this process. Each settles when its answer is stored. */
  const running = new Map<string, Promise<void>>();
  const timer: Timer = clock.every(PURGE_PERIOD_MS, () => void purge(dependencies));

  async function answerOf(request: IdempotentRequest, record: IdempotencyRecord): Promise<Answer> {
    const { tenantId, key } = request;
    let found: IdempotencyRecord | undefined = record;
    if (found.status === null) {
      const first = running.get(idempotencyBinding(tenantId, key));
      if (!first) throw unfinished();
      await settledWithin(first, clock);
      found = await records(database.read).find(tenantId, key);
    }
    if (!found || found.status === null || found.response === null) throw unfinished();
    const kept = vault.open(found.response, idempotencyBinding(tenantId, key));
    return { status: found.status, ...unjoined(kept), replayed: true };
  }

  async function runFirst(request: IdempotentRequest, run: () => Promise<Answer>): Promise<Answer> {
    const { tenantId, key } = request;
    const answer = await run();
    await database.tx(async (queries) => {
      if (isRetryable(answer.status)) return records(queries).remove(tenantId, key);
      const sealed = vault.seal(joined(answer), idempotencyBinding(tenantId, key));
      kept.add(tenantId, sealed.length);
      await records(queries).finish(tenantId, key, answer.status, sealed);
    });
    return answer;
  }

  return {
    /** `run` must not throw. Throws conflict. */
    async once(request: IdempotentRequest, run: () => Promise<Answer>): Promise<Answer> {
      const bodyHash = hashOf(request);
      const name = idempotencyBinding(request.tenantId, request.key);
      const settled = Promise.withResolvers<void>();
      const held = await claim(dependencies, kept, request, bodyHash);
      if (held) {
        if (!isSame(held, request, bodyHash)) throw otherRequest();
        return answerOf(request, held);
      }
      running.set(name, settled.promise);
      try {
        return await runFirst(request, run);
      } finally {
        running.delete(name);
        settled.resolve();
      }
    },

    stop(): void {
      timer.cancel();
    },
  };
}

async function purge(dependencies: IdempotencyDependencies): Promise<void> {
  const { database, records, clock, trust, log } = dependencies;
  if (trust?.mayDelete() === false) return;
  try {
    await database.tx((queries) => records(queries).purge(clock.now() - RETENTION_MS));
  } catch (error) {
    log.warn("idempotency.purge_failed", { error: describeError(error) });
  }
}

function hashOf({ body, asker, limits }: IdempotentRequest): string {
  const { scopes, expiresAt, networks } = limits;
  const hash = createHash("sha256").update(body);
  if (asker !== null) hash.update(asker);
  const isLimited = scopes !== null || expiresAt !== null || networks !== null;
  if (isLimited) hash.update(JSON.stringify([scopes, expiresAt, networks]));
  return hash.digest("hex");
}

/** What is sealed of an answer: its version, in quotes, where it has one, and its JSON, which is an object. */
const joined = ({ json, etag }: Answer): string => (etag ?? "") + json;

function unjoined(kept: string): Pick<Answer, "json" | "etag"> {
  const at = kept.indexOf("{");
  return { json: kept.slice(at), etag: kept.slice(0, at) || null };
}

/** The record that already has the key; null: this request claimed the key. */
function claim(
  { database, records, clock, trust }: IdempotencyDependencies,
  kept: ReturnType<typeof keptBytes>,
  request: IdempotentRequest,
  bodyHash: string,
): Promise<IdempotencyRecord | null> {
  const { tenantId, key, method, path } = request;
  return database.tx(async (queries) => {
    const now = clock.now();
    const existing = await records(queries).find(tenantId, key);
    const isHeld = trust?.mayDelete() === false;
    if (existing && (isHeld || existing.createdAt > now - RETENTION_MS)) return existing;
    kept.requireRoom(tenantId);
    kept.add(tenantId, ROW_BYTES);
    if (existing) await records(queries).remove(tenantId, key);
    await records(queries).insert(tenantId, { key, method, path, bodyHash, createdAt: now });
    return null;
  });
}

/** By tenant, since the first answer of a day. */
function keptBytes({ clock, keptBytesMax = KEPT_BYTES_MAX }: IdempotencyDependencies) {
  const days = new Map<number, { bytes: number; readonly sinceMs: number }>();
  function dayOf(tenantId: number) {
    const nowMs = clock.monotonic();
    const known = days.get(tenantId);
    if (known && nowMs - known.sinceMs < RETENTION_MS) return known;
    const day = { bytes: 0, sinceMs: nowMs };
    days.set(tenantId, day);
    return day;
  }
  return {
    add(tenantId: number, bytes: number): void {
      dayOf(tenantId).bytes += bytes;
    },
    requireRoom(tenantId: number): void {
      if (dayOf(tenantId).bytes >= keptBytesMax) throw tooMuchKept();
    },
  };
}

/** Waits for the answer of the first request, up to the time limit of a second one. */
async function settledWithin(first: Promise<void>, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = clock.after(WAIT_MS, late.resolve);
  await Promise.race([first, late.promise]);
  timer.cancel();
}

/** Throws valid_idempotency_key_required. */
export function idempotencyKey(sent: string | null): string | null {
  if (sent === null) return null;
  if (sent.length < 1 || sent.length > 255)
    throw invalidField(
      "idempotency_key",
      "The header `Idempotency-Key` must be 1 to 255 characters long.",
    );
  return sent;
}

/** Specification, section 7. */
const isRetryable = (status: number) => status === 429 || status >= 500;

const isSame = (record: IdempotencyRecord, request: IdempotentRequest, bodyHash: string) =>
  record.method === request.method && record.path === request.path && record.bodyHash === bodyHash;

const otherRequest = () =>
  conflict(
    "This Idempotency-Key was used with another request in the last 24 hours. Use a new key.",
  );

const tooMuchKept = () =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage:
      "Too much is kept for requests with Idempotency-Key: at most 256 MB of answers in 24 hours. Send the header only where a repetition would do harm.",
  });

const unfinished = () =>
  conflict(
    "The first request with this Idempotency-Key has no answer yet. Look whether it took effect before you send it again with a new key.",
  );
