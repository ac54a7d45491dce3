/**
 * Ignores sources that repeatedly send unwanted requests for a while: no parsing, no connections.
 * Bounded; an IPv6 source is its /64, the usual allocation to one customer. Not used for addresses
 * of trunks, so that nobody can get a provider banned by forging its address.
 */
import { isIPv6 } from "node:net";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock } from "../../core/clock.ts";

interface Record {
  strikes: number;
  /** Monotonic milliseconds. Earlier strikes no longer count. */
  sinceMs: number;
  bannedUntilMs: number;
}

const STRIKES_MAX = 30;
const WINDOW_MS = 60_000;
const BAN_MS = 600_000;
const SOURCES_MAX = 4096;

export class BanList {
  readonly #records = new BoundedMap<string, Record>(SOURCES_MAX);

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#records.size;
  }

  isBanned(host: string): boolean {
    const record = this.#records.get(sourceOf(host));
    return record !== undefined && record.bannedUntilMs > this.clock.monotonic();
  }

  /** Counts an unwanted request or invalid data. Returns true if the source is now banned. */
  strike(host: string): boolean {
    const source = sourceOf(host);
    const now = this.clock.monotonic();
    const record = this.#records.get(source) ?? { strikes: 0, sinceMs: now, bannedUntilMs: 0 };
    if (now - record.sinceMs > WINDOW_MS) Object.assign(record, { strikes: 0, sinceMs: now });
    record.strikes++;
    const banned = record.strikes >= STRIKES_MAX && record.bannedUntilMs <= now;
    if (banned) record.bannedUntilMs = now + BAN_MS;
    this.#records.set(source, record);
    return banned;
  }
}

/** The first four groups of an IPv6 address. */
function sourceOf(host: string): string {
  if (!isIPv6(host)) return host;
  const [head = "", tail] = host.split("::");
  const groups = head === "" ? [] : head.split(":");
  const tailGroups = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - tailGroups.length);
  const all = [...groups, ...Array<string>(missing).fill("0"), ...tailGroups];
  return `${all.slice(0, 4).join(":")}::/64`;
}
