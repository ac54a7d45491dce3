/**
 * Assigns requests to trunks. A call to our Contact user belongs to that trunk. Any other call
 * belongs to the trunk whose tenant owns the called number (decisions 12). The name of a trunk's
 * account and the order in which trunks were saved have no influence.
 *
 * A trunk with TLS accepts nothing over UDP or TCP. Once the carrier of a registered trunk has used
 * our Contact user, calls to a number are accepted one at a time until one is acknowledged. So the
 * sender of a spoofed address sees no 200. New calls are limited per trunk before any further
 * processing. A call that several trunks claim is rejected; so is an unclaimed call from an address
 * that several trunks share.
 */

import type { CallClaims, ClaimingTrunk, TrunkSettings } from "../call/sip-port.ts";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { type SipRequest, tagOf, userOf } from "./message/index.ts";
import { calledNumbersOf, isForAccount } from "./session/parties.ts";
import type { Flow } from "./transport/flow.ts";
import { RateLimit } from "./transport/rate-limit.ts";
import type { SipTrunk } from "./trunk.ts";
import type { TrunkIndex } from "./trunk-index.ts";

export interface CallRouterDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly index: TrunkIndex;
  readonly newCallsPerSecond: number;
  readonly claims: CallClaims;
  /**
   * Called when a call was rejected because several tenants claim its number; `called` is the
   * number as received.
   */
  readonly onConflict: (called: string, trunks: readonly TrunkSettings[]) => void;
  /**
   * Called once per address when an address that does not belong to the trunk uses its Contact
   * user.
   */
  readonly onUnknownSource: (trunk: TrunkSettings, host: string) => void;
}

interface RoutedCall {
  readonly trunk: SipTrunk;
  /**
   * The delivery proves that the called number is this trunk's. The trunk is sound, and the call is
   * for its Contact user or from an address of no other trunk. At a shared address the number alone
   * proves nothing.
   */
  readonly isOwn: boolean;
}

/** The trunk of the call, or the status code of the rejection. */
export type Routed = RoutedCall | { readonly rejected: 403 | 480 | 503 };

const FORBIDDEN = { rejected: 403 } as const;
const NO_TRUNK = { rejected: 480 } as const;
const TOO_MANY = { rejected: 503 } as const;

const TRUNKS_MAX = 10_000;
/** Maximum unknown addresses reported per trunk. */
const UNKNOWN_SOURCES_MAX = 16;
const WARNING_PERIOD_MS = 60_000;
const WARNINGS_MAX = 1000;

export const isNewCall = (request: SipRequest): boolean =>
  request.method === "INVITE" && tagOf(request.to) === null;

export class CallRouter {
  readonly #limit: RateLimit;
  readonly #contactUsed = new WeakSet<SipTrunk>();
  /** Call-ID of the latest call to a number since then; null if one was acknowledged. */
  readonly #toNumber = new WeakMap<SipTrunk, string | null>();
  readonly #unknownSources = new WeakMap<SipTrunk, Set<string>>();
  readonly #warnedAtMs = new Map<string, number>();

  constructor(private readonly deps: CallRouterDeps) {
    const { clock, newCallsPerSecond } = deps;
    const burst = newCallsPerSecond * 2;
    this.#limit = new RateLimit(clock, {
      tokensPerSecond: newCallsPerSecond,
      burst,
      sourcesMax: TRUNKS_MAX,
    });
  }

  /** The source filter: false for a request that cannot belong to any trunk. */
  admits(request: SipRequest, flow: Flow): boolean {
    if (!isNewCall(request)) return this.routeOf(request, flow) !== undefined;
    const { host } = flow.remote;
    const trunks = this.deps.index.at(host);
    const addressed = this.deps.index.withContact(userOf(request.uri));
    if (addressed && !trunks.includes(addressed)) {
      this.#warnUnknownSource(addressed, host);
      return false;
    }
    const meant = addressed ? [addressed] : trunks;
    if (meant.some((trunk) => takes(trunk, flow))) return true;
    const [trunk] = meant;
    if (trunk) this.#warn("trunk.call_without_tls", trunk, { transport: flow.transport });
    return false;
  }

  /**
   * The trunk of a request that opens no call: by its Contact user or Call-ID, otherwise by its
   * source.
   */
  routeOf(request: SipRequest, flow: Flow): SipTrunk | undefined {
    const { index } = this.deps;
    const trunks = index.at(flow.remote.host);
    const addressed = index.withContact(userOf(request.uri));
    if (addressed) {
      const isKnown = tagOf(request.to) !== null || trunks.includes(addressed);
      return isKnown && takes(addressed, flow) ? addressed : undefined;
    }
    const taking = trunks.filter((trunk) => takes(trunk, flow));
    return taking.find((trunk) => trunk.owns(request.callId)) ?? taking[0];
  }

  /**
   * The trunk of an admitted INVITE. Synchronous unless several trunks share the address. Never
   * rejects.
   */
  routeCall(request: SipRequest, flow: Flow): Routed | Promise<Routed> {
    const { index } = this.deps;
    const trunks = index.at(flow.remote.host);
    const addressed = index.withContact(userOf(request.uri));
    if (addressed) {
      this.#contactUsed.add(addressed);
      return this.#taken(addressed, flow, isSound(addressed));
    }
    const [only] = trunks;
    if (!only) return NO_TRUNK;
    return trunks.length === 1
      ? this.#unaddressed(only, request, flow, isSound(only))
      : this.#shared(request, trunks, flow);
  }

  /** A call of the trunk was answered, and the remote party has acknowledged it. */
  answered(trunk: SipTrunk, callId: string): void {
    if (this.#toNumber.get(trunk) === callId) this.#toNumber.set(trunk, null);
  }

  async #shared(request: SipRequest, trunks: readonly SipTrunk[], flow: Flow): Promise<Routed> {
    const { claims, log, onConflict } = this.deps;
    const called = calledNumbersOf(request, "");
    try {
      const ids = new Set(
        await claims(
          called,
          trunks.map((trunk) => claiming(trunk, request)),
        ),
      );
      const claimants = trunks.filter(({ settings }) => ids.has(settings.trunkId));
      const sound = claimants.filter(isSound);
      const [only] = sound.length > 0 ? sound : claimants;
      if (!only) {
        this.#warnOnce(`nobody ${flow.remote.host}`, () =>
          log.warn("call.unassigned", { source: flow.remote.host, trunks: trunks.length }),
        );
        return NO_TRUNK;
      }
      if (sound.length <= 1 && (sound.length === 1 || claimants.length === 1))
        return this.#unaddressed(only, request, flow, false);
      this.#warnOnce(`claimed ${flow.remote.host}`, () =>
        log.warn("call.ambiguous_trunk", {
          source: flow.remote.host,
          trunks: claimants.map(({ settings }) => settings.trunkId).join(),
        }),
      );
      onConflict(
        called[0] ?? "",
        claimants.map(({ settings }) => settings),
      );
      return NO_TRUNK;
    } catch (error) {
      log.error("call.not_routed", { error: describeError(error) });
      return TOO_MANY;
    }
  }

  /** Assigns by number. */
  #unaddressed(trunk: SipTrunk, { callId }: SipRequest, flow: Flow, isOwn: boolean): Routed {
    if (!trunk.settings.register || !this.#contactUsed.has(trunk))
      return this.#taken(trunk, flow, isOwn);
    const latest = this.#toNumber.get(trunk);
    if (latest && trunk.owns(latest)) {
      this.#warn("trunk.call_without_contact", trunk, { source: flow.remote.host });
      return FORBIDDEN;
    }
    if (latest !== null) this.#toNumber.set(trunk, callId);
    return this.#taken(trunk, flow, isOwn);
  }

  #taken(trunk: SipTrunk, flow: Flow, isOwn: boolean): Routed {
    if (!takes(trunk, flow)) return FORBIDDEN;
    if (this.#limit.take(String(trunk.settings.trunkId))) return { trunk, isOwn };
    this.#warn("trunk.calls_capped", trunk, { per_sec: this.deps.newCallsPerSecond });
    return TOO_MANY;
  }

  #warnUnknownSource(trunk: SipTrunk, host: string): void {
    const known = this.#unknownSources.get(trunk) ?? new Set();
    if (known.has(host) || known.size >= UNKNOWN_SOURCES_MAX) return;
    this.#unknownSources.set(trunk, known.add(host));
    const { log, onUnknownSource } = this.deps;
    log.warn("trunk.call_from_unknown_address", { trunk_id: trunk.settings.trunkId, source: host });
    onUnknownSource(trunk.settings, host);
  }

  #warn(event: string, { settings }: SipTrunk, fields: Record<string, string | number>): void {
    const { trunkId } = settings;
    this.#warnOnce(`${event} ${trunkId}`, () =>
      this.deps.log.warn(event, { trunk_id: trunkId, ...fields }),
    );
  }

  /** At most once a minute per key. */
  #warnOnce(key: string, warn: () => void): void {
    const now = this.deps.clock.monotonic();
    const last = this.#warnedAtMs.get(key);
    if (last !== undefined && now - last < WARNING_PERIOD_MS) return;
    if (this.#warnedAtMs.size >= WARNINGS_MAX) this.#warnedAtMs.clear();
    this.#warnedAtMs.set(key, now);
    warn();
  }
}

/** A trunk with TLS accepts no plaintext. */
const takes = (trunk: SipTrunk, flow: Flow): boolean =>
  trunk.transport !== "TLS" || flow.transport === "TLS";

/** The carrier has accepted our password, or the operator configured the trunk. */
const isSound = ({ registration }: SipTrunk): boolean =>
  registration.name === "registered" || registration.name === "not_required";

/** The account's name counts only if the carrier has accepted our password: it is free text. */
function claiming(trunk: SipTrunk, request: SipRequest): ClaimingTrunk {
  const { settings, contactUser } = trunk;
  const names = { contactUser, username: settings.username };
  const isRegistered = trunk.registration.name === "registered";
  return { settings, isForAccount: isRegistered && isForAccount(request, names) };
}
