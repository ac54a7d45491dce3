/**
 * One trunk at work: its credentials, addresses, registration, SIP.js user agent and legs. The
 * stack decides which messages are its own; this decides where its messages go and what address
 * they carry.
 */
import type { Invitation, URI } from "sip.js";
import { URI as SipJsUri } from "sip.js";
import type { Clock, Timer } from "../core/clock.ts";
import { isE164 } from "../core/e164.ts";
import type { Unsubscribe } from "../core/emitter.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import { type Random, randomInt } from "../core/random.ts";
import type { CodecName, MediaPlan } from "../media/plan.ts";
import { ask } from "./ask.ts";
import { TrunkCredentials } from "./credentials.ts";
import {
  buildResponse,
  parseMessage,
  parseUri,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  tagOf,
} from "./message/index.ts";
import type {
  IncomingLeg,
  OutgoingLeg,
  PlaceRequest,
  RegistrationStatus,
  Trunk,
  TrunkProbe,
  TrunkSettings,
} from "./ports.ts";
import { probeTrunk } from "./probe.ts";
import { hostForUri, type RegisterRequest, RegistrationClient } from "./registration.ts";
import { SipIncomingLeg } from "./session/incoming-leg.ts";
import type { BaseLeg, LegContext } from "./session/leg.ts";
import { MediaNegotiator } from "./session/media-negotiator.ts";
import { SipOutgoingLeg } from "./session/outgoing-leg.ts";
import { TrunkUserAgent } from "./session/user-agent.ts";
import type { ClientTransactionUser } from "./transaction/client.ts";
import type { TransactionLayer } from "./transaction/layer.ts";
import type { Address, Flow, StreamFlow, TransportName } from "./transport/flow.ts";
import type { Resolve } from "./transport/resolver.ts";
import type { Peer } from "./transport/stream.ts";
import { defaultPortOf, TrunkAddresses } from "./trunk-addresses.ts";
import { TrunkLink } from "./trunk-link.ts";

export interface TrunkDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly resolve: Resolve;
  readonly transactions: TransactionLayer;
  readonly local: Address;
  readonly externalIp: string;
  readonly userAgent: string;
  readonly registerExpiresSec: number;
  readonly codecs: readonly CodecName[];
  readonly sessionExpiresSec: number;
  readonly sessionMinSec: number;
  /** Datagrams. */
  flowTo(remote: Address): Flow | undefined;
  connectionTo(peer: Peer): Promise<StreamFlow>;
  onIncoming(leg: IncomingLeg): void;
  /** The addresses that belong to this trunk were looked up anew. */
  onAddresses(trunk: SipTrunk): void;
}

const RENEWAL_PAUSE_MS = 60_000;
/** Shorter than the shortest UDP binding of common NATs (30 s). */
const KEEP_ALIVE_MS = 15_000;

export class SipTrunk implements Trunk {
  /** Unguessable: whoever knows it has seen our REGISTER or our INVITE. */
  readonly contactUser: string;
  readonly legs = new Set<BaseLeg>();
  readonly #hostToken: string;
  readonly #log: Log;
  readonly #credentials: TrunkCredentials;
  readonly #agent: TrunkUserAgent;
  readonly #registration: RegistrationClient | null;
  readonly #addresses: TrunkAddresses;
  readonly #link: TrunkLink;
  readonly #timers = new Set<Timer>();
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(
    readonly settings: TrunkSettings,
    private readonly deps: TrunkDeps,
  ) {
    this.#log = deps.log.with({ trunk_id: settings.trunkId });
    this.contactUser = hex(deps.random.bytes(16));
    this.#hostToken = `${hex(deps.random.bytes(12))}.invalid`;
    this.#addresses = new TrunkAddresses(settings, {
      clock: deps.clock,
      log: this.#log,
      resolve: deps.resolve,
      local: deps.local,
      externalIp: deps.externalIp,
      onChange: () => deps.onAddresses(this),
    });
    this.#link = new TrunkLink(this.#transport, {
      clock: deps.clock,
      random: deps.random,
      flowTo: deps.flowTo,
      connectionTo: deps.connectionTo,
      onConnected: (local) => this.#onConnected(local),
      onLost: () => this.#registration?.refreshNow(),
    });
    this.#credentials = new TrunkCredentials(settings, deps.random);
    this.#agent = new TrunkUserAgent({
      username: settings.username,
      server: hostForUri(settings.server),
      contactUser: this.contactUser,
      hostToken: this.#hostToken,
      transportName: this.#transport,
      userAgentName: deps.userAgent,
      credentials: this.#credentials,
      log: this.#log,
      send: (message) => this.#sendFromSipJs(message),
      onInvite: (invitation, request) => this.#onInvite(invitation, request),
    });
    this.#registration = settings.register ? this.#makeRegistration() : null;
  }

  get registration(): RegistrationStatus {
    return this.#registration?.status ?? { name: "not_required" };
  }

  /** Resolved addresses of server and outbound proxy. */
  get addresses(): readonly string[] {
    return this.#addresses.all;
  }

  onRegistration(listener: (status: RegistrationStatus) => void): Unsubscribe {
    return this.#registration?.onStatus(listener) ?? (() => {});
  }

  start(): void {
    void this.#addresses.refresh().then(() => {
      if (!this.#closed) this.#registration?.start();
    });
    this.#timers.add(this.deps.clock.every(KEEP_ALIVE_MS, () => this.#keepAlive()));
  }

  place(request: PlaceRequest): OutgoingLeg {
    const target = this.#uriOf(request.to);
    const from = new SipJsUri("sip", request.from, hostForUri(this.settings.server));
    if (!target) throw new Error("an E.164 number without a URI");
    const leg = new SipOutgoingLeg({
      context: this.#legContext(),
      ringTimeoutMs: request.ringTimeoutMs,
      makeNegotiator: (onPlan) => this.#makeNegotiator(onPlan),
      makeInviter: (negotiator, again) => {
        negotiator.useMedia(this.#addresses.advertise(request.media));
        return this.#agent.makeInviter(target, from, negotiator, again);
      },
    });
    this.legs.add(leg);
    leg.start();
    return leg;
  }

  probe(): Promise<TrunkProbe> {
    const { clock, random, transactions, userAgent } = this.deps;
    return probeTrunk({
      ...{ clock, random, transactions, userAgent, settings: this.settings },
      credentials: this.#credentials,
      flow: () => this.#serverFlow(),
      whySilent: () => this.#link.problem,
      contactUri: () => this.#contactUri(),
      addresses: () => ({ advertised: this.#addresses.public, local: this.#addresses.local }),
    });
  }

  owns(callId: string): boolean {
    return this.#legOf(callId) !== undefined;
  }

  /** A request the stack found to be this trunk's. Throws what SIP.js throws. */
  receiveRequest(request: SipRequest): void {
    const leg = tagOf(request.to) === null ? undefined : this.#legOf(request.callId);
    leg?.sessionTimer.incoming(request);
    if (leg && request.method === "UPDATE" && request.body === "") this.#confirm(request, leg);
    else this.#agent.receiveRequest(request);
  }

  endLegs(): void {
    for (const leg of [...this.legs]) leg.hangUp();
  }

  /** Un-REGISTERs (2 s at most). Legs go on. */
  async unregister(): Promise<void> {
    this.#closed = true;
    this.#addresses.close();
    this.#link.close();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    await this.#registration?.stop();
  }

  close(): void {
    this.#agent.close();
  }

  get #transport(): TransportName {
    return this.settings.transport.toUpperCase() as TransportName;
  }

  /** At most once a minute: some NATs give each REGISTER another port. */
  #renewBinding(): void {
    const now = this.deps.clock.monotonic();
    if (now - this.#renewedAtMs < RENEWAL_PAUSE_MS) return;
    this.#renewedAtMs = now;
    const timer = this.deps.clock.after(0, () => {
      this.#timers.delete(timer);
      this.#registration?.refreshNow();
    });
    this.#timers.add(timer);
  }

  #keepAlive(): void {
    const [host] = this.#addresses.all;
    const calling = this.#transport !== "UDP" && this.legs.size > 0;
    if (host === undefined || (this.registration.name !== "registered" && !calling)) return;
    this.#link.keepAlive({ host, port: this.#addresses.target.port });
  }

  /** What the old connection's far end said of our address holds no more. */
  #onConnected(local: Address): void {
    this.#addresses.connected(local);
    this.#renewedAtMs = Number.NEGATIVE_INFINITY;
  }

  #legOf(callId: string): BaseLeg | undefined {
    for (const leg of this.legs) if (leg.sipCallId === callId) return leg;
    return undefined;
  }

  /** An UPDATE that only refreshes the session (RFC 3311, RFC 4028); SIP.js knows no UPDATE. */
  #confirm(request: SipRequest, leg: BaseLeg): void {
    const contact = `<${this.#contactUri()}>`;
    const text = buildResponse(request, { statusCode: 200, headers: [["Contact", contact]] });
    const response = parseMessage(text);
    if (response.kind !== "response") return;
    this.deps.transactions.sendResponse(response, leg.sessionTimer.outgoing(response, text));
  }

  // ---- sending ----

  async #sendFromSipJs(text: string): Promise<void> {
    const message = parseMessage(text);
    if (message.kind === "failure") throw new Error(`we wrote no SIP: ${message.reason}`);
    if (message.kind === "response") {
      this.deps.transactions.sendResponse(message, this.#onWire(message, text));
      return;
    }
    const flow = await this.#flowFor(message);
    // Only a connection that stands knows its own end, so the address is written last.
    this.deps.transactions.sendRequest(
      message,
      this.#onWire(message, text),
      flow,
      this.#sipJsUser(),
    );
  }

  #onWire(message: SipMessage, text: string): string {
    const { host, port } = this.#addresses.public;
    const addressed = text.replaceAll(this.#hostToken, `${hostForUri(host)}:${port}`);
    const timer = this.#legOf(message.callId)?.sessionTimer;
    return timer ? timer.outgoing(message, addressed) : addressed;
  }

  #sipJsUser(): ClientTransactionUser {
    return {
      onResponse: (response, flow) => {
        this.#legOf(response.callId)?.sessionTimer.incoming(response);
        this.#agent.receiveResponse(response, flow.remote);
      },
      // SIP.js counts its own timers B and F and invents the 408.
      onTimeout: () => {},
    };
  }

  async #flowFor(request: SipRequest): Promise<Flow> {
    const { remotes, serverName, isServer } = await this.#addresses.nextHop(request);
    if (isServer) return await this.#link.toServer(remotes, serverName);
    return await this.#link.toward(remotes, serverName);
  }

  // ---- registration ----

  #makeRegistration(): RegistrationClient {
    const { clock, random, userAgent, registerExpiresSec } = this.deps;
    return new RegistrationClient(this.settings, {
      clock,
      random,
      log: this.#log,
      credentials: this.#credentials,
      userAgent,
      expiresSec: registerExpiresSec,
      contactUser: this.contactUser,
      contactUri: () => this.#contactUri(),
      send: (request) => this.#sendRegister(request),
      whySilent: () => this.#link.problem,
    });
  }

  #contactUri(): string {
    const { host, port } = this.#addresses.public;
    const transport = this.settings.transport;
    return `sip:${this.contactUser}@${hostForUri(host)}:${port};transport=${transport}`;
  }

  async #sendRegister(request: RegisterRequest): Promise<SipResponse | null> {
    const flow = await this.#registrarFlow();
    if (!flow) return null;
    const { host, port } = this.#addresses.public;
    const branch = `z9hG4bK${hex(this.deps.random.bytes(12))}`;
    const via = `SIP/2.0/${this.#transport} ${hostForUri(host)}:${port};rport;branch=${branch}`;
    const text = request(via);
    const message = parseMessage(text);
    if (message.kind !== "request") throw new Error("we wrote no REGISTER");
    const { transactions } = this.deps;
    const response = await ask(transactions, message, text, flow, () => this.#link.suspect());
    if (response && this.#addresses.learn(response)) this.#renewBinding();
    return response;
  }

  async #registrarFlow(): Promise<Flow | undefined> {
    try {
      return await this.#serverFlow();
    } catch (error) {
      this.#log.warn("registrar_unreachable", { error: describeError(error) });
      return undefined;
    }
  }

  async #serverFlow(): Promise<Flow> {
    const { remotes, serverName } = await this.#addresses.server();
    return await this.#link.toServer(remotes, serverName);
  }

  // ---- legs ----

  #onInvite(invitation: Invitation, request: SipRequest): void {
    const leg = new SipIncomingLeg({
      context: this.#legContext(),
      invitation,
      request,
      contactUser: this.contactUser,
      makeNegotiator: (onPlan) => this.#makeNegotiator(onPlan),
      advertise: (media) => this.#addresses.advertise(media),
    });
    this.#agent.attach(invitation, leg.negotiator);
    this.legs.add(leg);
    this.deps.onIncoming(leg);
  }

  #makeNegotiator(onPlan: (plan: MediaPlan) => void): MediaNegotiator {
    const sessionId = randomInt(this.deps.random, 2 ** 31);
    return new MediaNegotiator(sessionId, this.deps.codecs, onPlan);
  }

  #legContext(): LegContext {
    return {
      clock: this.deps.clock,
      log: this.#log,
      trunkId: this.settings.trunkId,
      sessionExpiresSec: this.deps.sessionExpiresSec,
      sessionMinSec: this.deps.sessionMinSec,
      uriOf: (target) => this.#uriOf(target),
      onEnded: (leg) => this.legs.delete(leg),
    };
  }

  #uriOf(target: string): URI | undefined {
    const { server, port } = this.settings;
    if (isE164(target)) {
      const usual = port === defaultPortOf(this.settings);
      return new SipJsUri("sip", target, hostForUri(server), usual ? undefined : port);
    }
    const uri = parseUri(target);
    if (uri?.scheme !== "sip" || uri.user === null) return undefined;
    return new SipJsUri("sip", uri.user, uri.host, uri.port ?? undefined);
  }
}
