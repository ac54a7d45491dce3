/**
 * API keys: creates, lists, revokes and authenticates them.
 *
 * Only the SHA-256 of a secret is stored. A valid key is cached briefly, so that a request costs no query. A
 * revoked key stops working at once on this node and within two seconds on others. The last use is written in
 * batches.
 */

import { timingSafeEqual } from "node:crypto";
import { type Author, OPERATOR } from "../../core/author.ts";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, describeError, notFound } from "../../core/errors.ts";
import { apiKeySecret } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import {
  type KeyLimits,
  NO_LIMITS,
  networkCheck,
  requireSaneLimits,
  requireWithin,
} from "./key-limits.ts";

interface ApiKeyRecord extends KeyLimits {
  readonly id: number;
  readonly label: string;
  readonly prefix: string;
  readonly createdAt: number;
  /** Address of the person who created it, directly or with a key; null: the operator, or unknown. */
  readonly createdBy: string | null;
  readonly lastUsedAt: number | null;
}

export interface KnownKey extends KeyLimits {
  readonly keyId: number;
  readonly tenantId: number;
  readonly secretHash: string;
}

/** Implemented by store/identity/api-key-store.ts. */
export interface ApiKeyRecords {
  insert(
    tenantId: number,
    key: KeyLimits & { label: string; secretHash: string; prefix: string; createdAt: number },
    /** A key created with another key has the same author. */
    author: Author,
  ): Promise<number>;
  /** Active keys, oldest first. */
  list(tenantId: number): Promise<ApiKeyRecord[]>;
  count(tenantId: number): Promise<number>;
  /** Null if no such active key exists. */
  revoke(
    tenantId: number,
    id: number,
    nowMs: number,
  ): Promise<{ readonly hash: string; readonly label: string } | null>;
  /** Finds an active key. Keys of suspended tenants do not count. */
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
/** A key revoked on another node stops working within two seconds (decisions 12). */
const CACHE_TTL_MS = 1_500;
const TOUCH_PERIOD_MS = 5_000;
const SECRET_LENGTH_MAX = 128;

/** The owner must call `stop`, which writes the last batch. */
export class ApiKeys {
  readonly #cache = new BoundedMap<string, CachedKey>(CACHE_KEYS_MAX);
  /** Hashes of keys created here or found valid once. Kept longer than the cache. */
  readonly #known = new Set<string>();
  readonly #used = new Map<number, number>();
  readonly #timer: Timer;
  /** Increased by every revocation, so that a lookup in progress cannot cache a revoked key. */
  #generation = 0;

  constructor(private readonly deps: ApiKeyDependencies) {
    this.#timer = this.deps.clock.every(TOUCH_PERIOD_MS, () => void this.#flush());
  }

  async #flush(): Promise<void> {
    if (this.#used.size === 0) return;
    const batch = [...this.#used];
    this.#used.clear();
    try {
      await this.deps.database.tx(async (queries) => {
        for (const [id, at] of batch) await this.deps.records(queries).touch(id, at);
      });
    } catch (error) {
      this.deps.log.warn("api_key.touch_failed", { error: describeError(error) });
    }
  }

  #remember(hash: string, cached: CachedKey): void {
    this.#cache.set(hash, cached);
    this.#noteKnown(hash);
  }

  #noteKnown(hash: string): void {
    if (this.#known.size >= CACHE_KEYS_MAX) this.#known.clear();
    this.#known.add(hash);
  }

  #cached(hash: string): CachedKey | null {
    const cached = this.#cache.get(hash);
    return cached && cached.untilMs > this.deps.clock.monotonic() ? cached : null;
  }

  async #lookUp(hash: string): Promise<CachedKey | null> {
    const cached = this.#cached(hash);
    if (cached) return cached;
    this.#cache.delete(hash);
    const before = this.#generation;
    // The key may be revoked before the reply arrives, so the time starts before the query.
    const untilMs = this.deps.clock.monotonic() + CACHE_TTL_MS;
    const key = await this.deps.records(this.deps.database.read).findByHash(hash);
    if (!key || !sameHash(key.secretHash, hash)) return null;
    const found = {
      key,
      mayComeFrom: key.networks && networkCheck(key.networks),
      untilMs,
    };
    if (before === this.#generation) this.#remember(hash, found);
    return found;
  }

  /** True if the secret was a valid key recently, so that another lookup is not a guess. */
  wasKnown(secret: string): boolean {
    return this.#known.has(hashOf(secret));
  }

  /**
   * Like `identify`, but from the cache only; null if a lookup is needed. The address is a function because
   * most keys do not restrict it.
   */
  identifyCached(secret: string, ipOf: () => string): KnownKey | null {
    if (!hasForm(secret)) return null;
    const found = this.#cached(hashOf(secret));
    return found && this.#use(found, ipOf);
  }

  /**
   * The owner of the key; null if the key is not active or the address is not in its networks.
   */
  async identify(secret: string, ip: string): Promise<KnownKey | null> {
    if (!hasForm(secret)) return null;
    const found = await this.#lookUp(hashOf(secret));
    return found && this.#use(found, () => ip);
  }

  #use({ key, mayComeFrom }: CachedKey, ipOf: () => string): KnownKey | null {
    if (mayComeFrom && !mayComeFrom(ipOf())) return null;
    const nowMs = this.deps.clock.now();
    if (key.expiresAt !== null && key.expiresAt <= nowMs) return null;
    this.#used.set(key.keyId, nowMs);
    return key;
  }

  /**
   * Only this result contains the secret. Throws plan_limit_reached, and `valid_…_required` for
   * invalid limits.
   */
  async create(
    tenantId: number,
    label: string,
    limits: KeyLimits,
    author: Author = OPERATOR,
  ): Promise<Omit<ApiKeyRecord, "createdBy"> & { readonly secret: string }> {
    requireSaneLimits(limits, this.deps.clock.now());
    const secret = apiKeySecret(this.deps.random);
    const key = {
      label,
      scopes: limits.scopes,
      expiresAt: limits.expiresAt,
      networks: limits.networks,
      secretHash: hashOf(secret),
      prefix: secret.slice(0, 16),
      createdAt: this.deps.clock.now(),
    };
    const id = await this.deps.database.tx(async (queries) => {
      if ((await this.deps.records(queries).count(tenantId)) >= KEYS_PER_TENANT_MAX)
        throw tooManyKeys();
      return this.deps.records(queries).insert(tenantId, key, author);
    });
    this.#noteKnown(key.secretHash);
    const { secretHash: _, ...record } = key;
    return { id, ...record, lastUsedAt: null, secret };
  }

  async list(tenantId: number): Promise<ApiKeyRecord[]> {
    const rows = await this.deps.records(this.deps.database.read).list(tenantId);
    return rows.map((row) => ({ ...row, lastUsedAt: this.#used.get(row.id) ?? row.lastUsedAt }));
  }

  /**
   * When the promise resolves with the key's label, the key no longer works.
   * Throws not_found, or insufficient_scope if the key has more rights than `revoker`.
   */
  async revoke(tenantId: number, id: number, revoker: KeyLimits = NO_LIMITS): Promise<string> {
    const gone = await this.deps.database.tx(async (queries) => {
      const records = this.deps.records(queries);
      const key = (await records.list(tenantId)).find((each) => each.id === id);
      if (key) requireWithin(key, revoker);
      const revoked = await records.revoke(tenantId, id, this.deps.clock.now());
      if (revoked !== null)
        await this.deps.database.revocations.note(queries, [{ kind: "key", hash: revoked.hash }]);
      return revoked;
    });
    if (gone === null) throw notFound("API key");
    this.#generation++;
    this.#cache.delete(gone.hash);
    return gone.label;
  }

  /** Clears the cache after keys or tenants were changed elsewhere. */
  forget(): void {
    this.#generation++;
    this.#cache.clear();
  }

  async stop(): Promise<void> {
    this.#timer.cancel();
    await this.#flush();
  }
}

interface CachedKey {
  readonly key: KnownKey;
  /** Null: any address. */
  readonly mayComeFrom: ((ip: string) => boolean) | null;
  readonly untilMs: number;
}

const hasForm = (secret: string) =>
  secret.startsWith("lv_live_") && secret.length <= SECRET_LENGTH_MAX;

/**
 * The runtime's hasher takes half the time of node:crypto. A map from secrets to keys would save the rest
 * (0.3 µs), but would keep the secrets in memory.
 */
const hashOf = (secret: string) => Bun.SHA256.hash(secret, "hex");

function sameHash(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

const tooManyKeys = () =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `A tenant can have at most ${KEYS_PER_TENANT_MAX} API keys. Revoke one that you no longer use.`,
  });
