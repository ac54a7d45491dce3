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
    /** All of them or none. */
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
  places: number;
  /** Left in the store when it was set aside. */
  readonly left: number;
  readonly limit: number;
  readonly oldestMs: number;
  readonly timer: Timer;
}

interface KeyState {
  aside: Aside | null;
  /** How much to set aside next: twice as much each time, while all of it is used. */
  next: number;
  askedAt: number;
  /** Those who wait take their places one after another. */
  last: Promise<unknown>;
}

export function sharedRateLimiter(limitOf: () => number, deps: RateDependencies): RateLimiter {
  const { clock } = deps;
  const keys = new BoundedMap<number, KeyState>(KEYS_MAX);

  function stateOf(keyId: number): KeyState {
    const known = keys.get(keyId);
    if (known) return known;
    const askedAt = Number.NEGATIVE_INFINITY;
    const state = { aside: null, next: 0, askedAt, last: Promise.resolve() };
    keys.set(keyId, state);
    return state;
  }

  function fromAside({ aside }: KeyState, places: number): RateLimitResult | null {
    const limit = limitOf();
    if (!aside || aside.places < places || aside.limit !== limit) return null;
    aside.places -= places;
    const remaining = aside.left + aside.places;
    return { allowed: true, limit, remaining, resetSeconds: resetOf(aside.oldestMs, clock.now()) };
  }

  return {
    async take(keyId, weight = 1) {
      const state = stateOf(keyId);
      // Never all of the limit, because the request itself was counted already.
      const placesOf = () => Math.max(1, Math.min(weight, limitOf() - 1));
      const atOnce = fromAside(state, placesOf());
      if (atOnce) return atOnce;
      const turn = state.last.then(
        () =>
          fromAside(state, placesOf()) ??
          takeFromStore(deps, keyId, state, { limit: limitOf(), places: placesOf() }),
      );
      state.last = turn.catch(() => undefined);
      return await turn;
    },
  };
}

async function takeFromStore(
  deps: RateDependencies,
  keyId: number,
  state: KeyState,
  { limit, places }: { readonly limit: number; readonly places: number },
): Promise<RateLimitResult> {
  const { database, requests, clock } = deps;
  endAside(deps, state);
  const nowMs = clock.now();
  const isBusy = clock.monotonic() - state.askedAt < SET_ASIDE_MS;
  state.askedAt = clock.monotonic();
  state.next = isBusy ? Math.min(ASIDE_MAX, Math.max(ASIDE_MIN, state.next * 2)) : 0;
  const asked = {
    ...{ keyId, nowMs, limit, places, aside: state.next },
    ...{ forgottenMs: nowMs - WINDOW_MS, setAsideMs: nowMs + SET_ASIDE_MS },
  };
  const taken = await database.tx(
    (queries) => database.finish(queries, () => requests(queries).take(asked)),
    "urgent",
  );
  const left = Math.max(0, limit - taken.count);
  const oldestMs = taken.oldestMs ?? nowMs;
  const usableMs = state.askedAt + SET_ASIDE_MS - clock.monotonic();
  if (taken.aside)
    state.aside = {
      ...{ id: taken.aside.id, places: taken.aside.count, left, limit, oldestMs },
      timer: clock.after(Math.max(0, usableMs), () => endAside(deps, state)),
    };
  const remaining = left + (taken.aside?.count ?? 0);
  return { allowed: taken.isTaken, limit, remaining, resetSeconds: resetOf(oldestMs, nowMs) };
}

/** What is left of it is given back. If that fails, it counts as used for a minute. */
function endAside(deps: RateDependencies, state: KeyState): void {
  const { aside } = state;
  if (!aside) return;
  state.aside = null;
  aside.timer.cancel();
  if (aside.places === 0) return;
  const { database, requests } = deps;
  database.tx((queries) => requests(queries).refund(aside.id, aside.places)).catch(() => undefined);
}

const resetOf = (oldestMs: number, nowMs: number) =>
  Math.max(1, Math.ceil((oldestMs + WINDOW_MS - nowMs) / 1000));
