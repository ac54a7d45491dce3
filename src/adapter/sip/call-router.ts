/**
 * Whose request it is. A call addressed to our Contact user is that trunk's; any other belongs to the trunk
 * whose own tenant owns the called number (decisions.md 12). What a trunk's account is called and the order
 * in which trunks were saved decide nothing.
 *
 * Guarantees: a trunk that speaks TLS takes nothing over UDP or TCP; once a registered trunk's carrier has
 * used our Contact user, it must; new calls are capped per trunk before anybody hears of them; a call that
 * several trunks claim, or that nobody does at an address which several share, is nobody's.
 */
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { CallClaims, ClaimingTrunk, TrunkSettings } from "../../domain/call/sip-port.ts";
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
  /** A call was refused because several tenants claim its number, as it was written. */
  readonly onConflict: (called: string, trunks: readonly TrunkSettings[]) => void;
  /** Somebody at an address that is not the trunk's used its Contact user; told once an address. */
  readonly onUnknownSource: (trunk: TrunkSettings, host: string) => void;
}

/** The trunk that takes the call, or the code of the refusal. */
export type Routed = { readonly trunk: SipTrunk } | { readonly rejected: 403 | 480 | 503 };

const FORBIDDEN = { rejected: 403 } as const;
const NO_TRUNK = { rejected: 480 } as const;
const TOO_MANY = { rejected: 503 } as const;

const TRUNKS_MAX = 10_000;
/** Unknown addresses that are told of one trunk. */
const UNKNOWN_SOURCES_MAX = 16;
const WARNING_PERIOD_MS = 60_000;
const WARNINGS_MAX = 1000;

export const isNewCall = (request: SipRequest): boolean =>
  request.method === "INVITE" && tagOf(request.to) === null;

export class CallRouter {
  readonly #limit: RateLimit;
  readonly #contactUsed = new WeakSet<SipTrunk>();
  readonly #unknownSources = new WeakMap<SipTrunk, Set<string>>();
  readonly #warnedAtMs = new Map<string, number>();

  constructor(private readonly deps: CallRouterDeps) {
    const { clock, newCallsPerSecond } = deps;
    const burst = newCallsPerSecond * 2;
    this.#limit = new RateLimit(clock, {
      ...{ tokensPerSecond: newCallsPerSecond, burst, sourcesMax: TRUNKS_MAX },
    });
  }

  /** The source filter: false for what may belong to no trunk. */
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

  /** Whose a request is that opens no call: by its Contact user or Call-ID, else by where it came from. */
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

  /** Whose an admitted INVITE is. At once, but where several trunks share the address. Never rejects. */
  routeCall(request: SipRequest, flow: Flow): Routed | Promise<Routed> {
    const { index } = this.deps;
    const trunks = index.at(flow.remote.host);
    const addressed = index.withContact(userOf(request.uri));
    if (addressed) {
      this.#contactUsed.add(addressed);
      return this.#taken(addressed, flow);
    }
    const [only] = trunks;
    if (!only) return NO_TRUNK;
    return trunks.length === 1
      ? this.#unaddressed(only, flow)
      : this.#shared(request, trunks, flow);
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
        return this.#unaddressed(only, flow);
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

  /** By its number. Whoever has seen our Contact user needs no number to find us. */
  #unaddressed(trunk: SipTrunk, flow: Flow): Routed {
    if (!trunk.settings.register || !this.#contactUsed.has(trunk)) return this.#taken(trunk, flow);
    this.#warn("trunk.call_without_contact", trunk, { source: flow.remote.host });
    return FORBIDDEN;
  }

  #taken(trunk: SipTrunk, flow: Flow): Routed {
    if (!takes(trunk, flow)) return FORBIDDEN;
    if (this.#limit.take(String(trunk.settings.trunkId))) return { trunk };
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

  /** At most once a minute each. */
  #warnOnce(key: string, warn: () => void): void {
    const now = this.deps.clock.monotonic();
    const last = this.#warnedAtMs.get(key);
    if (last !== undefined && now - last < WARNING_PERIOD_MS) return;
    if (this.#warnedAtMs.size >= WARNINGS_MAX) this.#warnedAtMs.clear();
    this.#warnedAtMs.set(key, now);
    warn();
  }
}

/** A trunk that speaks TLS is not spoken to in the clear. */
const takes = (trunk: SipTrunk, flow: Flow): boolean =>
  trunk.transport !== "TLS" || flow.transport === "TLS";

/** The carrier has taken its password, or the operator vouches for it. */
const isSound = ({ registration }: SipTrunk): boolean =>
  registration.name === "registered" || registration.name === "not_required";

/** Free text proves nothing: the account's name counts where the carrier has taken its password. */
function claiming(trunk: SipTrunk, request: SipRequest): ClaimingTrunk {
  const { settings, contactUser } = trunk;
  const names = { contactUser, username: settings.username };
  const isRegistered = trunk.registration.name === "registered";
  return { settings, isForAccount: isRegistered && isForAccount(request, names) };
}
