/**
 * An outgoing call: INVITE, early media, ring timeout, CANCEL and its races, BYE. One SIP.js
 * `Inviter` behind the leg's port.
 */
import { type Core, type Inviter, SessionState } from "sip.js";
import type { LegEnd, LocalMedia, OutgoingLeg } from "../../call/sip-port.ts";
import type { Timer } from "../../core/clock.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { ResponseParts, SipRequest, SipResponse, SipUri } from "../message/index.ts";
import { nameOfRequest } from "./dialog.ts";
import { BaseLeg, type LegContext } from "./leg.ts";
import {
  cancelled,
  endOfRejectedCall,
  noCommonCodec,
  ringTimedOut,
  transportFailed,
} from "./leg-end.ts";
import type { MediaNegotiator } from "./media-negotiator.ts";
import { type RedirectRules, redirectTarget } from "./redirect.ts";

/** After CANCEL the 487 normally arrives within a round trip; we wait at most this long. */
const CANCEL_WAIT_MS = 5000;

type Phase =
  | { readonly name: "inviting" }
  /** CANCEL was sent; `end` creates the LegEnd from the final code that follows. */
  | { readonly name: "cancelling"; readonly end: (sipCode: number | null) => LegEnd }
  | { readonly name: "answered" };

/** Another INVITE of the same call: RFC 3261 8.1.3.5 keeps its Call-ID and continues its CSeq. */
interface AskedAgain {
  readonly callId: string;
  readonly cseq: number;
  readonly target: SipUri;
}
/** Maximum redirects per call. */
const REDIRECTS_MAX = 3;
/** Maximum retries per call for servers that require longer sessions. */
const MINIMA_MAX = 3;

interface OutgoingLegOptions {
  readonly context: LegContext;
  /** The number called, at the trunk's server. */
  readonly target: SipUri;
  readonly ringTimeoutMs: number;
  readonly media: LocalMedia;
  readonly makeNegotiator: (onPlan: (plan: MediaPlan) => void) => MediaNegotiator;
  /** Creates the Inviter; the negotiator writes its descriptions. */
  readonly makeInviter: (negotiator: MediaNegotiator, again?: AskedAgain) => Inviter;
  readonly redirects: RedirectRules;
}

export class SipOutgoingLeg extends BaseLeg implements OutgoingLeg {
  readonly direction = "outgoing";
  readonly sipCallId: string;
  protected readonly peer = "callee";
  protected session: Inviter;
  readonly negotiator: MediaNegotiator;
  readonly #ringTimer: Timer;
  readonly #options: OutgoingLegOptions;
  #phase: Phase = { name: "inviting" };
  /** Requests that arrived with the 2xx. Null after SIP.js has processed it, or before the 2xx. */
  #kept: (() => void)[] | null = null;
  /** Plans of early dialogs whose answer to our offer is final (RFC 3262 5), by remote tag. */
  readonly #earlyPlans = new Map<string, MediaPlan>();
  /** URIs called so far: first the number, then the targets of 3xx responses. */
  readonly #tried: SipUri[];
  #minima = 0;

  constructor(options: OutgoingLegOptions) {
    super(options.context);
    this.#options = options;
    this.#tried = [options.target];
    this.negotiator = options.makeNegotiator((plan) => this.#onPlan(plan));
    this.setMedia(options.media);
    this.session = options.makeInviter(this.negotiator);
    this.sipCallId = this.session.request.callId;
    this.#watch(this.session);
    this.#ringTimer = this.after(options.ringTimeoutMs, () => this.#cancel(ringTimedOut));
  }

  start(): void {
    const requestDelegate: Core.OutgoingInviteRequestDelegate = {
      onProgress: ({ message }) => this.#onProgress(message),
      onAccept: ({ message }) => this.#onAccept(message),
      onRedirect: ({ message }) => this.#onRefused(message),
      onReject: ({ message }) => this.#onRefused(message),
    };
    this.session.invite({ requestDelegate }).catch(() => this.end(transportFailed()));
  }

  #watch(session: Inviter): void {
    session.delegate = this.dialogDelegate();
    session.stateChange.addListener((state) => this.#onState(session, state));
  }

  /**
   * 422: the session interval was too short for a server on the way; tries again with its minimum.
   */
  #inviteAgain(message: Core.IncomingResponseMessage): boolean {
    if (this.#phase.name !== "inviting" || this.ended) return false;
    if (++this.#minima > MINIMA_MAX) return false;
    if (!this.sessionTimer.acceptMinimum(message.getHeader("min-se"))) return false;
    this.#inviteOnce();
    return true;
  }

  /** 3xx: sends the INVITE to the new target, if allowed. */
  #follow(message: Core.IncomingResponseMessage): boolean {
    if (this.#phase.name !== "inviting" || this.ended) return false;
    if (this.#tried.length > REDIRECTS_MAX) return false;
    const contacts = message.getHeaders("contact");
    const target = redirectTarget(contacts, this.#tried, this.#options.redirects);
    if (!target) return false;
    this.#tried.push(target);
    this.#inviteOnce();
    return true;
  }

  #inviteOnce(): void {
    const { callId, cseq } = this.session.request;
    this.session = this.#options.makeInviter(this.negotiator, {
      callId,
      cseq: cseq + 1,
      target: this.#tried.at(-1) ?? this.#options.target,
    });
    this.#watch(this.session);
    // The first session closes the shared negotiator; it must be used again only after that.
    this.after(0, () => {
      if (this.#phase.name === "inviting" && !this.ended) this.start();
    });
  }

  /**
   * SIP.js sends the ACK some microtasks after the 2xx, and drops requests that arrive before it.
   */
  override responseReceived(response: SipResponse, host: string): void {
    super.responseReceived(response, host);
    const answers =
      response.cseq.method === "INVITE" && Math.floor(response.statusCode / 100) === 2;
    if (!answers || this.session.state !== SessionState.Establishing || this.#kept) return;
    this.#kept = [];
    this.context.clock.after(0, () => {
      const kept = this.#kept ?? [];
      this.#kept = null;
      for (const pass of kept) pass();
    });
  }

  override keep(pass: () => void): boolean {
    this.#kept?.push(pass);
    return this.#kept !== null;
  }

  /**
   * A callee sends no BYE before its answer (15). The final response decides the result of the
   * call.
   */
  override answerEarly(request: SipRequest): ResponseParts | undefined {
    if (!this.dialogNamed(nameOfRequest(request))?.early) return undefined;
    if (request.method === "INVITE") return { statusCode: 491 };
    return request.method === "BYE" ? { statusCode: 200 } : undefined;
  }

  override get isWanted(): boolean {
    return this.#phase.name !== "cancelling" && super.isWanted;
  }

  protected hangUpOwn(): void {
    if (this.ended) return;
    if (this.session.state === SessionState.Established) this.hangUpEstablished(this.session);
    else this.#cancel((sipCode) => cancelled("us", sipCode));
  }

  protected leaveDialog(plan: MediaPlan): void {
    const answered = this.#phase.name === "answered";
    this.#ringTimer.cancel();
    this.#phase = { name: "answered" };
    if (answered) this.emitMedia(plan);
    else this.emit("answered", { plan });
    this.settle(answered ? this.session.bye() : this.session.cancel());
  }

  #cancel(end: (sipCode: number | null) => LegEnd): void {
    if (this.#phase.name !== "inviting" || this.ended) return;
    this.#phase = { name: "cancelling", end };
    this.#ringTimer.cancel();
    this.after(CANCEL_WAIT_MS, () => this.end(end(null)));
    this.settle(this.session.cancel());
  }

  #onProgress(message: Core.IncomingResponseMessage): void {
    const preview = message.body === "" ? undefined : this.negotiator.preview(message.body);
    const plan = preview?.ok ? preview.plan : null;
    if (plan && message.hasHeader("rseq")) this.#earlyPlans.set(message.toTag, plan);
    this.emit("ringing", { sipCode: message.statusCode ?? 180, plan });
  }

  protected override earlyAnswerer(remoteTag: string) {
    if (!this.#earlyPlans.has(remoteTag)) return undefined;
    return (offer: string) => {
      const answered = this.negotiator.answerEarly(offer);
      if (!answered) return undefined;
      this.#earlyPlans.set(remoteTag, answered.plan);
      this.emit("ringing", { sipCode: 183, plan: answered.plan });
      return answered.answer;
    };
  }

  /** Called after SIP.js has sent the ACK, and a BYE if the answer was unusable. */
  #onAccept(message: Core.IncomingResponseMessage): void {
    if (this.isReplaced) {
      this.settle(this.session.bye());
      return;
    }
    if (this.session.state !== SessionState.Established) {
      this.end(noCommonCodec("us", 200));
      return;
    }
    this.#ringTimer.cancel();
    // SIP.js keeps an early answer; if the SDP of the 200 differs, the 200 applies.
    const final = message.body === "" ? undefined : this.negotiator.preview(message.body);
    const early = this.#earlyPlans.get(message.toTag);
    const plan = final?.ok ? final.plan : (early ?? this.negotiator.plan);
    if (!plan) {
      this.hangUpEstablished(this.session);
      return;
    }
    this.emitAnswered(plan);
    this.#phase = { name: "answered" };
  }

  #onRefused(message: Core.IncomingResponseMessage): void {
    if (this.isReplaced) return;
    // SIP.js creates a 408 or 503 without a Call-ID when there was no response or nothing could be
    // sent.
    const invented = !message.callId;
    const sipCode = message.statusCode ?? 500;
    if (sipCode === 422 && this.#inviteAgain(message)) return;
    if (sipCode >= 300 && sipCode < 400 && this.#follow(message)) return;
    if (this.#phase.name === "cancelling") this.end(this.#phase.end(invented ? null : sipCode));
    else {
      const reasons = message.getHeaders("reason");
      this.end(invented ? transportFailed() : endOfRejectedCall(sipCode, reasons));
    }
  }

  #onPlan(plan: MediaPlan): void {
    if (this.#phase.name === "answered") this.emitMedia(plan);
  }

  /** Handles ends that no delegate reports: 200 after CANCEL, an answer without usable SDP. */
  #onState(session: Inviter, state: SessionState): void {
    if (state !== SessionState.Terminated || this.isReplaced) return;
    const phase = this.#phase;
    // Delegates of the same step run first; they have more information.
    queueMicrotask(() =>
      queueMicrotask(() => {
        if (phase.name === "cancelling") this.end(phase.end(200));
        else if (this.negotiator.failure !== null) this.end(noCommonCodec("us", 200));
        else this.after(0, () => this.#endUnlessAskedAgain(session));
      }),
    );
  }

  #endUnlessAskedAgain(session: Inviter): void {
    if (session === this.session) this.end(transportFailed());
  }
}
