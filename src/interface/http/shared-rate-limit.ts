/**
 * The sliding window of requests for nodes that share one store: whichever node a request reaches,
 * no 60 seconds hold more than `limit` of one key. Exact as far as the nodes' clocks agree. A single
 * node counts in memory instead (rate-limit.ts). Refused requests do not count.
 *
 * While many places are left, a node that is asked often sets some aside for itself, so that not
 * every request costs a round trip. They count as used at the end of the second in which they may be
 * used, and what is not used is given back then.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import type { RateLimiter, RateLimitResult } from "./ports.ts";

const WINDOW_MS = 60_000;
const SET_ASIDE_MS = 1_000;
/** From then on more is set aside for the time after it. */
const FOLLOW_MS = 600;
/** A key that was asked for within this time is busy. */
const BUSY_MS = 2_000;
const ASIDE_MIN = 8;
const ASIDE_MAX = 4_096;
const KEYS_MAX = 10_000;

/** Implemented by store/rate-store.ts. */
interface RequestLog {
  take(asked: {
    readonly keyId: number;
    readonly nowMs: number;
    /** Requests until then count no more. */
    readonly forgottenMs: number;
    readonly limit: number;
    /** All of them or none; 0: only to set aside. */
    readonly places: number;
    /** For later requests, as many as there may be. */
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

/** What a node has set aside of one key. */
interface Aside {
  readonly id: number;
  readonly count: number;
  places: number;
  /** Left in the store when it was set aside. */
  readonly left: number;
  readonly limit: number;
  readonly oldestMs: number;
  readonly sinceMs: number;
  readonly timer: Timer;
}

interface KeyState {
  aside: Aside | null;
  /** How much to set aside next: twice as much each time, while all of it is used. */
  next: number;
  askedAt: number;
  /** More is being set aside, or there is no more. */
  isFollowed: boolean;
  /** Those who wait take their places one after another. */
  last: Promise<unknown>;
}

export function sharedRateLimiter(
  limitOf: () => number,
  deps: RateDependencies,
): RateLimiter & { stop(): Promise<void> } {
  const { clock } = deps;
  const keys = new BoundedMap<number, KeyState>(KEYS_MAX);
  const giving = new Set<Promise<void>>();
  let isStopped = false;

  /** What is left of it is given back. If that fails, it counts as used for a minute. */
  function giveBack(aside: Aside | null): void {
    aside?.timer.cancel();
    if (!aside || aside.places === 0) return;
    const { database, requests } = deps;
    const given = database
      .tx((queries) => requests(queries).refund(aside.id, aside.places))
      .catch(() => undefined)
      .finally(() => giving.delete(given));
    giving.add(given);
  }

  function endAside(state: KeyState): void {
    const { aside } = state;
    state.aside = null;
    giveBack(aside);
  }

  function stateOf(keyId: number): KeyState {
    const known = keys.get(keyId);
    if (known) return known;
    const askedAt = Number.NEGATIVE_INFINITY;
    const state = { aside: null, next: 0, askedAt, isFollowed: false, last: Promise.resolve() };
    keys.set(keyId, state);
    return state;
  }

  /** Takes so many from the store; 0: sets aside alone. */
  async function ask(keyId: number, state: KeyState, places: number): Promise<RateLimitResult> {
    const limit = limitOf();
    const nowMs = clock.now();
    const sinceMs = clock.monotonic();
    state.askedAt = sinceMs;
    const taken = await takeFromStore(deps, {
      ...{ keyId, nowMs, limit, places, aside: state.next },
      ...{ forgottenMs: nowMs - WINDOW_MS, setAsideMs: nowMs + SET_ASIDE_MS },
    });
    const left = Math.max(0, limit - taken.count);
    const oldestMs = taken.oldestMs ?? nowMs;
    if (taken.aside) {
      const { id, count } = taken.aside;
      const usableMs = isStopped ? 0 : sinceMs + SET_ASIDE_MS - clock.monotonic();
      const timer = clock.after(Math.max(0, usableMs), () => endAside(state));
      const aside = { id, count, places: count, left, limit, oldestMs, sinceMs, timer };
      endAside(state);
      if (usableMs > 0) state.aside = aside;
      else giveBack(aside);
    }
    state.isFollowed = !taken.aside;
    const remaining = left + (taken.aside?.count ?? 0);
    return { allowed: taken.isTaken, limit, remaining, resetSeconds: resetOf(oldestMs, nowMs) };
  }

  /** Before it is used up, or its time is over, more is set aside: those who ask need not wait. */
  function follow(keyId: number, state: KeyState, aside: Aside): void {
    const isUsed = aside.places * 2 < aside.count;
    if (state.isFollowed || !(isUsed || clock.monotonic() - aside.sinceMs > FOLLOW_MS)) return;
    state.isFollowed = true;
    const used = aside.count - aside.places;
    state.next = Math.min(ASIDE_MAX, Math.max(ASIDE_MIN, isUsed ? aside.count * 2 : used * 2));
    ask(keyId, state, 0).catch(() => undefined);
  }

  function fromAside(keyId: number, state: KeyState, places: number): RateLimitResult | null {
    const { aside } = state;
    const limit = limitOf();
    if (!aside || aside.places < places || aside.limit !== limit) return null;
    aside.places -= places;
    follow(keyId, state, aside);
    const remaining = aside.left + aside.places;
    return { allowed: true, limit, remaining, resetSeconds: resetOf(aside.oldestMs, clock.now()) };
  }

  function fromStore(keyId: number, state: KeyState, places: number): Promise<RateLimitResult> {
    endAside(state);
    const isBusy = clock.monotonic() - state.askedAt < BUSY_MS;
    state.next = isBusy ? Math.min(ASIDE_MAX, Math.max(ASIDE_MIN, state.next * 2)) : 0;
    return ask(keyId, state, places);
  }

  return {
    async take(keyId, weight = 1) {
      const state = stateOf(keyId);
      // Never all of the limit, because the request itself was counted already.
      const placesOf = () => Math.max(1, Math.min(weight, limitOf() - 1));
      const atOnce = fromAside(keyId, state, placesOf());
      if (atOnce) return atOnce;
      const turn = state.last.then(
        () => fromAside(keyId, state, placesOf()) ?? fromStore(keyId, state, placesOf()),
      );
      state.last = turn.catch(() => undefined);
      return await turn;
    },

    async stop() {
      isStopped = true;
      for (const state of keys.values()) endAside(state);
      await Promise.all(giving);
    },
  };
}

function takeFromStore(
  { database, requests }: RateDependencies,
  asked: Parameters<RequestLog["take"]>[0],
) {
  return database.tx(
    (queries) => database.finish(queries, () => requests(queries).take(asked)),
    "urgent",
  );
}

const resetOf = (oldestMs: number, nowMs: number) =>
  Math.max(1, Math.ceil((oldestMs + WINDOW_MS - nowMs) / 1000));
