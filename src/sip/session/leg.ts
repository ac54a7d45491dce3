/**
 * The common part of both kinds of leg: events are buffered until the first subscriber, exactly one
 * `ended` as the last event, digits of INFO, media changes.
 */
import {
  type BodyAndContentType,
  type Bye,
  type Core,
  type Info,
  type Referral,
  type Session,
  type SessionDelegate,
  SessionState,
  type URI,
} from "sip.js";
import type { LegEnd, LegEvents, LocalMedia, ReferOutcome } from "../../call/sip-port.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import { Emitter, type Unsubscribe } from "../../core/emitter.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { Random } from "../../core/random.ts";
import {
  mediaTypeOf,
  type ResponseParts,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  type SipUri,
  sourceHostOf,
  tagOf,
} from "../message/index.ts";
import type { Address } from "../transport/flow.ts";
import { RateLimit } from "../transport/rate-limit.ts";
import { AdvertisedContact } from "./advertised-contact.ts";
import { toSipJsUri } from "./convert.ts";
import {
  type DialogName,
  dialogNamed,
  leaveUnconfirmed,
  nameOfRequest,
  noteRequest,
  noteResponse,
  remoteTargetOf,
  stopAwaitingAck,
} from "./dialog.ts";
import { DTMF_TYPES, digitOf } from "./dtmf-info.ts";
import { hungUp, sessionExpired } from "./leg-end.ts";
import type { MediaNegotiator } from "./media-negotiator.ts";
import { isAskedAgain, type ReinviteOutcome, Renegotiation } from "./renegotiation.ts";
import { SessionTimer } from "./session-timer.ts";
import { transfer, UNTOUCHED } from "./transfer.ts";
import { answerUpdate, isUpdateUnwelcome, outcomeOf, sendUpdate } from "./update.ts";

export interface LegContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly trunkId: number;
  /** RFC 4028, seconds. */
  readonly sessionExpiresSeconds: number;
  readonly sessionMinSeconds: number;
  readonly random: Random;
  /** Replaces a local address by the one to write into SDP. */
  readonly advertise: (media: LocalMedia) => LocalMedia;
  /** The address for the Contact of the next request. */
  readonly ownAddress: () => Address;
  /**
   * SIP URI for an E.164 number at the trunk's server, or for a URI; undefined if it is neither.
   */
  readonly uriOf: (target: string) => SipUri | undefined;
  /** The call is established: our address may have changed while it rang. */
  readonly onAnswered: (leg: BaseLeg) => void;
  /** The leg has ended and can be removed. */
  readonly onEnded: (leg: BaseLeg) => void;
}

type Pending = () => void;

/** Maximum number of phones that one INVITE may ring. */
const PHONES_MAX = 32;
/** Rate limit per call: more than any telephone sends, including digits. */
const MESSAGES = { tokensPerSecond: 50, burst: 100, sourcesMax: 1 };

/** The part of a leg used by the leg that it replaces. */
interface Successor {
  on<Name extends keyof LegEvents>(
    name: Name,
    listener: (event: LegEvents[Name]) => void,
  ): Unsubscribe;
  answer(media: LocalMedia): Promise<{ readonly plan: MediaPlan }>;
  hangUp(): void;
  refer(
    target: string,
    onLateAccept?: (outcome: Promise<ReferOutcome>) => void,
  ): Promise<ReferOutcome>;
}

export abstract class BaseLeg {
  abstract readonly sipCallId: string;
  readonly trunkId: number;
  /** Processes every message of the dialog on the wire. */
  readonly sessionTimer: SessionTimer;
  readonly #emitter: Emitter<LegEvents>;
  readonly #timers = new Set<Timer>();
  #pending: Pending[] | null = [];
  #end: LegEnd | null = null;
  /** `ended` was emitted. Later subscribers get it when they subscribe. */
  #endReported = false;
  readonly #contact = new AdvertisedContact();
  #media: LocalMedia | null = null;
  /** The media address in our last description. */
  #advertised: LocalMedia | null = null;
  #renegotiation: Renegotiation | undefined;
  /** The next request must contain an offer. */
  #offerDue = false;
  /** Requests, and responses to our INVITEs. */
  readonly #messages: RateLimit;
  readonly #phones = new Set<string>();
  /** True after the first dropped message, so that only one is logged. */
  #isCapped = false;
  /** The leg by which the remote party replaced this one (RFC 3891). */
  #successor: Successor | undefined;

  constructor(protected readonly context: LegContext) {
    this.trunkId = context.trunkId;
    this.#messages = new RateLimit(context.clock, MESSAGES);
    this.#emitter = new Emitter((error) =>
      context.log.error("leg.listener_threw", { error: describeError(error) }),
    );
    this.sessionTimer = new SessionTimer({
      clock: context.clock,
      expiresSeconds: context.sessionExpiresSeconds,
      minSeconds: context.sessionMinSeconds,
      refresh: () => this.#renegotiate(),
      expire: () => this.#expireSession(),
    });
    this.after(0, () => this.#release());
  }

  /**
   * Returns false if the remote party sends too much within this call. It can always end it, and
   * repeat a 2xx.
   */
  takes(message: SipMessage): boolean {
    const isAlways =
      message.kind === "request"
        ? message.method === "BYE" || message.method === "CANCEL"
        : message.cseq.method !== "INVITE" || message.statusCode >= 300;
    if (isAlways || (this.#messages.take("") && this.#isOfKnownPhone(message))) return true;
    const { log } = this.context;
    if (!this.#isCapped) log.warn("call.messages_capped", { per_sec: MESSAGES.tokensPerSecond });
    this.#isCapped = true;
    return false;
  }

  /** Each phone rung by our INVITE has its own tag and a stored dialog. */
  #isOfKnownPhone(message: SipMessage): boolean {
    const tag = message.kind === "response" ? tagOf(message.to) : null;
    if (tag === null || this.#phones.has(tag)) return true;
    if (this.#phones.size >= PHONES_MAX) return false;
    this.#phones.add(tag);
    return true;
  }

  /** Called for every request of the remote party in this dialog. */
  requestReceived(request: SipRequest): void {
    const isAskedAgain = request.method === "INVITE" && !this.negotiator.awaitsAnswer;
    this.#leaveUnconfirmed(isAskedAgain ? request.cseq.number : null);
    this.sessionTimer.incoming(request);
    this.negotiator.signallingHost = sourceHostOf(request.via);
    const asksForOffer = request.method === "INVITE" && request.body === "";
    if (asksForOffer && tagOf(request.to) !== null) this.negotiator.offerAnew();
  }

  #leaveUnconfirmed(laterCseq: number | null): void {
    const isOver = leaveUnconfirmed(this.session, laterCseq);
    if (isOver && this.negotiator.awaitsAnswer) void this.negotiator.rollbackDescription();
  }

  /** Called for every response of the remote party in this dialog, with its source host. */
  responseReceived(response: SipResponse, host: string): void {
    this.sessionTimer.incoming(response);
    this.negotiator.signallingHost = host;
    noteResponse(this.session, response);
  }

  /**
   * Returns the text of an outgoing message in this dialog, with the headers of the session timer.
   */
  outgoing(message: SipMessage, text: string): string {
    this.#contact.note(message, this.context.ownAddress());
    return this.sessionTimer.outgoing(message, text);
  }

  protected abstract readonly peer: "caller" | "callee";

  on<Name extends keyof LegEvents>(
    name: Name,
    listener: (event: LegEvents[Name]) => void,
  ): Unsubscribe {
    const off = this.#emitter.on(name, listener);
    if (name === "ended" && this.#endReported) this.context.clock.after(0, () => this.#reportEnd());
    return off;
  }

  protected abstract readonly session: Session;
  abstract readonly negotiator: MediaNegotiator;

  hangUp(sipCode: number | null = null): void {
    if (this.#successor) this.#successor.hangUp();
    else this.hangUpOwn(sipCode);
  }

  /** Ends this leg's own dialog, as `hangUp` does. */
  protected abstract hangUpOwn(sipCode: number | null): void;

  refer(
    target: string,
    onLateAccept?: (outcome: Promise<ReferOutcome>) => void,
  ): Promise<ReferOutcome> {
    if (this.#successor) return this.#successor.refer(target, onLateAccept);
    const uri = this.context.uriOf(target);
    return uri
      ? transfer(this.session, toSipJsUri(uri), this.context.clock, onLateAccept)
      : Promise.resolve(UNTOUCHED);
  }

  /** See sip-port.ts. */
  referTo(other: { readonly sipCallId: string }): Promise<ReferOutcome> {
    const isPossible =
      other instanceof BaseLeg && this.#takesReplaces && other.#takesReplaces && !this.#lacksRefer;
    return isPossible
      ? transfer(this.session, other.session, this.context.clock)
      : Promise.resolve(UNTOUCHED);
  }

  get #takesReplaces(): boolean {
    return !this.#successor && this.sessionTimer.peer.supports("replaces");
  }

  get #lacksRefer(): boolean {
    return this.sessionTimer.peer.lacks("REFER");
  }

  /** If false, the leg is ending, so its INVITE must not be sent to another server. */
  get isWanted(): boolean {
    return !this.ended;
  }

  protected get ended(): boolean {
    return this.#end !== null;
  }

  /** Reason for the end; null if it has not ended. */
  protected get endedBy(): LegEnd | null {
    return this.#end;
  }

  protected emit<Name extends Exclude<keyof LegEvents, "ended">>(
    name: Name,
    event: LegEvents[Name],
  ): void {
    if (!this.ended) this.#deliver(() => this.#emitter.emit(name, event));
  }

  protected emitAnswered(plan: MediaPlan): void {
    this.emit("answered", { plan });
    // By then SIP.js accepts an outgoing request in the dialog.
    this.after(0, () => this.context.onAnswered(this));
  }

  protected end(end: LegEnd): void {
    if (this.ended) return;
    this.#end = end;
    this.sessionTimer.close();
    this.#renegotiation?.close();
    this.context.onEnded(this);
    this.#deliver(() => {
      this.#reportEnd();
      for (const timer of this.#timers) timer.cancel();
      this.#timers.clear();
    });
  }

  #reportEnd(): void {
    if (!this.#end) return;
    this.#endReported = true;
    this.#emitter.emit("ended", this.#end);
    this.#emitter.clear();
  }

  /** Starts a timer. The end of the leg cancels it. */
  protected after(delayMs: number, task: () => void): Timer {
    const timer = this.context.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      task();
    });
    this.#timers.add(timer);
    return timer;
  }

  /** Handlers for in-dialog requests of the remote party. */
  protected dialogDelegate(): SessionDelegate {
    return {
      onBye: (bye: Bye) => {
        stopAwaitingAck(this.session);
        this.settle(bye.accept());
        if (!this.isReplaced) this.end(hungUp(this.peer));
      },
      onInfo: (info: Info) => this.#onInfo(info),
      // REFER from the remote party is rejected: it would place calls on the tenant's account.
      onRefer: (referral: Referral) => this.settle(referral.reject({ statusCode: 603 })),
    };
  }

  /**
   * An INFO without a body only checks whether the call exists; an unsupported body gets 415 (RFC
   * 6086 4.2.2).
   */
  #onInfo(info: Info): void {
    const { body } = info.request;
    const type = info.request.getHeader("content-type");
    if (body !== "" && !DTMF_TYPES.includes(mediaTypeOf(type ?? ""))) {
      const extraHeaders = [`Accept: ${DTMF_TYPES.join(", ")}`];
      this.settle(info.reject({ statusCode: 415, extraHeaders }));
      return;
    }
    const digit = digitOf(type, body);
    this.settle(info.accept());
    if (digit !== undefined) this.emit("digit", { digit });
  }

  /**
   * Informs the remote party if our address has changed. If its media must go there too, the
   * message contains an offer. Otherwise it is a target refresh, like a session refresh (RFC 3261
   * 12.2).
   */
  readdress(): void {
    if (!this.#media || this.session.state !== SessionState.Established) return;
    const isMoved = this.context.advertise(this.#media).host !== this.#advertised?.host;
    const isContactChanged = this.#contact.replace(this.context.ownAddress());
    if (isMoved) this.reoffer();
    else if (isContactChanged) this.#renegotiate();
  }

  /** Asks the remote party to send its media to our current address. */
  reoffer(): void {
    if (!this.#media || this.session.state !== SessionState.Established) return;
    this.setMedia(this.#media);
    this.#offerDue = true;
    this.#renegotiate();
  }

  /** See sip-port.ts. */
  hold(isHeld: boolean): void {
    this.negotiator.offerDirection(isHeld ? "sendonly" : "sendrecv");
    this.reoffer();
  }

  get remoteTarget(): URI | undefined {
    return remoteTargetOf(this.session);
  }

  dialogNamed(name: DialogName): { early: boolean } | undefined {
    return dialogNamed(this.session, name);
  }

  /**
   * Response to a BYE or INVITE in a dialog without a final response: for these, SIP.js violates
   * RFC 3261 14.2 and 15.1.2. Undefined if not applicable.
   */
  answerEarly(_request: SipRequest): ResponseParts | undefined {
    return undefined;
  }

  /** If true, the request is processed later, after SIP.js has processed the 2xx to our INVITE. */
  keep(_pass: () => void): boolean {
    return false;
  }

  /** The response to an UPDATE, OPTIONS or PRACK with this leg's Call-ID. Never rejects. */
  async answerInDialog(request: SipRequest): Promise<ResponseParts> {
    if (request.method === "UPDATE") {
      const answerEarly = this.earlyAnswerer(tagOf(request.from) ?? "");
      const { random } = this.context;
      return await answerUpdate(request, this.session, this.negotiator, random, answerEarly);
    }
    if (!this.dialogNamed(nameOfRequest(request))) return { statusCode: 481 };
    if (!noteRequest(this.session, request)) return { statusCode: 500 };
    const isConfirmed = request.method !== "PRACK" || this.confirmRinging(request);
    return { statusCode: isConfirmed ? 200 : 481 };
  }

  /**
   * Answers offers of the early dialog with that remote tag. Undefined if it may not send an offer
   * yet.
   */
  protected earlyAnswerer(
    _remoteTag: string,
  ): ((offer: string) => BodyAndContentType | undefined) | undefined {
    return undefined;
  }

  /** Handles a PRACK (RFC 3262 3). Returns false if it matches none of our responses. */
  protected confirmRinging(_prack: SipRequest): boolean {
    return true;
  }

  /**
   * The remote party moves the call to another phone (RFC 3891): this leg continues with that
   * dialog. Returns false if the leg has nothing to replace yet.
   */
  replaceBy(successor: Successor): boolean {
    const media = this.#media;
    if (!media || this.#successor || this.ended) return false;
    successor.on("digit", (event) => this.emit("digit", event));
    successor.on("media", (event) => this.emit("media", event));
    successor.on("answered", ({ plan }) => {
      if (this.ended) {
        successor.hangUp();
        return;
      }
      this.#successor = successor;
      this.sessionTimer.close();
      this.leaveDialog(plan);
    });
    successor.on("ended", (end) => {
      // If it was never answered, this leg is unchanged.
      if (this.#successor === successor) this.#endWith(end);
    });
    successor.answer(media).catch(() => {});
    return true;
  }

  /** Ends this leg's own dialog; the call continues with that plan. */
  protected abstract leaveDialog(plan: MediaPlan): void;

  protected get isReplaced(): boolean {
    return this.#successor !== undefined;
  }

  /** Sets our RTP address for all later descriptions of this leg. */
  protected setMedia(media: LocalMedia): void {
    this.#media = media;
    this.#advertised = this.context.advertise(media);
    this.negotiator.setMedia(this.#advertised);
  }

  protected hangUpEstablished(session: Session): void {
    this.settle(session.bye());
    this.end(hungUp("us"));
  }

  /** SIP.js reports failed steps by rejection; the leg's state machine has already handled them. */
  protected settle(promise: Promise<unknown>): void {
    promise.catch((error) =>
      this.context.log.debug("sip.session_step_failed", { error: describeError(error) }),
    );
  }

  protected emitMedia(plan: MediaPlan): void {
    this.emit("media", { plan });
  }

  /** Converts the successor's end to this leg's. */
  #endWith(end: LegEnd): void {
    if (end.by === "us") this.end(end);
    else if (end.kind === "bye") this.end(hungUp(this.peer));
    else this.end({ ...end, by: this.peer });
  }

  /** Sends a refresh, or an offer with a new address. */
  #renegotiate(): void {
    this.#renegotiation ??= new Renegotiation({
      clock: this.context.clock,
      random: this.context.random,
      weCalled: this.peer === "callee",
      ask: () => this.#ask(),
      onRefused: ({ sipCode, minSe }) => {
        if (sipCode === 422) this.sessionTimer.acceptMinimum(minSe);
        // RFC 3261 12.2.1.2: the remote party no longer knows the call.
        if (sipCode === 481) this.#expireSession();
        else this.sessionTimer.refreshFailed();
      },
    });
    this.#renegotiation.request();
  }

  /**
   * By UPDATE if that is sufficient and supported by the remote party, otherwise by re-INVITE.
   * Never rejects.
   */
  async #ask(): Promise<ReinviteOutcome> {
    this.#leaveUnconfirmed(null);
    if (!this.#offerDue && this.sessionTimer.peer.allows("UPDATE")) {
      const outcome = await sendUpdate(this.session);
      if (!isUpdateUnwelcome(outcome) || this.ended) return outcome;
      this.sessionTimer.peer.forget("UPDATE");
    }
    this.#offerDue = false;
    const outcome = await this.#reinvite();
    // The offer was not processed: the next attempt must contain it.
    if (isAskedAgain(outcome)) this.#offerDue = true;
    return outcome;
  }

  #reinvite(): Promise<ReinviteOutcome> {
    return new Promise((resolve) => {
      const onReject = ({ message }: Core.IncomingResponse) => resolve(outcomeOf(message));
      this.session
        .invite({
          requestDelegate: {
            onAccept: () => resolve({ kind: "accepted" }),
            onReject: onReject,
            onRedirect: onReject,
          },
        })
        .catch(() => resolve({ kind: "busy" }));
    });
  }

  #expireSession(): void {
    if (this.ended) return;
    this.settle(this.session.bye());
    this.end(sessionExpired());
  }

  #deliver(event: Pending): void {
    if (this.#pending) this.#pending.push(event);
    else event();
  }

  #release(): void {
    const pending = this.#pending ?? [];
    this.#pending = null;
    for (const event of pending) event();
  }
}
