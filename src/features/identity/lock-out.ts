/**
 * Limits password guessing: failures are counted per account, known or not, and per network
 * address. The counts are stored, so that a restart does not reset them. An attempt counts as
 * failed before it is checked and is uncounted if it succeeds, so that concurrent attempts cannot
 * evade the limit.
 */
import { createHmac } from "node:crypto";
import { isIPv6 } from "node:net";
import { AppError } from "../../core/errors.ts";
import { type IdentityDependencies, transaction } from "./dependencies.ts";
import type { AttemptStore, Attempts } from "./stores.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After `free` failures, each further failure doubles the lock time. */
interface Rule {
  readonly free: number;
  readonly firstLockMs: number;
  readonly lockMsMax: number;
  /** After this time without failures the count is reset. */
  readonly forgetAfterMs: number;
}

export const LOCK_RULES = {
  /** Short, because anyone who knows an address could lock its owner out. */
  account: { free: 5, firstLockMs: 30 * SECOND, lockMsMax: 15 * MINUTE, forgetAfterMs: 24 * HOUR },
  source: { free: 20, firstLockMs: MINUTE, lockMsMax: HOUR, forgetAfterMs: 24 * HOUR },
  /** High limit and short lock: many users may share one provider's address. */
  network: { free: 100, firstLockMs: MINUTE, lockMsMax: 15 * MINUTE, forgetAfterMs: HOUR },
  /** Stricter: an attacker who gets here knows the password. */
  code: { free: 5, firstLockMs: MINUTE, lockMsMax: HOUR, forgetAfterMs: 24 * HOUR },
  /** Counts requested emails, not failures. */
  mail: { free: 3, firstLockMs: 10 * MINUTE, lockMsMax: HOUR, forgetAfterMs: HOUR },
  /** Counts a company's invitations: they go to strangers, in the appliance's name. */
  invitations: { free: 100, firstLockMs: 10 * MINUTE, lockMsMax: HOUR, forgetAfterMs: HOUR },
  /** Counts the invitations to one address. */
  invitation: { free: 5, firstLockMs: 10 * MINUTE, lockMsMax: HOUR, forgetAfterMs: 24 * HOUR },
} as const satisfies Record<string, Rule>;

/** Per rule, so that a flood of addresses cannot evict accounts. */
const ROWS_MAX = 20_000;
const ROWS_DROPPED_AT_ONCE = 1_000;
const LONGEST_MEMORY_MS = 24 * HOUR;

export interface Subject {
  readonly rule: keyof typeof LOCK_RULES;
  readonly key: string;
}

export class LockOut {
  constructor(private readonly deps: IdentityDependencies) {}

  #addressHash(email: string) {
    return createHmac(
      "sha256",
      this.deps.vault.deriveKey("identity: addresses in sign-in attempts"),
    )
      .update(email)
      .digest("base64url");
  }

  #stateOf(found: Attempts | null, rule: Rule, nowMs: number): Attempts {
    const fresh = { failures: 0, lastAt: nowMs, lockedUntil: 0 };
    if (!found) return fresh;
    // If the clock was set back, the lock must not be longer than the rule.
    const lastAt = Math.min(found.lastAt, nowMs);
    if (nowMs - lastAt >= rule.forgetAfterMs) return fresh;
    const lockedUntil = Math.min(found.lockedUntil, nowMs + rule.lockMsMax);
    return { failures: found.failures, lastAt, lockedUntil };
  }

  #failedOnceMore(state: Attempts, rule: Rule, nowMs: number): Attempts {
    const failures = state.failures + 1;
    const over = failures - rule.free;
    const lockMs = over < 0 ? 0 : Math.min(rule.firstLockMs * 2 ** over, rule.lockMsMax);
    return { failures, lastAt: nowMs, lockedUntil: lockMs === 0 ? 0 : nowMs + lockMs };
  }

  async #makeRoom(attempts: AttemptStore, rule: string, nowMs: number): Promise<void> {
    if ((await attempts.count(rule)) >= ROWS_MAX)
      await attempts.removeLeast(rule, ROWS_DROPPED_AT_ONCE, nowMs);
  }

  /** For IPv6, the /64: one household or office has all of it (RFC 6177). */
  source(ip: string): Subject {
    return { rule: "source", key: `source:${networkOf(ip)}` };
  }

  /** The address is stored only as a hash: most addresses tried here belong to strangers. */
  account(email: string): Subject {
    return {
      rule: "account",
      key: `account:${this.#addressHash(email)}`,
    };
  }

  /** For IPv6, the /48 counts too: its holder has 65,536 networks. */
  sources(ip: string): readonly Subject[] {
    return isIPv6(ip)
      ? [this.source(ip), { rule: "network", key: `network:${networkOf(ip, NETWORK_GROUPS)}` }]
      : [this.source(ip)];
  }

  code(userId: number): Subject {
    return { rule: "code", key: `code:${userId}` };
  }

  mailTo(email: string): Subject {
    return {
      rule: "mail",
      key: `mail:${this.#addressHash(email)}`,
    };
  }

  invitationOf(tenantId: number, email: string): readonly Subject[] {
    return [
      { rule: "invitations", key: `invitations:${tenantId}` },
      { rule: "invitation", key: `invitation:${tenantId}:${this.#addressHash(email)}` },
    ];
  }

  /**
   * Counts a failed attempt for each subject. Throws rate_limited, and counts nothing, when one
   * is locked.
   */
  async attempt(subjects: readonly Subject[]): Promise<void> {
    const nowMs = this.deps.clock.now();
    const waitMs = await transaction(this.deps, async ({ attempts }) => {
      const states: (readonly [Subject, Attempts])[] = [];
      for (const subject of subjects) {
        const found = await attempts.get(subject.key);
        if (!found) await this.#makeRoom(attempts, subject.rule, nowMs);
        const state = this.#stateOf(found, LOCK_RULES[subject.rule], nowMs);
        if (found && found.lastAt > nowMs) await attempts.put(subject.key, state);
        states.push([subject, state]);
      }
      const locked = Math.max(...states.map(([, state]) => state.lockedUntil - nowMs));
      if (locked > 0) return locked;
      for (const [{ key, rule }, state] of states)
        await attempts.put(key, this.#failedOnceMore(state, LOCK_RULES[rule], nowMs));
      return 0;
    });
    if (waitMs > 0) throw locked(Math.ceil(waitMs / SECOND));
  }

  /** Removes a counted attempt after its success. */
  async undoAttempt(subjects: readonly Subject[]): Promise<void> {
    await transaction(this.deps, async ({ attempts }) => {
      for (const { key, rule } of subjects) {
        const found = await attempts.get(key);
        if (!found) continue;
        const failures = found.failures - 1;
        if (failures <= 0) await attempts.remove(key);
        else {
          const open = failures < LOCK_RULES[rule].free;
          const lockedUntil = open ? 0 : found.lockedUntil;
          await attempts.put(key, { ...found, failures, lockedUntil });
        }
      }
    });
  }

  /** Clears the failures of this account after a sign-in. */
  async clearFailures(subjects: readonly Subject[]): Promise<void> {
    await transaction(this.deps, async ({ attempts }) => {
      for (const { key } of subjects) await attempts.remove(key);
    });
  }

  async removeOld(): Promise<void> {
    const before = this.deps.clock.now() - LONGEST_MEMORY_MS;
    await transaction(this.deps, ({ attempts }) => attempts.removeBefore(before));
  }
}

const locked = (seconds: number) =>
  new AppError({
    code: "rate_limited",
    publicMessage: `Too many attempts. Try again in ${waitText(seconds)}.`,
    retryable: true,
    retryAfterSeconds: seconds,
  });

const waitText = (seconds: number) =>
  seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

const HOUSEHOLD_GROUPS = 4;
const NETWORK_GROUPS = 3;

/** `2001:db8::1` → `2001:db8:0:0`; an IPv4 address is unchanged. */
export function networkOf(ip: string, groups: number = HOUSEHOLD_GROUPS): string {
  if (!isIPv6(ip)) return ip;
  const [head = "", tail] = ip.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail ? tail.split(":") : [];
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(gap).fill("0"), ...right].slice(0, groups).join(":");
}
