/**
 * An incoming call: 180, 200 with our answer (or our offer if the INVITE had none), rejection,
 * CANCEL, a missing ACK. One SIP.js `Invitation` behind the leg's port.
 */
import { type Invitation, SessionState } from "sip.js";
import { type IncomingLeg, type LegEnd, LegEnded, type LocalMedia } from "../../call/sip-port.ts";
import type { Timer } from "../../core/clock.ts";
import type { CodecName } from "../../core/codecs.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { ResponseParts, SipRequest } from "../message/index.ts";
import { nameOfRequest } from "./dialog.ts";
import { BaseLeg, type LegContext } from "./leg.ts";
import { ackMissing, cancelled, endOfRejectedCaller, hungUp, noCommonCodec } from "./leg-end.ts";
import type { MediaNegotiator } from "./media-negotiator.ts";
import {
  type AccountNames,
  calledNumbersOf,
  callerNumberOf,
  deliveredNumbersOf,
  isForAccount,
} from "./parties.ts";
import { ReliableRinging } from "./reliable-ringing.ts";
import { retryAfter } from "./update.ts";

/** sip-port.ts: if a leg is not rung, answered or rejected within this time, it gets 480. */
const UNANSWERED_MS = 30_000;

export interface IncomingLegOptions {
  readonly context: LegContext;
  readonly invitation: Invitation;
  readonly request: SipRequest;
  /** The delivery proves that the called number is this trunk's (call-router.ts). */
  readonly isOwn: boolean;
  readonly names: AccountNames;
  readonly makeNegotiator: (onPlan: (plan: MediaPlan) => void) => MediaNegotiator;
}

interface Waiter {
  resolve(result: { readonly plan: MediaPlan }): void;
  reject(error: Error): void;
}

export class SipIncomingLeg extends BaseLeg implements IncomingLeg {
  readonly direction = "incoming";
  readonly sipCallId: string;
  readonly calledNumbers: readonly string[];
  readonly provenNumbers: readonly string[];
  readonly callerNumber: string | null;
  readonly isForAccount: boolean;
  readonly negotiator: MediaNegotiator;
  protected readonly peer = "caller";
  protected readonly session: Invitation;
  readonly #options: IncomingLegOptions;
  readonly #unansweredTimer: Timer;
  #waiter: Waiter | null = null;
  #ringing: ReliableRinging | undefined;
  #accepting = false;
  #acknowledged = false;
  #planned = false;
  #answeredEmitted = false;

  constructor(options: IncomingLegOptions) {
    super(options.context);
    const { invitation, request } = options;
    this.#options = options;
    this.session = invitation;
    this.sipCallId = request.callId;
    this.calledNumbers = calledNumbersOf(request, options.names.contactUser);
    this.provenNumbers = options.isOwn ? deliveredNumbersOf(request) : [];
    this.isForAccount = isForAccount(request, options.names);
    this.callerNumber = callerNumberOf(request);
    this.negotiator = options.makeNegotiator((plan) => this.#onPlan(plan));
    this.requestReceived(request);
    invitation.delegate = {
      ...this.dialogDelegate(),
      onCancel: () => this.#finish(cancelled("caller", 487)),
      onAck: () => this.#onAck(),
    };
    invitation.stateChange.addListener((state) => this.#onState(state));
    this.#unansweredTimer = this.after(UNANSWERED_MS, () => this.reject(480));
  }

  get offeredCodec(): CodecName | null {
    const offer = this.#options.request.body;
    return offer === "" ? null : this.negotiator.codecFor(offer);
  }

  ring(): void {
    this.#unansweredTimer.cancel();
    if (this.session.state !== SessionState.Initial) return;
    const { headers, body } = this.#options.request;
    if (headers.hasToken("require", "100rel")) {
      // Without an offer, the first reliable response would have to contain ours (RFC 3262 5), so
      // none is sent reliably.
      if (body !== "") this.#ringReliably();
      return;
    }
    this.settle(this.session.progress({ statusCode: 180 }));
  }

  #ringReliably(): void {
    if (this.#ringing) return;
    const { clock, random } = this.context;
    this.#ringing = new ReliableRinging(this.session, {
      clock,
      random,
      onUnconfirmed: () => this.reject(504),
    });
    this.#ringing.start();
  }

  protected override confirmRinging(prack: SipRequest): boolean {
    return this.#ringing?.confirm(prack.headers.get("rack") ?? "") ?? true;
  }

  async earlyMedia(media: LocalMedia): Promise<MediaPlan | null> {
    const { headers, body } = this.#options.request;
    const isOver = this.ended || this.session.state !== SessionState.Initial;
    if (isOver || headers.hasToken("require", "100rel")) return null;
    if (body === "" || !this.negotiator.canAnswer(body)) return null;
    this.setMedia(media);
    try {
      await this.session.progress({ statusCode: 183 });
    } catch (error) {
      this.context.log.debug("sip.early_media_failed", { error: String(error) });
      return null;
    }
    return this.ended ? null : this.negotiator.plan;
  }

  answer(media: LocalMedia): Promise<{ readonly plan: MediaPlan }> {
    this.#unansweredTimer.cancel();
    if (this.endedBy) return Promise.reject(new LegEnded(this.endedBy));
    if (this.session.state !== SessionState.Initial) {
      return Promise.reject(new Error("the leg is answered already"));
    }
    const offer = this.#options.request.body;
    if (offer !== "" && !this.negotiator.canAnswer(offer)) {
      this.#rejectWith(488);
      const end = noCommonCodec("us");
      this.end(end);
      return Promise.reject(new LegEnded(end));
    }
    this.setMedia(media);
    const planned = new Promise<{ readonly plan: MediaPlan }>((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
    this.#accepting = true;
    this.session.accept().then(
      () => this.#resolveWaiter(),
      (error: unknown) => {
        this.context.log.debug("sip.accept_failed", { error: String(error) });
        this.#finish(this.negotiator.failure ? noCommonCodec("us") : cancelled("caller", null));
      },
    );
    return planned;
  }

  reject(sipCode: number): void {
    if (this.ended || this.session.state !== SessionState.Initial) return;
    this.#rejectWith(sipCode);
    this.#finish(endOfRejectedCaller(sipCode));
  }

  override answerEarly(request: SipRequest): ResponseParts | undefined {
    const early = this.session.state === SessionState.Initial && !this.ended;
    if (!early || !this.dialogNamed(nameOfRequest(request))) return undefined;
    if (request.method === "INVITE") return retryAfter(this.context.random);
    if (request.method !== "BYE") return undefined;
    this.#rejectWith(487);
    this.#finish(cancelled("caller", 487));
    return { statusCode: 200 };
  }

  protected leaveDialog(plan: MediaPlan): void {
    this.emitMedia(plan);
    this.settle(this.session.bye());
  }

  protected hangUpOwn(sipCode: number | null): void {
    if (this.ended) return;
    const { state } = this.session;
    if (state === SessionState.Initial) {
      this.reject(sipCode ?? 603);
    } else if (state === SessionState.Establishing) {
      this.#rejectWith(480);
      this.#finish(endOfRejectedCaller(480));
    } else {
      this.settle(this.session.bye());
      this.#finish(hungUp("us"));
    }
  }

  #rejectWith(sipCode: number): void {
    this.#unansweredTimer.cancel();
    const statusCode = sipCode >= 300 && sipCode <= 699 ? sipCode : 480;
    this.settle(this.session.reject({ statusCode }));
  }

  /** With a late offer the plan comes with the ACK; both must have arrived. */
  #onAck(): void {
    this.#acknowledged = true;
    this.#emitAnswered();
  }

  #onPlan(plan: MediaPlan): void {
    // The first plan is the answer's. Another one may come before the ACK, which can be lost.
    if (this.#planned) {
      this.emitMedia(plan);
      return;
    }
    this.#planned = true;
    this.#emitAnswered();
    if (this.#acknowledged) this.#resolveWaiter();
  }

  #emitAnswered(): void {
    const { plan } = this.negotiator;
    if (!this.#acknowledged || !plan || this.#answeredEmitted) return;
    this.#answeredEmitted = true;
    this.emitAnswered(plan);
    this.#resolveWaiter();
  }

  #resolveWaiter(): void {
    const { plan } = this.negotiator;
    if (!plan) return;
    this.#waiter?.resolve({ plan });
    this.#waiter = null;
  }

  #finish(end: LegEnd): void {
    this.#waiter?.reject(new LegEnded(this.endedBy ?? end));
    this.#waiter = null;
    this.end(end);
  }

  /**
   * Handles ends that no delegate reports: a BYE before the answer, no ACK within 64·T1, an
   * unusable answer in the ACK.
   */
  #onState(state: SessionState): void {
    this.#ringing?.stop();
    if (state !== SessionState.Terminated || this.isReplaced) return;
    this.after(0, () => {
      if (this.negotiator.failure !== null) this.#finish(noCommonCodec("us"));
      else if (!this.#accepting) this.#finish(cancelled("caller", null));
      else if (!this.#acknowledged) this.#finish(ackMissing());
      else this.#finish(hungUp("caller"));
    });
  }
}
