/**
 * A trunk: its credentials, addresses, registration, SIP.js user agent and legs. The stack assigns
 * messages to trunks; this class decides where its messages go and which address they contain.
 */

import type {
  IncomingLeg,
  OutgoingLeg,
  PlaceRequest,
  ProbeOptions,
  RegistrationStatus,
  Trunk,
  TrunkProbe,
  TrunkSettings,
} from "../call/sip-port.ts";
import type { Timer } from "../core/clock.ts";
import type { CodecName } from "../core/codecs.ts";
import type { Unsubscribe } from "../core/emitter.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import { AddressChanges } from "./address-changes.ts";
import { ConnectionCheck } from "./connection-check.ts";
import { TrunkCredentials } from "./credentials.ts";
import {
  branchOf,
  parseOwnMessage,
  plainHost,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  tagOf,
} from "./message/index.ts";
import { probeTrunk } from "./probe.ts";
import { hostForUri, type RegisterRequest, RegistrationClient } from "./registration.ts";
import { RouteSet, type RouteSetDeps } from "./route-set.ts";
import type { Draft, SendUser } from "./routing/sender.ts";
import { NO_ROUTE, routeHeader, type ServiceRoute } from "./service-route.ts";
import { HANDLED_OUTSIDE_SIP_JS, inDialogAnswer } from "./session/in-dialog.ts";
import type { BaseLeg, LegContext } from "./session/leg.ts";
import {
  withAddress,
  withCapabilities,
  withHop,
  withoutNullTag,
  withStrictRoute,
} from "./session/on-wire.ts";
import { SipOutgoingLeg } from "./session/outgoing-leg.ts";
import { replacedLeg } from "./session/replaces.ts";
import { retryAfter } from "./session/update.ts";
import { type ReceivedInvite, TrunkUserAgent } from "./session/user-agent.ts";
import { targetUri, userAt } from "./target-uri.ts";
import type { Address, TransportName } from "./transport/flow.ts";
import { TrunkMedia, type TrunkMediaDeps } from "./trunk-media.ts";

interface TrunkDeps
  extends TrunkMediaDeps,
    Omit<RouteSetDeps, "onAddresses" | "onConnected" | "onLost" | "onMoved" | "serviceRoute"> {
  readonly userAgent: string;
  readonly registerExpiresSeconds: number;
  readonly sessionExpiresSeconds: number;
  readonly sessionMinSeconds: number;
  onIncoming(leg: IncomingLeg): void;
  /** A leg of the trunk was answered. For an incoming leg, the ACK has arrived. */
  onAnswered(callId: string): void;
  /** The addresses of this trunk were looked up again. */
  onAddresses(trunk: SipTrunk): void;
}

const TRIED_CALL_MS_MAX = 7000;
/**
 * Shorter than the shortest UDP binding of common NATs (30 s). A dead connection is noticed 8 s
 * later, so that calls reach us again within 20 s.
 */
const KEEP_ALIVE_MS = 10_000;

export class SipTrunk implements Trunk {
  /** Unguessable: only those who have seen our REGISTER or our INVITE know it. */
  readonly contactUser: string;
  readonly legs = new Set<BaseLeg>();
  readonly #hostToken: string;
  readonly #log: Log;
  readonly #credentials: TrunkCredentials;
  readonly #agent: TrunkUserAgent;
  readonly #registration: RegistrationClient | null;
  readonly #routeSet: RouteSet;
  readonly #media: TrunkMedia;
  readonly #changes: AddressChanges;
  readonly #check: ConnectionCheck;
  #keepAliveTimer: Timer | undefined;
  #announcedAddress: Address | undefined;
  #closed = false;

  constructor(
    readonly settings: TrunkSettings,
    private readonly deps: TrunkDeps,
  ) {
    this.#log = deps.log.with({ trunk_id: settings.trunkId });
    this.contactUser = hex(deps.random.bytes(16));
    this.#hostToken = `${hex(deps.random.bytes(12))}.invalid`;
    this.#routeSet = new RouteSet(settings, {
      ...deps,
      log: this.#log,
      onAddresses: () => deps.onAddresses(this),
      onConnected: () => this.#changes.connected(),
      onLost: () => {
        this.#registration?.refreshNow();
        this.#keepAlive();
      },
      onMoved: () => this.moved(),
      serviceRoute: () => this.#serviceRoute,
    });
    this.#media = new TrunkMedia(deps);
    this.#changes = new AddressChanges({
      clock: deps.clock,
      registers: () => this.#registers,
      register: () => this.#registration?.refreshNow(),
      calls: () => this.legs,
    });
    this.#credentials = new TrunkCredentials(settings, deps.random);
    this.#agent = new TrunkUserAgent({
      username: settings.username,
      server: hostForUri(settings.server),
      contactUser: this.contactUser,
      hostToken: this.#hostToken,
      transportName: this.#routeSet.transport,
      userAgentName: deps.userAgent,
      credentials: this.#credentials,
      mayChallenge: (host) => this.#routeSet.mayChallenge(host),
      route: () => routeHeader(this.#serviceRoute),
      log: this.#log,
      send: (message) => this.#sendFromSipJs(message),
      onInvite: (invite) => this.#onInvite(invite),
    });
    this.#registration = settings.register ? this.#makeRegistration() : null;
    this.#check = new ConnectionCheck(settings, {
      clock: deps.clock,
      random: deps.random,
      userAgent: deps.userAgent,
      ask: (options) => this.#routeSet.ask("OPTIONS", options),
      register: () => this.#registers && this.#registration?.refreshNow(),
    });
  }

  get lastCodec(): CodecName | null {
    return this.#media.lastCodec;
  }

  get registration(): RegistrationStatus {
    return this.#registration?.status ?? { name: "not_required" };
  }

  /** Resolved addresses of server and outbound proxy. */
  get addresses(): readonly string[] {
    return this.#routeSet.remotes;
  }

  /** The server's transport, as far as known. */
  get transport(): TransportName {
    return this.#routeSet.transport;
  }

  onRegistration(listener: (status: RegistrationStatus) => void): Unsubscribe {
    return this.#registration?.onStatus(listener) ?? (() => {});
  }

  start(): void {
    void this.#routeSet.start().then(() => {
      if (!this.#closed) this.#registration?.start();
    });
    this.#keepAliveTimer = this.deps.clock.every(KEEP_ALIVE_MS, () => this.#keepAlive());
  }

  place(request: PlaceRequest): OutgoingLeg {
    const target = targetUri(request.to, this.settings, this.#routeSet.transport);
    const from = userAt(request.from, hostForUri(this.settings.server));
    if (!target) throw new Error("an E.164 number without a URI");
    const leg = new SipOutgoingLeg({
      context: this.#legContext(),
      target,
      ringTimeoutMs: request.ringTimeoutMs,
      media: request.media,
      makeNegotiator: (onPlan) => this.#media.makeNegotiator(onPlan),
      makeInviter: (negotiator, again) => this.#agent.makeInviter(target, from, negotiator, again),
      redirects: {
        called: target.user ?? "",
        isOwnHost: (host) => this.#routeSet.isOwn(plainHost(host)),
        mayFollow: request.mayFollow ?? (() => false),
      },
    });
    this.legs.add(leg);
    leg.start();
    return leg;
  }

  probe(wanted: ProbeOptions = {}): Promise<TrunkProbe> {
    const { clock, random, userAgent } = this.deps;
    return probeTrunk(
      {
        clock,
        random,
        userAgent,
        settings: this.settings,
        credentials: this.#credentials,
        ask: (method, compose) =>
          method === "INVITE"
            ? this.#routeSet.tryCall(compose, TRIED_CALL_MS_MAX)
            : this.#routeSet.ask(method, compose),
        servers: () => this.#routeSet.servers,
        offer: () => this.#media.emptyOffer(this.#routeSet.addresses.advertise(this.#address).host),
        route: () => routeHeader(this.#serviceRoute),
        isContactAltered: this.#registration?.isContactAltered ?? false,
        noAnswerReason: () => this.#routeSet.problem,
        contactUri: () => this.#contactUri(),
        addresses: () => this.#routeSet.addresses.both,
      },
      wanted,
    );
  }

  owns(callId: string): boolean {
    return this.#legOf(callId) !== undefined;
  }

  /**
   * Handles a request assigned to this trunk. `isOwn`: decision of the router. Throws the
   * exceptions of SIP.js.
   */
  receiveRequest(request: SipRequest, isOwn = false): void {
    const leg = tagOf(request.to) === null ? undefined : this.#legOf(request.callId);
    if (leg?.takes(request) === false) {
      // An ACK has no response.
      this.deps.transactions.respond(request, retryAfter(this.deps.random));
      return;
    }
    if (leg?.keep(() => this.receiveRequest(request))) return;
    const early = leg?.answerEarly(request);
    if (early) {
      this.deps.transactions.respond(request, early);
      return;
    }
    leg?.requestReceived(request);
    if (!HANDLED_OUTSIDE_SIP_JS.has(request.method))
      this.#agent.receiveRequest(request, leg, isOwn);
    else if (leg) void this.#answerInDialog(request, leg);
    else this.deps.transactions.respond(request, { statusCode: 481 });
  }

  /** Our public address has changed: informs the registrar and the remote party of every call. */
  moved(): void {
    this.#routeSet.addresses.forget();
    const { host, port } = this.#routeSet.addresses.public;
    if (this.#announcedAddress?.host === host && this.#announcedAddress.port === port) return;
    this.#changes.moved();
  }

  endLegs(): void {
    for (const leg of [...this.legs]) leg.hangUp();
  }

  /**
   * Removes the registration permanently (within 2 s). Live calls continue and may still dial a
   * transfer target.
   */
  async leaveRegistrar(): Promise<void> {
    await this.#registration?.stop();
  }

  /**
   * Removes the registration (within 2 s) and closes the connection to the server. Legs continue.
   */
  async unregister(): Promise<void> {
    this.#closed = true;
    this.#routeSet.close();
    this.#keepAliveTimer?.cancel();
    this.#changes.close();
    await this.#registration?.stop();
  }

  close(): void {
    this.#agent.close();
  }

  /**
   * False if there is no registration to keep, if it was stopped, or if it was rejected and waits
   * for its retry.
   */
  get #registers(): boolean {
    const { name } = this.registration;
    return name === "registered" || name === "registering";
  }

  #keepAlive(): void {
    this.#registration?.catchUp();
    // Also needed without a registration, while draining: requests of the remote party must reach
    // us.
    const needsPath = this.#routeSet.transport !== "UDP" || this.#registration !== null;
    const calling = needsPath && this.legs.size > 0;
    if (calling && !this.#registers) void this.#routeSet.reconnect();
    if (this.registration.name !== "registered" && !calling) return;
    const unproven = this.#routeSet.keepAlive();
    if (unproven) void this.#check.prove(unproven);
  }

  #legOf(callId: string): BaseLeg | undefined {
    for (const leg of this.legs) if (leg.sipCallId === callId) return leg;
    return undefined;
  }

  async #answerInDialog(request: SipRequest, leg: BaseLeg): Promise<void> {
    const parts = await leg.answerInDialog(request);
    const { response, text } = inDialogAnswer(request, parts, this.#contactUri());
    this.deps.transactions.sendResponse(response, leg.outgoing(response, text));
  }

  async #sendFromSipJs(text: string): Promise<void> {
    const message = parseOwnMessage(text);
    if (message.kind === "failure") throw new Error(`we wrote no SIP: ${message.reason}`);
    if (message.kind === "response") {
      this.deps.transactions.sendResponse(message, this.#onWire(message, text));
      return;
    }
    const branch = branchOf(message.via);
    const draft: Draft = {
      method: message.method,
      branch,
      // Our address is known only when the connection is established, so it is written last.
      compose: (hop) => withHop(this.#onWire(message, text), hop.flow.transport, hop.branch),
    };
    await this.#routeSet.send(message, draft, this.#sipJsUser(message));
  }

  #onWire(message: SipMessage, text: string): string {
    const addressed = withCapabilities(withAddress(text, this.#hostToken, this.#address));
    const leg = this.#legOf(message.callId);
    const timed = leg ? leg.outgoing(message, addressed) : addressed;
    return withStrictRoute(message, withoutNullTag(timed));
  }

  #sipJsUser(request: SipRequest): SendUser {
    const opensCall = request.method === "INVITE" && tagOf(request.to) === null;
    return {
      onResponse: (response, flow) => {
        const leg = this.#legOf(response.callId);
        if (leg?.takes(response) === false) return;
        leg?.responseReceived(response, flow.remote.host);
        this.#agent.receiveResponse(response, flow.remote, leg?.negotiator);
      },
      onFailure: ({ silent, reason }) => {
        if (reason) this.#log.warn("sip.unreachable", { error: describeError(reason) });
        this.#agent.fail(request, silent);
      },
      isWanted: () => !opensCall || this.#legOf(request.callId)?.isWanted === true,
    };
  }

  get #serviceRoute(): ServiceRoute {
    return this.#registration?.serviceRoute ?? NO_ROUTE;
  }

  #makeRegistration(): RegistrationClient {
    const { clock, random, userAgent, registerExpiresSeconds } = this.deps;
    return new RegistrationClient(this.settings, {
      clock,
      random,
      log: this.#log,
      credentials: this.#credentials,
      userAgent,
      expiresSeconds: registerExpiresSeconds,
      contactUser: this.contactUser,
      contactUri: () => this.#contactUri(),
      send: (request) => this.#sendRegister(request),
      noAnswerReason: () => this.#routeSet.problem,
    });
  }

  /** Our address for the remote party; recorded, so that changes are noticed. */
  get #address(): Address {
    this.#announcedAddress = this.#routeSet.addresses.public;
    return this.#announcedAddress;
  }

  #contactUri(): string {
    const { host, port } = this.#address;
    const transport = this.#routeSet.transport.toLowerCase();
    return `sip:${this.contactUser}@${hostForUri(host)}:${port};transport=${transport}`;
  }

  async #sendRegister(request: RegisterRequest): Promise<SipResponse | null> {
    const answered = await this.#routeSet.ask("REGISTER", request);
    if (!answered) return null;
    const { response, flow } = answered;
    this.#changes.answered(this.#routeSet.addresses.learn(response, flow.transport));
    return response;
  }

  #onInvite(invite: ReceivedInvite): void {
    const replaced = replacedLeg(invite.request, this.legs);
    if (typeof replaced === "number") {
      invite.reject(replaced);
      return;
    }
    const leg = invite.makeLeg({
      context: this.#legContext(),
      names: { contactUser: this.contactUser, username: this.settings.username },
      makeNegotiator: (onPlan) => this.#media.makeNegotiator(onPlan),
    });
    this.legs.add(leg);
    if (replaced === null) this.deps.onIncoming(leg);
    else if (!replaced.replaceBy(leg)) leg.reject(481);
  }

  #legContext(): LegContext {
    return {
      clock: this.deps.clock,
      random: this.deps.random,
      log: this.#log,
      advertise: (media) => this.#routeSet.addresses.advertise(media),
      trunkId: this.settings.trunkId,
      sessionExpiresSeconds: this.deps.sessionExpiresSeconds,
      sessionMinSeconds: this.deps.sessionMinSeconds,
      uriOf: (target) => targetUri(target, this.settings, this.#routeSet.transport),
      ownAddress: () => this.#routeSet.addresses.public,
      onAnswered: (leg) => {
        this.#changes.begun(leg);
        this.deps.onAnswered(leg.sipCallId);
      },
      onEnded: (leg) => this.legs.delete(leg),
    };
  }
}
