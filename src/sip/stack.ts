/**
 * The SIP stack: one endpoint, one transaction layer, many trunks. Decides for each request whose
 * it is, and turns strangers away in silence. Composition only: see transport/, transaction/,
 * registration.ts and session/ for the work.
 */
import { isIP } from "node:net";
import type { Clock } from "../core/clock.ts";
import { sleep } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { CodecName } from "../media/plan.ts";
import {
  formatVia,
  plainHost,
  type ResponseParts,
  type SipRequest,
  stampSource,
  tagOf,
  userOf,
} from "./message/index.ts";
import { STUN_PORT } from "./nat/stun.ts";
import { StunClient } from "./nat/stun-client.ts";
import type { IncomingLeg, SipStack, Trunk, TrunkSettings } from "./ports.ts";
import { refusalOf } from "./request-checks.ts";
import { createDns, type SipDns } from "./routing/dns.ts";
import { FailedTargets } from "./routing/failed-targets.ts";
import { Locator } from "./routing/locator.ts";
import type { SrtpMode } from "./sdes.ts";
import { MIN_SE_SEC } from "./session/session-timer.ts";
import { TransactionLayer } from "./transaction/layer.ts";
import { Endpoint } from "./transport/endpoint.ts";
import type { Address, Flow } from "./transport/flow.ts";
import type { TlsListener } from "./transport/stream.ts";
import { SipTrunk } from "./trunk.ts";

export interface SipSettings {
  /** For UDP and TCP. Port 0: one that is free. */
  readonly bind: Address;
  /** An IP address, or "auto": learned from the registrar's answers. */
  readonly externalIp: "auto" | (string & {});
  /** Value of the User-Agent header. */
  readonly userAgent: string;
  readonly registerExpiresSec: number;
  /** In order of preference. Those the media engine cannot run must not be listed. */
  readonly codecs: readonly CodecName[];
  /** Missing: plain RTP. */
  readonly srtp?: SrtpMode;
  /** Whether silence may be told instead of sent (RFC 3389). */
  readonly comfortNoise?: boolean;
  /** Logs every message at debug level, marked as personal data. */
  readonly trace: boolean;
  /** RFC 4028: how long a call stands without being confirmed. Default 1800. */
  readonly sessionExpiresSec?: number;
  /** The shortest such time that we agree to. Default 90; only tests are in more of a hurry. */
  readonly sessionMinSec?: number;
  /** Where TLS connections are taken, and with which certificate. Default: nowhere. */
  readonly tls?: TlsListener | null;
  /** `host[:port]`, for trunks that name none. */
  readonly outboundProxy?: string | null;
  /** Says what our address is outside, where `externalIp` is "auto". Default: nobody. */
  readonly stunServer?: { readonly host: string; readonly port: number | null } | null;
  /** PEM of the only authorities that TLS trunks trust. Default: the public ones. */
  readonly tlsCa?: string | null;
}

export interface SipDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Every message that was received or sent, as on the wire. Default: nobody looks. */
  readonly seen?: (direction: "in" | "out", message: string) => void;
  /** Default: the system's resolver. */
  readonly dns?: SipDns;
}

const RETRY_AFTER_SEC = 30;
const SESSION_EXPIRES_SEC = 1800;
/** How long `close` waits for the answers to its BYEs. */
const FAREWELL_MS = 1500;
const FAREWELL_STEP_MS = 25;
const KEEP_ALIVE = new TextEncoder().encode("\r\n\r\n");
const HEARS_LOOK_MS = 50;
const HEARS_LOOKS = 20;

/** Binds the socket; throws when it cannot. `close` of the stack ends everything it started. */
export async function createSipStack(settings: SipSettings, deps: SipDeps): Promise<SipStack> {
  const stack = new Stack(settings, deps);
  await stack.open();
  return stack;
}

class Stack implements SipStack {
  readonly #trunks = new Map<number, SipTrunk>();
  readonly #trunkByContactUser = new Map<string, SipTrunk>();
  /** Which trunks an address belongs to: several, where tenants share a provider. */
  readonly #trunksByAddress = new Map<string, Set<SipTrunk>>();
  readonly #transactions: TransactionLayer;
  readonly #failed: FailedTargets;
  readonly #locator: Locator;
  #endpoint: Endpoint | undefined;
  #stun: StunClient | undefined;
  #handler: ((leg: IncomingLeg) => void) | undefined;
  #refusing = false;
  /** Nothing is registered any more. */
  #leaving = false;
  #ignored = 0;

  constructor(
    private readonly settings: SipSettings,
    private readonly deps: SipDeps,
  ) {
    const { clock, random } = deps;
    this.#failed = new FailedTargets(clock);
    this.#locator = new Locator({
      ...{ clock, random, dns: deps.dns ?? createDns() },
      reaches: (host) => reaches(settings.bind.host, host),
    });
    this.#transactions = new TransactionLayer({
      clock: deps.clock,
      onRequest: (request) => this.#onRequest(request),
      flowTo: (flow, address) => this.#open.flowTo(address) ?? flow,
    });
  }

  async open(): Promise<void> {
    const { clock, log } = this.deps;
    this.#endpoint = await Endpoint.open({
      bind: this.settings.bind,
      trace: this.settings.trace,
      seen: this.deps.seen ?? null,
      tls: this.settings.tls ?? null,
      tlsCa: this.settings.tlsCa ?? null,
      clock,
      log,
      isTrusted: (host) => this.#trunksByAddress.has(host),
      onMessage: (message, flow) => {
        if (message.kind === "response") this.#transactions.receiveResponse(message, flow);
        else this.#admit(message, flow);
      },
      onStun: (bytes, source) => this.#stun?.receive(bytes, source),
    });
    this.#startStun();
  }

  get localAddress(): Address {
    return this.#open.local;
  }

  get localTlsAddress(): Address | null {
    return this.#open.localTls;
  }

  addTrunk(stated: TrunkSettings): Trunk {
    if (this.#trunks.has(stated.trunkId)) throw new Error("the trunk exists already");
    const outboundProxy = stated.outboundProxy ?? this.settings.outboundProxy ?? null;
    const settings = { ...stated, outboundProxy };
    const { clock, random, log } = this.deps;
    const hasKeys = (this.settings.srtp ?? "off") !== "off";
    if (hasKeys && settings.transport !== "tls") {
      log.warn("srtp_keys_in_clear", { trunk_id: settings.trunkId, transport: settings.transport });
    }
    const trunk = new SipTrunk(settings, {
      clock,
      random,
      log,
      locator: this.#locator,
      failed: this.#failed,
      mapped: () => this.#stun?.mapped ?? null,
      transactions: this.#transactions,
      local: this.localAddress,
      externalIp: this.settings.externalIp,
      userAgent: this.settings.userAgent,
      registerExpiresSec: this.settings.registerExpiresSec,
      codecs: this.settings.codecs,
      srtp: this.settings.srtp,
      comfortNoise: this.settings.comfortNoise,
      sessionExpiresSec: this.settings.sessionExpiresSec ?? SESSION_EXPIRES_SEC,
      sessionMinSec: this.settings.sessionMinSec ?? MIN_SE_SEC,
      flowTo: (remote) => this.#endpoint?.flowTo(remote),
      connectionTo: (peer) => this.#open.connectionTo(peer),
      onIncoming: (leg) => this.#onIncoming(leg),
      onAddresses: (changed) => this.#indexAddresses(changed),
    });
    this.#trunks.set(settings.trunkId, trunk);
    this.#trunkByContactUser.set(trunk.contactUser, trunk);
    if (this.#leaving) void trunk.leaveRegistrar();
    trunk.start();
    return trunk;
  }

  trunk(trunkId: number): Trunk | undefined {
    return this.#trunks.get(trunkId);
  }

  async hears(): Promise<boolean> {
    const endpoint = this.#endpoint;
    if (!endpoint) return false;
    const before = endpoint.counters.keepAlives;
    endpoint.sendBytes(KEEP_ALIVE, ownAddress(endpoint.local));
    for (let look = 0; look < HEARS_LOOKS; look++) {
      await sleep(this.deps.clock, HEARS_LOOK_MS);
      if (endpoint.counters.keepAlives > before) return true;
    }
    return false;
  }

  registrations(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { registration } of this.#trunks.values())
      counts[registration.name] = (counts[registration.name] ?? 0) + 1;
    return counts;
  }

  async removeTrunk(trunkId: number): Promise<void> {
    const trunk = this.#trunks.get(trunkId);
    if (!trunk) return;
    this.#trunks.delete(trunkId);
    await trunk.unregister();
    this.#forgetWhenIdle(trunk);
  }

  onIncoming(handler: (leg: IncomingLeg) => void): void {
    this.#handler = handler;
  }

  refuseNewCalls(): void {
    this.#refusing = true;
  }

  async unregister(): Promise<void> {
    this.#leaving = true;
    await Promise.all([...this.#trunks.values()].map((trunk) => trunk.leaveRegistrar()));
  }

  async close(): Promise<void> {
    this.#refusing = true;
    this.#stun?.close();
    const trunks = [...this.#trunkByContactUser.values()];
    for (const trunk of trunks) trunk.endLegs();
    await Promise.all([...trunks.map((trunk) => trunk.unregister()), this.#farewell()]);
    for (const trunk of trunks) trunk.close();
    this.#transactions.close();
    await this.#endpoint?.close();
    this.#trunks.clear();
    this.#trunkByContactUser.clear();
    this.#trunksByAddress.clear();
  }

  get #open(): Endpoint {
    if (!this.#endpoint) throw new Error("the SIP stack is not open");
    return this.#endpoint;
  }

  #startStun(): void {
    const { stunServer, externalIp } = this.settings;
    if (!stunServer || externalIp !== "auto") return;
    const { clock, random, log } = this.deps;
    const place = { ...stunServer, port: stunServer.port ?? STUN_PORT, transport: "UDP" } as const;
    this.#stun = new StunClient({
      ...{ clock, random, log },
      locate: async () => (await this.#locator.find(place)).map(({ remote }) => remote),
      send: (bytes, remote) => this.#endpoint?.sendBytes(bytes, remote),
      onMapped: () => {
        for (const trunk of this.#trunks.values()) trunk.moved();
      },
    });
    this.#stun.start();
  }

  /** Waits until our last requests are answered, for a bounded time. */
  async #farewell(): Promise<void> {
    for (let waitedMs = 0; waitedMs < FAREWELL_MS; waitedMs += FAREWELL_STEP_MS) {
      await sleep(this.deps.clock, FAREWELL_STEP_MS);
      if (this.#transactions.unanswered === 0) return;
    }
  }

  /** A removed trunk still takes the in-dialog requests of its live legs. */
  #forgetWhenIdle(trunk: SipTrunk): void {
    if (trunk.legs.size > 0) {
      this.deps.clock.after(1000, () => this.#forgetWhenIdle(trunk));
      return;
    }
    this.#trunkByContactUser.delete(trunk.contactUser);
    this.#unindex(trunk);
    trunk.close();
  }

  #indexAddresses(trunk: SipTrunk): void {
    this.#unindex(trunk);
    for (const address of trunk.addresses) {
      const trunks = this.#trunksByAddress.get(address) ?? new Set();
      this.#trunksByAddress.set(address, trunks.add(trunk));
    }
  }

  #unindex(trunk: SipTrunk): void {
    for (const [address, trunks] of this.#trunksByAddress) {
      if (trunks.delete(trunk) && trunks.size === 0) this.#trunksByAddress.delete(address);
    }
  }

  // ---- requests ----

  /** The source filter: what belongs to no trunk leaves no trace, not even a transaction. */
  #admit(request: SipRequest, flow: Flow): void {
    const trunk = this.#routeOf(request, flow.remote.host);
    if (!trunk) {
      this.#ignored++;
      this.#endpoint?.strike(flow.remote.host);
      this.deps.log.debug("sip_request_ignored", { method: request.method, total: this.#ignored });
      return;
    }
    this.#transactions.receiveRequest(stamped(request, flow.remote), flow);
  }

  #onRequest(request: SipRequest): void {
    // Routed again instead of remembered: only the first of many repeats comes here.
    const source = plainHost(request.via.parameters.get("received") ?? request.via.host);
    const trunk = this.#routeOf(request, source);
    if (!trunk) return;
    const refusal = refusalOf(request) ?? this.#refusalWhileClosing(request);
    if (refusal) {
      this.#respond(request, refusal);
      return;
    }
    try {
      trunk.receiveRequest(request);
    } catch (error) {
      this.deps.log.error("sip_request_failed", {
        method: request.method,
        error: describeError(error),
      });
      this.#respond(request, { statusCode: 500 });
    }
  }

  #refusalWhileClosing(request: SipRequest): ResponseParts | undefined {
    const newCall = request.method === "INVITE" && tagOf(request.to) === null;
    if (!this.#refusing || !newCall) return undefined;
    return { statusCode: 503, headers: [["Retry-After", RETRY_AFTER_SEC]] };
  }

  #respond(request: SipRequest, parts: ResponseParts): void {
    if (request.method === "ACK") return;
    this.#transactions.respond(request, { toTag: hex(this.deps.random.bytes(8)), ...parts });
  }

  /**
   * By our Contact user, which only somebody who saw our REGISTER or INVITE knows; a new call must
   * come from the trunk's addresses besides. Else by source address.
   */
  #routeOf(request: SipRequest, source: string): SipTrunk | undefined {
    const addressed = this.#trunkByContactUser.get(userOf(request.uri) ?? "");
    const neighbours = this.#trunksByAddress.get(source);
    if (addressed) {
      const inDialog = tagOf(request.to) !== null;
      return inDialog || neighbours?.has(addressed) ? addressed : undefined;
    }
    if (!neighbours) return undefined;
    if (neighbours.size === 1) return neighbours.values().next().value;
    return chooseTrunk(request, [...neighbours]);
  }

  #onIncoming(leg: IncomingLeg): void {
    if (this.#handler) this.#handler(leg);
    else leg.reject(480);
  }
}

/** `::` reaches both families (RFC 3493 3.7); any other address only its own. */
const reaches = (bound: string, host: string): boolean =>
  bound === "::" || isIP(bound) === isIP(host);

/** Several trunks share the source address: the call's own, then the number's, then the peering. */
function chooseTrunk(request: SipRequest, trunks: readonly SipTrunk[]): SipTrunk | undefined {
  const users = [userOf(request.uri), userOf(request.to.uri)];
  const fits = (trunk: SipTrunk) =>
    users.includes(trunk.settings.username) || users.includes(trunk.settings.callerId);
  return (
    trunks.find((trunk) => trunk.owns(request.callId)) ??
    trunks.find(fits) ??
    trunks.find((trunk) => !trunk.settings.register) ??
    trunks[0]
  );
}

/** The request with `received` and `rport` in its top Via (RFC 3261 18.2.1, RFC 3581 4). */
function stamped(request: SipRequest, source: Address): SipRequest {
  const via = stampSource(request.via, source);
  const headers = request.headers.clone();
  headers.setFirst("via", formatVia(via));
  return { ...request, via, headers };
}

/** Where a socket bound to all addresses is reached from here. */
function ownAddress({ host, port }: Address): Address {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return { host: host === "::" ? "::1" : host, port };
}
