/**
 * What both kinds of leg share: events held back until their taker could subscribe, exactly one
 * `ended` as the last event, digits of INFO, media changes.
 */
import {
  type Bye,
  type Core,
  type Info,
  type Referral,
  type Session,
  type SessionDelegate,
  SessionState,
} from "sip.js";
import type { Clock, Timer } from "../../../core/clock.ts";
import { Emitter, type Unsubscribe } from "../../../core/emitter.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { MediaPlan } from "../../../core/media-plan.ts";
import type { Random } from "../../../core/random.ts";
import type { LegEnd, LegEvents, LocalMedia, ReferOutcome } from "../../../domain/call/sip-port.ts";
import {
  mediaTypeOf,
  type ResponseParts,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  type SipUri,
  sourceHostOf,
} from "../message/index.ts";
import type { Address } from "../transport/flow.ts";
import { AdvertisedContact } from "./advertised-contact.ts";
import { toSipJsUri } from "./convert.ts";
import { type DialogName, dialogNamed, nameOfRequest, noteRequest } from "./dialog.ts";
import { DTMF_TYPES, digitOf } from "./dtmf-info.ts";
import { hungUp, sessionExpired } from "./leg-end.ts";
import type { MediaNegotiator } from "./media-negotiator.ts";
import { isUpdateUnwelcome, outcomeOf, sendUpdate } from "./refresh.ts";
import { isAskedAgain, type ReinviteOutcome, Renegotiation } from "./renegotiation.ts";
import { SessionTimer } from "./session-timer.ts";
import { transfer, UNTOUCHED } from "./transfer.ts";
import { answerUpdate } from "./update.ts";

export interface LegContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly trunkId: number;
  /** RFC 4028, seconds. */
  readonly sessionExpiresSeconds: number;
  readonly sessionMinSeconds: number;
  readonly random: Random;
  /** The address to write into SDP for a local one. */
  readonly advertise: (media: LocalMedia) => LocalMedia;
  /** What the Contact of a request that leaves now names. */
  readonly ownAddress: () => Address;
  /** SIP URI of an E.164 number at the trunk's server, or of a URI; undefined: neither. */
  readonly uriOf: (target: string) => SipUri | undefined;
  /** The call stands: our address may have changed while it rang. */
  readonly onAnswered: (leg: BaseLeg) => void;
  /** The leg is over: forget it. */
  readonly onEnded: (leg: BaseLeg) => void;
}

type Pending = () => void;

/** What a leg needs of the one that takes its place. */
interface Successor {
  on<Name extends keyof LegEvents>(
    name: Name,
    listener: (event: LegEvents[Name]) => void,
  ): Unsubscribe;
  answer(media: LocalMedia): Promise<{ readonly plan: MediaPlan }>;
  hangUp(): void;
  refer(target: string): Promise<ReferOutcome>;
}

export abstract class BaseLeg {
  abstract readonly sipCallId: string;
  readonly trunkId: number;
  /** Sees every message of the dialog, on the wire. */
  readonly sessionTimer: SessionTimer;
  readonly #emitter: Emitter<LegEvents>;
  readonly #timers = new Set<Timer>();
  #pending: Pending[] | null = [];
  #end: LegEnd | null = null;
  /** `ended` was emitted: later subscribers are told by themselves. */
  #endReported = false;
  readonly #contact = new AdvertisedContact();
  #media: LocalMedia | null = null;
  /** What the far end was told of it. */
  #advertised: LocalMedia | null = null;
  #renegotiation: Renegotiation | undefined;
  /** The next request is to carry an offer of ours. */
  #offerDue = false;
  /** The leg that the far end put in this one's place (RFC 3891). */
  #successor: Successor | undefined;

  constructor(protected readonly context: LegContext) {
    this.trunkId = context.trunkId;
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

  /** Every request of the far end in this dialog. */
  requestReceived(request: SipRequest): void {
    this.sessionTimer.incoming(request);
    this.negotiator.signallingHost = sourceHostOf(request.via);
  }

  /** Every response of the far end in this dialog, and the host it came from. */
  responseReceived(response: SipResponse, host: string): void {
    this.sessionTimer.incoming(response);
    this.negotiator.signallingHost = host;
  }

  /** The text of a message of ours in this dialog, with what the session timer has to say. */
  outgoing(message: SipMessage, text: string): string {
    this.#contact.note(message, this.context.ownAddress());
    return this.sessionTimer.outgoing(message, text);
  }

  /** Who the far end is. */
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

  hangUp(): void {
    if (this.#successor) this.#successor.hangUp();
    else this.hangUpOwn();
  }

  /** `hangUp` of this leg's own dialog. */
  protected abstract hangUpOwn(): void;

  refer(target: string): Promise<ReferOutcome> {
    if (this.#successor) return this.#successor.refer(target);
    const uri = this.context.uriOf(target);
    return uri
      ? transfer(this.session, toSipJsUri(uri), this.context.clock)
      : Promise.resolve(UNTOUCHED);
  }

  /** See ports.ts. */
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

  /** False: being given up, so that its INVITE is tried nowhere else. */
  get isWanted(): boolean {
    return !this.ended;
  }

  protected get ended(): boolean {
    return this.#end !== null;
  }

  /** How it ended; null: it has not. */
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
    // By then SIP.js takes a request of ours in the dialog.
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

  /** A timer that dies with the leg. */
  protected after(delayMs: number, task: () => void): Timer {
    const timer = this.context.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      task();
    });
    this.#timers.add(timer);
    return timer;
  }

  /** In-dialog requests of the far end. */
  protected dialogDelegate(): SessionDelegate {
    return {
      onBye: (bye: Bye) => {
        this.settle(bye.accept());
        if (!this.isReplaced) this.end(hungUp(this.peer));
      },
      onInfo: (info: Info) => this.#onInfo(info),
      // We follow nobody's transfer: it would place calls on the tenant's account.
      onRefer: (referral: Referral) => this.settle(referral.reject({ statusCode: 603 })),
    };
  }

  /** One without a body only asks whether the call stands; one we cannot read is 415 (RFC 6086 4.2.2). */
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
   * Our address may be another one: the far end is told, by an offer where its media is to go there too,
   * else by a refresh of its target, as a session is refreshed (RFC 3261 12.2).
   */
  readdress(): void {
    if (!this.#media || this.session.state !== SessionState.Established) return;
    const isMoved = this.context.advertise(this.#media).host !== this.#advertised?.host;
    const isContactChanged = this.#contact.replace(this.context.ownAddress());
    if (isMoved) this.reoffer();
    else if (isContactChanged) this.#renegotiate();
  }

  /** The far end is asked to send its media to our address of now. */
  reoffer(): void {
    if (!this.#media || this.session.state !== SessionState.Established) return;
    this.setMedia(this.#media);
    this.#offerDue = true;
    this.#renegotiate();
  }

  /** Whether it is this leg that stands in a dialog of that name. */
  dialogNamed(name: DialogName): { early: boolean } | undefined {
    return dialogNamed(this.session, name);
  }

  /** A BYE before the answer, which SIP.js leaves unanswered (RFC 3261 15.1.2). False: not that. */
  abandonedBy(_bye: SipRequest): boolean {
    return false;
  }

  /** The answer to an UPDATE or OPTIONS of this leg's Call-ID. Never rejects. */
  async answerInDialog(request: SipRequest): Promise<ResponseParts> {
    if (request.method === "UPDATE")
      return await answerUpdate(request, this.session, this.negotiator, this.context.random);
    if (!this.dialogNamed(nameOfRequest(request))) return { statusCode: 481 };
    return { statusCode: noteRequest(this.session, request) ? 200 : 500 };
  }

  /**
   * The far end hands its side of the call to another phone of its own (RFC 3891): whoever holds
   * this leg goes on with it, and hears that phone. False: there is nothing to hand over yet.
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
      // One that was never answered leaves this leg as it was.
      if (this.#successor === successor) this.#endWith(end);
    });
    successor.answer(media).catch(() => {});
    return true;
  }

  /** This leg's own dialog is over; the call goes on with that plan. */
  protected abstract leaveDialog(plan: MediaPlan): void;

  protected get isReplaced(): boolean {
    return this.#successor !== undefined;
  }

  /** Where our RTP is, for every description of this leg from now on. */
  protected setMedia(media: LocalMedia): void {
    this.#media = media;
    this.#advertised = this.context.advertise(media);
    this.negotiator.setMedia(this.#advertised);
  }

  protected hangUpEstablished(session: Session): void {
    this.settle(session.bye());
    this.end(hungUp("us"));
  }

  /** SIP.js reports refused steps by rejection; the leg's state has dealt with them already. */
  protected settle(promise: Promise<unknown>): void {
    promise.catch((error) =>
      this.context.log.debug("sip.session_step_failed", { error: describeError(error) }),
    );
  }

  protected emitMedia(plan: MediaPlan): void {
    this.emit("media", { plan });
  }

  /** The successor's end in this leg's words. */
  #endWith(end: LegEnd): void {
    if (end.by === "us") this.end(end);
    else if (end.kind === "bye") this.end(hungUp(this.peer));
    else this.end({ ...end, by: this.peer });
  }

  /** A refresh, or an offer with another address. */
  #renegotiate(): void {
    this.#renegotiation ??= new Renegotiation({
      clock: this.context.clock,
      random: this.context.random,
      weCalled: this.peer === "callee",
      ask: () => this.#ask(),
      onRefused: ({ sipCode, minSe }) => {
        if (sipCode === 422) this.sessionTimer.acceptMinimum(minSe);
        // RFC 3261 12.2.1.2: the far end knows nothing of the call any more.
        if (sipCode === 408 || sipCode === 481) this.#expireSession();
        else this.sessionTimer.refreshFailed(sipCode);
      },
    });
    this.#renegotiation.request();
  }

  /** By UPDATE where that is enough and known to the far end, else by re-INVITE. Never rejects. */
  async #ask(): Promise<ReinviteOutcome> {
    if (!this.#offerDue && this.sessionTimer.peer.allows("UPDATE")) {
      const outcome = await sendUpdate(this.session);
      if (!isUpdateUnwelcome(outcome) || this.ended) return outcome;
      this.sessionTimer.peer.forget("UPDATE");
    }
    this.#offerDue = false;
    const outcome = await this.#reinvite();
    // Not heard: the next try is to carry it still.
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
