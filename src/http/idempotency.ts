/**
 * `Idempotency-Key` on POST (decisions 1). The first response is replayed for 24 hours; the same key with a
 * different request is a conflict. A repetition waits while the first request runs. Responses 429 and 5xx are
 * not stored, because the client may retry.
 *
 * Responses are encrypted at rest, because some contain a one-time secret. The bytes stored per tenant in 24
 * hours are limited, because tenants share the disk. The counter is in memory and restarts at zero. A key
 * without a response and without a running request was interrupted by a crash. Its effect is unknown, so a
 * repetition is rejected.
 */
import { createHash } from "node:crypto";
import type { Clock, ClockTrust, Timer } from "../core/clock.ts";
import type { Database, Queries } from "../core/database.ts";
import { AppError, conflict, describeError, invalidField } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { KeyLimits } from "../features/key/key-limits.ts";
import { idempotencyBinding } from "../platform/secrets/secret-binding.ts";
import type { Problem } from "./problem.ts";

const RETENTION_MS = 24 * 3_600_000;
const PURGE_PERIOD_MS = 10 * 60_000;
const WAIT_MS = 30_000;
/** Enough for more than 100,000 average responses. */
const KEPT_BYTES_MAX = 256 * 1024 * 1024;
/** Estimated size of a row without its response. */
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
  /** Version of the record in the response; null: none. */
  readonly etag?: string | null;
  readonly replayed?: boolean;
  /** The problem of a rejected first request. A replayed response has none. */
  readonly problem?: Problem;
}

interface IdempotentRequest {
  readonly tenantId: number;
  readonly key: string;
  readonly method: string;
  /** Path without the mount, so that both mounts share their keys. */
  readonly path: string;
  readonly body: Uint8Array;
  /** Limits of the API key. A key with fewer rights must not get the response to another key. */
  readonly limits: KeyLimits;
  /** Key or session that may get the response again; null: any of the tenant. */
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
  /** If it returns false (untrusted clock), no key expires. Default: always true. */
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly log: Log;
  readonly keptBytesMax?: number;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

export function createIdempotency(dependencies: IdempotencyDependencies) {
  const { database, records, vault, clock } = dependencies;
  const kept = keptBytes(dependencies);
  /** Running requests of this process. Each settles when its response is stored. */
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

/** Plain text for encryption: the quoted version, if any, then the JSON object. */
const joined = ({ json, etag }: Answer): string => (etag ?? "") + json;

function unjoined(kept: string): Pick<Answer, "json" | "etag"> {
  const at = kept.indexOf("{");
  return { json: kept.slice(at), etag: kept.slice(0, at) || null };
}

/** Returns the record that already has the key; null: this request claimed the key. */
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

/** Stored bytes per tenant since the first response of a day. */
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

/** Waits for the first request, at most as long as a repetition may take. */
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
      "The stored responses to requests with Idempotency-Key exceed 256 MB in 24 hours. Send the header only with requests that must not run twice.",
  });

const unfinished = () =>
  conflict(
    "The first request with this Idempotency-Key has no response yet. Check whether it took effect before you send it again with a new key.",
  );
