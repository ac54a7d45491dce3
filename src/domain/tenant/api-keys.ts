/**
 * API keys: creates, lists, revokes and authenticates them.
 *
 * Only the SHA-256 of a secret is stored. A valid key is cached briefly, so that a request costs no
 * query. Revoking removes it at once on this node and within two seconds on others. The last use is
 * written in batches.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock, Timer } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, describeError, notFound } from "../../core/errors.ts";
import { apiKeySecret } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import { type KeyLimits, networkCheck, requireSaneLimits } from "./key-limits.ts";

interface ApiKeyRecord extends KeyLimits {
  readonly id: number;
  readonly label: string;
  readonly prefix: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export interface KnownKey extends KeyLimits {
  readonly keyId: number;
  readonly tenantId: number;
  readonly secretHash: string;
}

/** Implemented by store/api-key-store.ts. */
export interface ApiKeyRecords {
  insert(
    tenantId: number,
    key: KeyLimits & { label: string; secretHash: string; prefix: string; createdAt: number },
  ): Promise<number>;
  /** Keys that are not revoked, oldest first. */
  list(tenantId: number): Promise<ApiKeyRecord[]>;
  count(tenantId: number): Promise<number>;
  /** Returns the key's hash; null when there is no such active key. */
  revoke(tenantId: number, id: number, nowMs: number): Promise<string | null>;
  /** A key that is not revoked, of a tenant that is not suspended. */
  findByHash(secretHash: string): Promise<KnownKey | undefined>;
  touch(id: number, usedAt: number): Promise<void>;
}

interface ApiKeyDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => ApiKeyRecords;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const KEYS_PER_TENANT_MAX = 100;
const CACHE_KEYS_MAX = 5_000;
/** A key that was revoked on another node stops working within two seconds (decisions.md 12). */
const CACHE_TTL_MS = 1_500;
const TOUCH_PERIOD_MS = 5_000;
const SECRET_LENGTH_MAX = 128;

export type ApiKeys = ReturnType<typeof createApiKeys>;

/** The owner must call `stop`, which writes the last batch. */
export function createApiKeys({ database, records, clock, random, log }: ApiKeyDependencies) {
  const cache = new Map<string, CachedKey>();
  /** Hashes of keys that were valid once. Kept longer than the cache. */
  const known = new Set<string>();
  const used = new Map<number, number>();
  const timer: Timer = clock.every(TOUCH_PERIOD_MS, () => void flush());
  /** Increased by every revocation, so that a lookup in progress cannot cache a revoked key. */
  let generation = 0;

  async function flush(): Promise<void> {
    if (used.size === 0) return;
    const batch = [...used];
    used.clear();
    try {
      await database.tx(async (queries) => {
        for (const [id, at] of batch) await records(queries).touch(id, at);
      });
    } catch (error) {
      log.warn("api_key.touch_failed", { error: describeError(error) });
    }
  }

  function remember(hash: string, cached: CachedKey): void {
    if (cache.size >= CACHE_KEYS_MAX) {
      const [oldest] = cache.keys();
      if (oldest !== undefined) cache.delete(oldest);
    }
    cache.set(hash, cached);
    if (known.size >= CACHE_KEYS_MAX) known.clear();
    known.add(hash);
  }

  async function lookUp(hash: string): Promise<CachedKey | null> {
    const cached = cache.get(hash);
    if (cached && cached.untilMs > clock.monotonic()) return cached;
    cache.delete(hash);
    const before = generation;
    const key = await records(database.read).findByHash(hash);
    if (!key || !sameHash(key.secretHash, hash)) return null;
    const found = {
      key,
      mayComeFrom: networkCheck(key.networks),
      untilMs: clock.monotonic() + CACHE_TTL_MS,
    };
    if (before === generation) remember(hash, found);
    return found;
  }

  return {
    /** True if the secret was a valid key recently, so that another lookup is not a guess. */
    wasKnown: (secret: string): boolean => known.has(hashOf(secret)),

    /**
     * The owner of the key; null if the key is not active or the address is not in its networks.
     */
    async identify(secret: string, ip: string): Promise<KnownKey | null> {
      if (!secret.startsWith("lv_live_") || secret.length > SECRET_LENGTH_MAX) return null;
      const found = await lookUp(hashOf(secret));
      if (!found?.mayComeFrom(ip)) return null;
      const { key } = found;
      const nowMs = clock.now();
      if (key.expiresAt !== null && key.expiresAt <= nowMs) return null;
      used.set(key.keyId, nowMs);
      return key;
    },

    /**
     * Only this result contains the secret. Throws plan_limit_reached, and `valid_…_required` for
     * invalid limits.
     */
    async create(
      tenantId: number,
      label: string,
      limits: KeyLimits,
    ): Promise<ApiKeyRecord & { readonly secret: string }> {
      requireSaneLimits(limits, clock.now());
      const secret = apiKeySecret(random);
      const key = {
        ...{ label, scopes: limits.scopes, expiresAt: limits.expiresAt },
        networks: limits.networks,
        secretHash: hashOf(secret),
        prefix: secret.slice(0, 16),
        createdAt: clock.now(),
      };
      const id = await database.tx(async (queries) => {
        if ((await records(queries).count(tenantId)) >= KEYS_PER_TENANT_MAX) throw tooManyKeys();
        return records(queries).insert(tenantId, key);
      });
      const { secretHash: _, ...record } = key;
      return { id, ...record, lastUsedAt: null, secret };
    },

    async list(tenantId: number): Promise<ApiKeyRecord[]> {
      const rows = await records(database.read).list(tenantId);
      return rows.map((row) => ({ ...row, lastUsedAt: used.get(row.id) ?? row.lastUsedAt }));
    },

    /** Throws not_found. When the promise resolves, the key no longer works. */
    async revoke(tenantId: number, id: number): Promise<void> {
      const hash = await database.tx(async (queries) => {
        const revoked = await records(queries).revoke(tenantId, id, clock.now());
        if (revoked !== null)
          await database.revocations.note(queries, [{ kind: "key", hash: revoked }]);
        return revoked;
      });
      if (hash === null) throw notFound("API key");
      generation++;
      cache.delete(hash);
    },

    /** Clears the cache after keys or tenants were changed elsewhere. */
    forget(): void {
      generation++;
      cache.clear();
    },

    async stop(): Promise<void> {
      timer.cancel();
      await flush();
    },
  };
}

interface CachedKey {
  readonly key: KnownKey;
  readonly mayComeFrom: (ip: string) => boolean;
  readonly untilMs: number;
}

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

function sameHash(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

const tooManyKeys = () =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `A tenant has at most ${KEYS_PER_TENANT_MAX} API keys. Revoke one that is no longer used.`,
  });
