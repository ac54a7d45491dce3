/**
 * Sliding window rate limiter for nodes with a shared store: at most `limit` requests per key in any 60
 * seconds, over all nodes. Exact as far as the nodes' clocks agree. A single node counts in memory instead
 * (rate-limit.ts). Rejected requests do not count.
 *
 * While many requests are left, a busy node reserves some for itself, so that not every request costs a round
 * trip. Reserved requests count as used when their reservation ends, after a second. Unused ones are then
 * returned.
 */
import { BoundedMap } from "../core/bounded-map.ts";
import type { Clock, Timer } from "../core/clock.ts";
import type { Database, Queries } from "../core/database.ts";
import type { RateLimiter, RateLimitResult } from "./ports.ts";

const WINDOW_MS = 60_000;
const SET_ASIDE_MS = 1_000;
/** Age of a reservation at which the next one is requested. */
const FOLLOW_MS = 600;
/** A key is busy if it was used within this time. */
const BUSY_MS = 2_000;
const ASIDE_MIN = 8;
const ASIDE_MAX = 4_096;
const KEYS_MAX = 10_000;

/** Implemented by store/tenant/rate-store.ts. */
interface RequestLog {
  take(asked: {
    readonly keyId: number;
    readonly nowMs: number;
    /** Requests up to this time have expired. */
    readonly forgottenMs: number;
    readonly limit: number;
    /** Takes all of them or none; 0: only reserve. */
    readonly places: number;
    /** Maximum number to reserve for later requests. */
    readonly aside: number;
    readonly setAsideMs: number;
  }): Promise<{
    readonly isTaken: boolean;
    readonly aside: { readonly id: number; readonly count: number } | null;
    readonly count: number;
    readonly oldestMs: number | null;
  }>;
  refund(asideId: number, count: number): Promise<void>;
}

interface RateDependencies {
  readonly database: Database;
  readonly requests: (queries: Queries) => RequestLog;
  readonly clock: Clock;
}

/** A node's reservation for one key. */
interface Aside {
  readonly id: number;
  readonly count: number;
  places: number;
  /** Requests left in the store after the reservation. */
  readonly left: number;
  readonly limit: number;
  readonly oldestMs: number;
  readonly sinceMs: number;
  readonly timer: Timer;
}

interface KeyState {
  aside: Aside | null;
  /** Size of the next reservation: doubled each time while it is used up. */
  next: number;
  askedAt: number;
  /** True while the next reservation is requested, or if none is available. */
  isFollowed: boolean;
  /** Last pending request: waiting requests are served one by one. */
  last: Promise<unknown>;
}

export const sharedRateLimiter = (limitOf: () => number, deps: RateDependencies) =>
  new SharedRateLimiter(limitOf, deps);

class SharedRateLimiter implements RateLimiter {
  readonly #keys = new BoundedMap<number, KeyState>(KEYS_MAX);
  readonly #refunds = new Set<Promise<void>>();
  #isStopped = false;

  constructor(
    private readonly limitOf: () => number,
    private readonly deps: RateDependencies,
  ) {}

  async take(keyId: number, weight = 1): Promise<RateLimitResult> {
    const state = this.#stateOf(keyId);
    // Never the whole limit, because the request itself was counted already.
    const placesOf = () => Math.max(1, Math.min(weight, this.limitOf() - 1));
    const atOnce = this.#fromAside(keyId, state, placesOf());
    if (atOnce) return atOnce;
    const turn = state.last.then(
      () => this.#fromAside(keyId, state, placesOf()) ?? this.#fromStore(keyId, state, placesOf()),
    );
    state.last = turn.catch(() => undefined);
    return await turn;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const state of this.#keys.values()) this.#endAside(state);
    await Promise.all(this.#refunds);
  }

  #stateOf(keyId: number): KeyState {
    const known = this.#keys.get(keyId);
    if (known) return known;
    const askedAt = Number.NEGATIVE_INFINITY;
    const state = { aside: null, next: 0, askedAt, isFollowed: false, last: Promise.resolve() };
    this.#keys.set(keyId, state);
    return state;
  }

  #fromAside(keyId: number, state: KeyState, places: number): RateLimitResult | null {
    const { aside } = state;
    const limit = this.limitOf();
    if (!aside || aside.places < places || aside.limit !== limit) return null;
    aside.places -= places;
    this.#follow(keyId, state, aside);
    const resetSeconds = resetOf(aside.oldestMs, this.deps.clock.now());
    return { allowed: true, limit, remaining: aside.left + aside.places, resetSeconds };
  }

  #fromStore(keyId: number, state: KeyState, places: number): Promise<RateLimitResult> {
    this.#endAside(state);
    const isBusy = this.deps.clock.monotonic() - state.askedAt < BUSY_MS;
    state.next = isBusy ? Math.min(ASIDE_MAX, Math.max(ASIDE_MIN, state.next * 2)) : 0;
    return this.#ask(keyId, state, places);
  }

  /** Reserves more before the reservation is used up or expires, so that requests need not wait. */
  #follow(keyId: number, state: KeyState, aside: Aside): void {
    const isUsed = aside.places * 2 < aside.count;
    const isOld = this.deps.clock.monotonic() - aside.sinceMs > FOLLOW_MS;
    if (state.isFollowed || !(isUsed || isOld)) return;
    state.isFollowed = true;
    const used = aside.count - aside.places;
    state.next = Math.min(ASIDE_MAX, Math.max(ASIDE_MIN, 2 * (isUsed ? aside.count : used)));
    this.#ask(keyId, state, 0).catch(() => {
      state.isFollowed = false;
    });
  }

  /** Takes `places` from the store; 0: only reserves. */
  async #ask(keyId: number, state: KeyState, places: number): Promise<RateLimitResult> {
    const { clock } = this.deps;
    const limit = this.limitOf();
    const nowMs = clock.now();
    const sinceMs = clock.monotonic();
    state.askedAt = sinceMs;
    const taken = await takeFromStore(this.deps, {
      keyId,
      nowMs,
      limit,
      places,
      aside: state.next,
      forgottenMs: nowMs - WINDOW_MS,
      setAsideMs: nowMs + SET_ASIDE_MS,
    });
    const left = Math.max(0, limit - taken.count);
    const oldestMs = taken.oldestMs ?? nowMs;
    if (taken.aside) this.#keep(state, { ...taken.aside, left, limit, oldestMs, sinceMs });
    state.isFollowed = !taken.aside;
    const remaining = left + (taken.aside?.count ?? 0);
    return { allowed: taken.isTaken, limit, remaining, resetSeconds: resetOf(oldestMs, nowMs) };
  }

  /** Replaces the previous reservation. */
  #keep(state: KeyState, set: Omit<Aside, "places" | "timer">): void {
    const { clock } = this.deps;
    const usableMs = this.#isStopped ? 0 : set.sinceMs + SET_ASIDE_MS - clock.monotonic();
    const timer = clock.after(Math.max(0, usableMs), () => this.#endAside(state));
    const aside = { ...set, places: set.count, timer };
    this.#endAside(state);
    if (usableMs > 0) state.aside = aside;
    else this.#refund(aside);
  }

  #endAside(state: KeyState): void {
    const { aside } = state;
    state.aside = null;
    if (aside) this.#refund(aside);
  }

  /** Returns unused requests. If that fails, they count as used for a minute. */
  #refund(aside: Aside): void {
    aside.timer.cancel();
    if (aside.places === 0) return;
    const { database, requests } = this.deps;
    const refund = database
      .tx((queries) => requests(queries).refund(aside.id, aside.places))
      .catch(() => undefined)
      .finally(() => this.#refunds.delete(refund));
    this.#refunds.add(refund);
  }
}

function takeFromStore(
  { database, requests }: RateDependencies,
  asked: Parameters<RequestLog["take"]>[0],
): ReturnType<RequestLog["take"]> {
  const take = (again?: () => ReturnType<RequestLog["take"]>) =>
    database.tx(
      (queries) => database.finish(queries, () => requests(queries).take(asked), again),
      "urgent",
    );
  // Requests whose reply was lost count as used for a minute, so the limit is never exceeded.
  return take(() => take());
}

const resetOf = (oldestMs: number, nowMs: number) =>
  Math.max(1, Math.ceil((oldestMs + WINDOW_MS - nowMs) / 1000));
