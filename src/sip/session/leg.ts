/**
 * What both kinds of leg share: events held back until their taker could subscribe, exactly one
 * `ended` as the last event, digits of INFO, media changes.
 */
import type { Bye, Info, Referral, Session, SessionDelegate, URI } from "sip.js";
import type { Clock, Timer } from "../../core/clock.ts";
import { Emitter, type Unsubscribe } from "../../core/emitter.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MediaPlan } from "../../media/plan.ts";
import type { LegEnd, LegEvents, ReferOutcome } from "../ports.ts";
import { hungUp, sessionExpired } from "./leg-end.ts";
import { SessionTimer } from "./session-timer.ts";
import { transfer } from "./transfer.ts";

export interface LegContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly trunkId: number;
  /** RFC 4028, seconds. */
  readonly sessionExpiresSec: number;
  readonly sessionMinSec: number;
  /** SIP URI of an E.164 number at the trunk's server, or of a URI; undefined: neither. */
  readonly uriOf: (target: string) => URI | undefined;
  /** The leg is over: forget it. */
  readonly onEnded: (leg: BaseLeg) => void;
}

type Pending = () => void;

export abstract class BaseLeg {
  abstract readonly sipCallId: string;
  readonly trunkId: number;
  /** Sees every message of the dialog, on the wire. */
  readonly sessionTimer: SessionTimer;
  readonly #emitter: Emitter<LegEvents>;
  readonly #timers = new Set<Timer>();
  #pending: Pending[] | null = [];
  #ended = false;

  constructor(protected readonly context: LegContext) {
    this.trunkId = context.trunkId;
    this.#emitter = new Emitter((error) =>
      context.log.error("leg_listener_threw", { error: describeError(error) }),
    );
    this.sessionTimer = new SessionTimer({
      clock: context.clock,
      expiresSec: context.sessionExpiresSec,
      minSec: context.sessionMinSec,
      refresh: () => this.#reinvite(),
      expire: () => this.#expireSession(),
    });
    this.after(0, () => this.#release());
  }

  /** Who the far end is. */
  protected abstract readonly peer: "caller" | "callee";

  on<Name extends keyof LegEvents>(
    name: Name,
    listener: (event: LegEvents[Name]) => void,
  ): Unsubscribe {
    return this.#emitter.on(name, listener);
  }

  abstract hangUp(): void;

  protected abstract readonly session: Session;

  refer(target: string): Promise<ReferOutcome> {
    const uri = this.context.uriOf(target);
    if (!uri) return Promise.resolve({ transferred: false, accepted: false, sipCode: null });
    return transfer(this.session, uri, this.context.clock);
  }

  /** False: being given up, so that its INVITE is tried nowhere else. */
  get isWanted(): boolean {
    return !this.#ended;
  }

  protected get ended(): boolean {
    return this.#ended;
  }

  protected emit<Name extends Exclude<keyof LegEvents, "ended">>(
    name: Name,
    event: LegEvents[Name],
  ): void {
    if (!this.#ended) this.#deliver(() => this.#emitter.emit(name, event));
  }

  protected end(end: LegEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.sessionTimer.close();
    this.context.onEnded(this);
    this.#deliver(() => {
      this.#emitter.emit("ended", end);
      this.#emitter.clear();
      for (const timer of this.#timers) timer.cancel();
      this.#timers.clear();
    });
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
        this.end(hungUp(this.peer));
      },
      onInfo: (info: Info) => {
        const digit = digitOf(info.request.getHeader("content-type"), info.request.body);
        this.settle(info.accept());
        if (digit !== undefined) this.emit("digit", { digit });
      },
      // We follow nobody's transfer: it would place calls on the tenant's account.
      onRefer: (referral: Referral) => this.settle(referral.reject({ statusCode: 603 })),
    };
  }

  /** Our address is another one: the far end is asked to send its media there. */
  reoffer(): void {
    this.#reinvite();
  }

  protected hangUpEstablished(session: Session): void {
    this.settle(session.bye());
    this.end(hungUp("us"));
  }

  /** SIP.js reports refused steps by rejection; the leg's state has dealt with them already. */
  protected settle(promise: Promise<unknown>): void {
    promise.catch((error) =>
      this.context.log.debug("sip_session_step_failed", { error: describeError(error) }),
    );
  }

  protected emitMedia(plan: MediaPlan): void {
    this.emit("media", { plan });
  }

  /** A re-INVITE with what we agreed on (RFC 4028 7.4). */
  #reinvite(): void {
    const refused = (sipCode: number | null) => this.sessionTimer.refreshFailed(sipCode);
    this.session
      .invite({
        requestDelegate: {
          onReject: ({ message }) => {
            const { statusCode } = message;
            if (statusCode === 422) this.sessionTimer.acceptMinimum(message.getHeader("min-se"));
            refused(statusCode ?? null);
          },
        },
      })
      .catch(() => refused(null));
  }

  #expireSession(): void {
    if (this.#ended) return;
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

/** application/dtmf-relay (`Signal=5`) and application/dtmf (`5`). */
export function digitOf(contentType: string | undefined, body: string): string | undefined {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  const text =
    type === "application/dtmf-relay" ? /^\s*Signal\s*=\s*(\S+)/im.exec(body)?.[1] : body.trim();
  if (type !== "application/dtmf-relay" && type !== "application/dtmf") return undefined;
  if (text === "10") return "*";
  if (text === "11") return "#";
  return text !== undefined && /^[0-9A-D*#]$/i.test(text) ? text.toUpperCase() : undefined;
}
