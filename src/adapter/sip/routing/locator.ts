/**
 * What DNS said, for as long as it holds: its TTL within bounds. Concurrent questions are asked
 * once; where DNS fails, what was known before stands. Chance among servers of equal priority is
 * drawn from one seed: while a domain's records stay the same, so does the server we prefer, with
 * its registration, its connection and its NAT binding. The weights hold over many appliances.
 */
import { isIP } from "node:net";
import type { Clock } from "../../../core/clock.ts";
import { type Random, randomInt, seededRandom } from "../../../core/random.ts";
import type { SipDns } from "./dns.ts";
import { type Located, locate, type Place, type Target } from "./locate.ts";

interface LocatorDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly dns: SipDns;
  /** Whether our sockets reach that address at all (its family). */
  readonly reaches: (host: string) => boolean;
}

interface Entry {
  readonly targets: readonly Target[];
  readonly untilMs: number;
}

const TTL_MS_MIN = 30_000;
const TTL_MS_MAX = 300_000;
/** SRV and NAPTR come without their TTL; the resolver in front of us honours it. */
const TTL_MS_UNKNOWN = 60_000;
/** After a failure what was known stands, and DNS is asked again so soon. */
const RETRY_MS = 15_000;
const ENTRIES_MAX = 512;

export class Locator {
  readonly #entries = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<readonly Target[]>>();
  readonly #seed: number;

  constructor(private readonly deps: LocatorDeps) {
    this.#seed = randomInt(deps.random, 2 ** 31);
  }

  /** At least one target. Rejects when nothing is known and DNS has nothing either. */
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
      if (targets.length === 0)
        throw new Error(`${place.host} has no address of a kind that [sip] bind reaches`);
      if (isIP(place.host) !== 0) return targets;
      this.#keep(key, { targets, untilMs: this.deps.clock.monotonic() + ttlMs(located) });
      return targets;
    } catch (error) {
      if (!known) throw error;
      const untilMs = this.deps.clock.monotonic() + RETRY_MS;
      this.#keep(key, { targets: known.targets, untilMs });
      return known.targets;
    }
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= ENTRIES_MAX) return;
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

function ttlMs({ ttlSeconds }: Located): number {
  if (ttlSeconds === null) return TTL_MS_UNKNOWN;
  return Math.min(TTL_MS_MAX, Math.max(TTL_MS_MIN, ttlSeconds * 1000));
}
