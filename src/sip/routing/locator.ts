/**
 * Caches DNS results for their TTL within limits. Concurrent queries for a name are sent once. If
 * DNS fails, the previous result remains valid. Servers with equal priority are ordered by one
 * random seed. So while a domain's records don't change, we use the same server, with its
 * registration, connection and NAT binding. Across many appliances the weights are respected.
 */
import { isIP } from "node:net";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock } from "../../core/clock.ts";
import { type Random, randomInt, seededRandom } from "../../core/random.ts";
import type { SipDns } from "./dns.ts";
import { type Located, locate, type Place, type Target } from "./locate.ts";

interface LocatorDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly dns: SipDns;
  /** True if our sockets can reach that address (its family). */
  readonly reaches: (host: string) => boolean;
}

/** The name has servers, but our sockets reach none of their addresses. */
export class WrongFamily extends Error {
  override readonly name = "WrongFamily";
  constructor(host: string, family: 4 | 6) {
    super(
      `${host} has only IPv${family} addresses, and [sip] bind is not one of them. The operator can set bind to an IPv${family} address of this machine, or to "::" for both kinds.`,
    );
  }
}

interface Entry {
  readonly targets: readonly Target[];
  readonly untilMs: number;
}

const TTL_MS_MIN = 30_000;
const TTL_MS_MAX = 300_000;
/** node:dns returns SRV and NAPTR without TTL; the resolver caches them itself. */
const TTL_MS_UNKNOWN = 60_000;
/** After a failure the previous result is used, and DNS is queried again after this time. */
const RETRY_MS = 15_000;
const ENTRIES_MAX = 512;

export class Locator {
  readonly #entries = new BoundedMap<string, Entry>(ENTRIES_MAX);
  readonly #asking = new Map<string, Promise<readonly Target[]>>();
  readonly #seed: number;

  constructor(private readonly deps: LocatorDeps) {
    this.#seed = randomInt(deps.random, 2 ** 31);
  }

  /** Returns at least one target. Rejects if there is no previous result and DNS has none. */
  async find(place: Place): Promise<readonly Target[]> {
    const key = `${place.transport}|${place.host.toLowerCase()}|${place.port ?? ""}`;
    const known = this.#entries.get(key);
    if (known && known.untilMs > this.deps.clock.monotonic()) return known.targets;
    const asking = this.#asking.get(key) ?? this.#ask(place, key, known);
    this.#asking.set(key, asking);
    try {
      return await asking;
    } finally {
      if (this.#asking.get(key) === asking) this.#asking.delete(key);
    }
  }

  async #ask(place: Place, key: string, known: Entry | undefined): Promise<readonly Target[]> {
    const { dns, reaches } = this.deps;
    try {
      const located = await locate(place, dns, seededRandom(this.#seed));
      const targets = located.targets.filter(({ remote }) => reaches(remote.host));
      const [first] = located.targets;
      if (targets.length === 0 && first)
        throw new WrongFamily(place.host, isIP(first.remote.host) === 6 ? 6 : 4);
      if (isIP(place.host) !== 0) return targets;
      this.#entries.set(key, { targets, untilMs: this.deps.clock.monotonic() + ttlMs(located) });
      return targets;
    } catch (error) {
      if (!known) throw error;
      const untilMs = this.deps.clock.monotonic() + RETRY_MS;
      this.#entries.set(key, { targets: known.targets, untilMs });
      return known.targets;
    }
  }
}

function ttlMs({ ttlSeconds }: Located): number {
  if (ttlSeconds === null) return TTL_MS_UNKNOWN;
  return Math.min(TTL_MS_MAX, Math.max(TTL_MS_MIN, ttlSeconds * 1000));
}
