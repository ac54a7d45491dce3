/**
 * The SIP stack: one endpoint, one transaction layer, many trunks. Assigns each request to a trunk
 * and drops requests from unknown sources without a response. Composition only; the work is in
 * transport/, transaction/, registration.ts and session/.
 */
import { isIP } from "node:net";
import type { CallClaims, IncomingLeg, SipStack, Trunk, TrunkSettings } from "../call/sip-port.ts";
import type { Clock } from "../core/clock.ts";
import { sleep } from "../core/clock.ts";
import type { CodecName } from "../core/codecs.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { AddressRules } from "../platform/net/address-rules.ts";
import { CallRouter, type CallRouterDeps, isNewCall, type Routed } from "./call-router.ts";
import { type ResponseParts, type SipRequest, stamped } from "./message/index.ts";
import { STUN_PORT } from "./nat/stun.ts";
import { StunClient } from "./nat/stun-client.ts";
import { rejectionOf } from "./request-checks.ts";
import { createDns, type SipDns } from "./routing/dns.ts";
import { FailedTargets } from "./routing/failed-targets.ts";
import { Locator } from "./routing/locator.ts";
import type { SrtpMode } from "./sdes.ts";
import { MIN_SE_SECONDS } from "./session/session-timer.ts";
import { TransactionLayer } from "./transaction/layer.ts";
import { Endpoint } from "./transport/endpoint.ts";
import type { Address, Flow } from "./transport/flow.ts";
import type { TlsListener } from "./transport/stream.ts";
import { SipTrunk } from "./trunk.ts";
import { TrunkIndex } from "./trunk-index.ts";

export interface SipSettings {
  /** For UDP and TCP. Port 0: any free port. */
  readonly bind: Address;
  /** An IP address, or "auto": from the registrar's responses. */
  readonly externalIp: "auto" | (string & {});
  /** Networks (CIDR) that trunks may use although they are not public. */
  readonly allowNetworks: readonly string[];
  readonly userAgent: string;
  readonly registerExpiresSeconds: number;
  /** In order of preference. Must not contain codecs that the media engine does not support. */
  readonly codecs: readonly CodecName[];
  /** If missing, plain RTP. */
  readonly srtp?: SrtpMode;
  /** Whether comfort noise may replace silence (RFC 3389). */
  readonly comfortNoise?: boolean;
  /** Logs every message at debug level, marked as personal data. */
  readonly trace: boolean;
  /** RFC 4028: lifetime of a call without a refresh. Default 1800. */
  readonly sessionExpiresSeconds?: number;
  /** The minimum session interval that we accept. Default 90; only tests use less. */
  readonly sessionMinSeconds?: number;
  /** Address and certificate for incoming TLS connections. Default: none. */
  readonly tls?: TlsListener | null;
  /** `host[:port]`, for trunks without their own. */
  readonly outboundProxy?: string | null;
  /** Reports our public address if `externalIp` is "auto". Default: none. */
  readonly stunServer?: { readonly host: string; readonly port: number | null } | null;
  /** New calls per second and trunk; bursts of twice as many. Default 250. */
  readonly newCallsPerSecond?: number;
  /** PEM of certificate authorities for TLS trunks, in addition to the public ones. */
  readonly tlsCa?: string | null;
}

export interface SipDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called for every message received or sent, as on the wire. */
  readonly seen?: (direction: "in" | "out", message: string) => void;
  /** Default: the system's resolver. */
  readonly dns?: SipDns;
  /** Default: calls from an address that several trunks share are not claimed. */
  readonly claims?: CallClaims;
  /** See CallRouterDeps. */
  readonly onConflict?: CallRouterDeps["onConflict"];
  readonly onUnknownSource?: CallRouterDeps["onUnknownSource"];
}

const UNAVAILABLE: ResponseParts = { statusCode: 503, headers: [["Retry-After", 30]] };
const NEW_CALLS_PER_SECOND = 250;
const SESSION_EXPIRES_SECONDS = 1800;
/** How long `close` waits for responses to its BYEs. */
const LAST_REQUESTS_MS = 1500;
const LAST_REQUESTS_STEP_MS = 25;
const KEEP_ALIVE = new TextEncoder().encode("\r\n\r\n");
const KEEP_ALIVE_POLL_MS = 50;
const KEEP_ALIVE_POLLS = 20;

/** Binds the socket; throws if it cannot. `close` of the stack ends everything it started. */
export async function createSipStack(settings: SipSettings, deps: SipDeps): Promise<SipStack> {
  const stack = new Stack(settings, deps);
  await stack.open();
  return stack;
}

class Stack implements SipStack {
  readonly #trunks = new Map<number, SipTrunk>();
  readonly #index = new TrunkIndex();
  readonly #router: CallRouter;
  /** Calls whose trunk is being determined, by Call-ID: later requests of the call wait. */
  readonly #finding = new Map<string, Promise<void>>();
  readonly #transactions: TransactionLayer;
  readonly #failed: FailedTargets;
  readonly #rules: AddressRules;
  readonly #locator: Locator;
  #endpoint: Endpoint | undefined;
  #stun: StunClient | undefined;
  #handler: ((leg: IncomingLeg) => void) | undefined;
  #isRejectingCalls = false;
  /** No trunk registers any more. */
  #leaving = false;
  #ignored = 0;

  constructor(
    private readonly settings: SipSettings,
    private readonly deps: SipDeps,
  ) {
    const { clock, random } = deps;
    this.#failed = new FailedTargets(clock);
    this.#rules = new AddressRules(settings.allowNetworks);
    this.#locator = new Locator({
      clock,
      random,
      dns: deps.dns ?? createDns(),
      reaches: (host) => reaches(settings.bind.host, host),
    });
    this.#router = new CallRouter({
      clock,
      log: deps.log,
      index: this.#index,
      newCallsPerSecond: settings.newCallsPerSecond ?? NEW_CALLS_PER_SECOND,
      claims: deps.claims ?? (async () => []),
      onConflict: deps.onConflict ?? (() => {}),
      onUnknownSource: deps.onUnknownSource ?? (() => {}),
    });
    this.#transactions = new TransactionLayer({
      clock: deps.clock,
      onRequest: (request, flow) => this.#onRequest(request, flow),
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
      isTrusted: (host) => this.#index.at(host).length > 0,
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
    // A proxy from the configuration also counts as set by the operator.
    const isOperators = stated.setByOperator || outboundProxy !== stated.outboundProxy;
    const isOpen = (host: string) => this.#rules.check(host).allowed;
    const { clock, random, log } = this.deps;
    const hasKeys = (this.settings.srtp ?? "off") !== "off";
    if (hasKeys && settings.transport !== "tls") {
      log.warn("srtp.keys_in_clear", { trunk_id: settings.trunkId, transport: settings.transport });
    }
    const trunk: SipTrunk = new SipTrunk(settings, {
      ...this.settings,
      clock,
      random,
      log,
      locator: this.#locator,
      mayReach: (host) => isOperators || isOpen(host),
      isOpen,
      failed: this.#failed,
      mapped: () => this.#stun?.mapped ?? null,
      transactions: this.#transactions,
      local: this.localAddress,
      localTls: this.localTlsAddress,
      sessionExpiresSeconds: this.settings.sessionExpiresSeconds ?? SESSION_EXPIRES_SECONDS,
      sessionMinSeconds: this.settings.sessionMinSeconds ?? MIN_SE_SECONDS,
      flowTo: (remote) => this.#endpoint?.flowTo(remote),
      connectionTo: (peer) => this.#open.connectionTo(peer),
      onIncoming: (leg) => this.#onIncoming(leg),
      onAnswered: (callId) => this.#router.answered(trunk, callId),
      onAddresses: (changed) => this.#index.moved(changed),
    });
    this.#index.add(trunk);
    this.#trunks.set(settings.trunkId, trunk);
    if (this.#leaving) void trunk.leaveRegistrar();
    trunk.start();
    return trunk;
  }

  trunk(trunkId: number): Trunk | undefined {
    return this.#trunks.get(trunkId);
  }

  async receivesOwnKeepAlive(): Promise<boolean> {
    const endpoint = this.#endpoint;
    if (!endpoint) return false;
    const before = endpoint.keepAlives;
    endpoint.sendBytes(KEEP_ALIVE, ownAddress(endpoint.local));
    for (let look = 0; look < KEEP_ALIVE_POLLS; look++) {
      await sleep(this.deps.clock, KEEP_ALIVE_POLL_MS);
      if (endpoint.keepAlives > before) return true;
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

  renewCertificate(pair: Pick<TlsListener, "cert" | "key">): void {
    this.#open.renewCertificate(pair);
  }

  rejectNewCalls(): void {
    this.#isRejectingCalls = true;
  }

  async unregister(): Promise<void> {
    this.#leaving = true;
    await Promise.all([...this.#trunks.values()].map((trunk) => trunk.leaveRegistrar()));
  }

  async close(): Promise<void> {
    this.#isRejectingCalls = true;
    this.#stun?.close();
    const trunks = this.#index.all;
    for (const trunk of trunks) trunk.endLegs();
    await Promise.all([...trunks.map((trunk) => trunk.unregister()), this.#awaitLastRequests()]);
    for (const trunk of trunks) trunk.close();
    this.#transactions.close();
    await this.#endpoint?.close();
    this.#trunks.clear();
    this.#index.clear();
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
      clock,
      random,
      log,
      locate: async () => (await this.#locator.find(place)).map(({ remote }) => remote),
      send: (bytes, remote) => this.#endpoint?.sendBytes(bytes, remote),
      onMapped: () => {
        for (const trunk of this.#trunks.values()) trunk.moved();
      },
    });
    this.#stun.start();
  }

  /** Waits for the responses to our last requests, for a limited time. */
  async #awaitLastRequests(): Promise<void> {
    for (let waitedMs = 0; waitedMs < LAST_REQUESTS_MS; waitedMs += LAST_REQUESTS_STEP_MS) {
      await sleep(this.deps.clock, LAST_REQUESTS_STEP_MS);
      if (this.#transactions.unanswered === 0) return;
    }
  }

  /** A removed trunk still receives the in-dialog requests of its live legs. */
  #forgetWhenIdle(trunk: SipTrunk): void {
    if (trunk.legs.size > 0) {
      this.deps.clock.after(1000, () => this.#forgetWhenIdle(trunk));
      return;
    }
    this.#index.remove(trunk);
    trunk.close();
  }

  /**
   * The source filter: a request that belongs to no trunk creates no state, not even a transaction.
   */
  #admit(request: SipRequest, flow: Flow): void {
    if (!this.#router.admits(request, flow)) {
      this.#ignored++;
      this.#endpoint?.strike(flow.remote.host);
      this.deps.log.debug("sip.request_ignored", { method: request.method, total: this.#ignored });
      return;
    }
    this.#transactions.receiveRequest(stamped(request, flow.remote), flow);
  }

  #onRequest(request: SipRequest, flow: Flow): void {
    const rejection = rejectionOf(request);
    if (rejection) {
      this.#respond(request, rejection);
      return;
    }
    if (isNewCall(request)) {
      this.#onCall(request, flow);
      return;
    }
    // A CANCEL may arrive before the call is assigned to a trunk.
    const finding = this.#finding.get(request.callId);
    if (finding) void finding.then(() => this.#onRequest(request, flow));
    else this.#pass(request, this.#router.routeOf(request, flow));
  }

  #onCall(request: SipRequest, flow: Flow): void {
    if (this.#isRejectingCalls) {
      this.#respond(request, UNAVAILABLE);
      return;
    }
    const routed = this.#router.routeCall(request, flow);
    if (!(routed instanceof Promise)) {
      this.#settle(request, routed);
      return;
    }
    const { callId } = request;
    const found = routed.then((result) => {
      this.#finding.delete(callId);
      this.#settle(request, result);
    });
    this.#finding.set(callId, found);
  }

  #settle(request: SipRequest, routed: Routed): void {
    if ("trunk" in routed) this.#pass(request, routed.trunk, routed.isOwn);
    else if (routed.rejected === 503) this.#respond(request, UNAVAILABLE);
    else this.#respond(request, { statusCode: routed.rejected });
  }

  #pass(request: SipRequest, trunk: SipTrunk | undefined, isOwn = false): void {
    if (!trunk) return;
    try {
      trunk.receiveRequest(request, isOwn);
    } catch (error) {
      this.deps.log.error("sip.request_failed", {
        method: request.method,
        error: describeError(error),
      });
      this.#respond(request, { statusCode: 500 });
    }
  }

  #respond(request: SipRequest, parts: ResponseParts): void {
    if (request.method === "ACK") return;
    this.#transactions.respond(request, { toTag: hex(this.deps.random.bytes(8)), ...parts });
  }

  #onIncoming(leg: IncomingLeg): void {
    if (this.#handler) this.#handler(leg);
    else leg.reject(480);
  }
}

/** `::` covers both address families (RFC 3493 3.7); any other address only its own. */
const reaches = (bound: string, host: string): boolean =>
  bound === "::" || isIP(bound) === isIP(host);

/** A local address of a socket bound to all addresses. */
function ownAddress({ host, port }: Address): Address {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return { host: host === "::" ? "::1" : host, port };
}
