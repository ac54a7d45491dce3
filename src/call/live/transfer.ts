/**
 * Transfers a live call to a person. The agent finishes its sentence, and the caller hears a ringing tone. Then
 * REFER (RFC 3515) asks the carrier to transfer, and the call ends as `transferred`.
 *
 * We dial a second leg over the same trunk if the carrier refuses REFER or does not answer it, and always if
 * the person gets a briefing. The call worker then relays the audio between both legs. The call goes on, with
 * its recording and billing, until one side hangs up.
 *
 * If the carrier supports Replaces, we then ask it to join both legs (RFC 5589). The bridge stays until it has
 * joined them.
 *
 * Guarantees: the dialling rules and the tenant's caps are checked first. One transfer at a time. After any
 * failure (busy, no answer, declined, no line) the caller returns to the agent, who says so. The second leg
 * never outlives the call.
 */

import type { CallEvents } from "../../conversation/call-protocol.ts";
import type { CallNote, TransferFailure } from "../../conversation/call-report.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import { isE164 } from "../../core/e164.ts";
import { AppError, describeError, notFound } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Admission } from "../admission/admission.ts";
import type { CallIdentity } from "../call-identity.ts";
import type { CallSettings } from "../call-settings.ts";
import { endingByUs } from "../ending.ts";
import type { CallChannel } from "../media-port.ts";
import type { IncomingLeg, LegEnd, OutgoingLeg, ReferOutcome, SipStack } from "../sip-port.ts";
import type { CallEnding, CallState, CallTransfer } from "../state.ts";
import type { CallStorage } from "../stores.ts";

/**
 * Maximum time for the agent's last sentence (10 s at most in the worker) and the messages to and from the
 * worker.
 */
const READY_TIMEOUT_MS = 15_000;
const BRIDGE_TIMEOUT_MS = 5_000;
/** Maximum time to write a summary, synthesise it and play it to the person. */
const JOIN_TIMEOUT_MS = 45_000;

export interface TransferPorts extends CallStorage {
  readonly admission: Pick<Admission, "transfer">;
  readonly sip: Pick<SipStack, "trunk">;
  readonly settings: Pick<CallSettings, "rtpHost" | "ringTimeoutMs">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The live call to transfer. */
export interface TransferredCall {
  readonly identity: CallIdentity;
  readonly state: CallState;
  readonly leg: IncomingLeg | OutgoingLeg | null;
  readonly channel: CallChannel | null;
  /** Milliseconds since the answer. */
  readonly answeredMs: number;
  note(note: CallNote): void;
  beginTransfer(transfer: CallTransfer): void;
  /** The caller is back with the agent. */
  returned(): void;
  end(ending: CallEnding): void;
}

/** What the person hears first: a text; true: a summary of the call; null: nothing. */
type Announcement = string | true | null;

/** Resolves when the transfer has started. The call's details show the outcome. */
export async function transferCall(
  context: TransferPorts,
  call: TransferredCall,
  to: string,
  announcement: Announcement = null,
): Promise<void> {
  await admit(context, call.identity.tenantId, to);
  const { state, leg, channel } = call;
  if (state.name !== "in_progress" || !leg || !channel)
    throw conflict("Only an answered call can be transferred.");
  if (state.transfer) throw conflict("A transfer of this call is already in progress.");
  const transfer = new Transfer(context, call, channel, to, announcement);
  call.beginTransfer(transfer);
  void transfer.run();
}

async function admit(
  context: Pick<TransferPorts, "database" | "stores" | "admission">,
  tenantId: number,
  to: string,
): Promise<void> {
  const { read } = context.database;
  const setup = context.stores.setup(read);
  const tenant = await setup.tenant(tenantId);
  if (!tenant) throw notFound("tenant");
  await context.admission.transfer(read, tenant, await setup.trunk(tenantId), to);
}

const conflict = (publicMessage: string) =>
  new AppError({ code: "conflict", reason: "call_over", publicMessage });

type Outcome =
  | { readonly name: "referred"; readonly sipCode: number | null }
  | { readonly name: "failed"; readonly cause: TransferFailure; readonly sipCode: number | null };

class Transfer implements CallTransfer {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #secondLeg: OutgoingLeg | null = null;
  #isBridged = false;
  #referral: Promise<ReferOutcome> | null = null;
  /** The person has answered our second leg. */
  #hasPerson = false;
  /** The carrier accepted late. It calls the person; we do not. */
  #isWithCarrier = false;
  /** The carrier has refused a REFER in this call. */
  #refusesRefer = false;

  constructor(
    private readonly context: TransferPorts,
    private readonly call: TransferredCall,
    private readonly channel: CallChannel,
    private readonly to: string,
    private readonly announcement: Announcement,
  ) {
    this.#clock = context.clock;
    this.#log = context.log.with({ call_id: call.identity.callUuid });
  }

  /** Caller and person hear each other. */
  get isBridged(): boolean {
    return this.#isBridged;
  }

  /** The carrier's progress with the REFER; null if no REFER is pending. */
  get referral(): Promise<ReferOutcome> | null {
    return this.#referral;
  }

  /** Performs the transfer. Settles when the caller is with the person or back with the agent. Never rejects. */
  async run(): Promise<void> {
    this.#log.info("call.transfer_started", { announced: this.announcement !== null });
    try {
      this.channel.send("transferBegin");
      await this.#next(["transfer_ready"], READY_TIMEOUT_MS);
      const outcome = await this.#find();
      if (outcome) this.#settle(outcome);
    } catch (error) {
      this.#log.warn("call.transfer_failed", { error: describeError(error) });
      this.#fail({ name: "failed", cause: "failed", sipCode: null }, "bridge");
    }
  }

  /** The call is over, so the second leg is not needed any more. */
  callEnded(): void {
    this.#over.abort();
    this.#secondLeg?.hangUp();
  }

  /** Null if a bridge exists or the call is over. */
  async #find(): Promise<Outcome | null> {
    const { leg } = this.call;
    if (this.announcement === null && leg) {
      this.#referral = leg.refer(this.to, (outcome) => void this.#acceptedLate(outcome));
      const { transferred, accepted, sipCode } = await this.#referral;
      this.#referral = null;
      this.#log.info("call.refer_finished", { transferred, accepted, sip_code: sipCode });
      if (this.#over.signal.aborted) return null;
      this.#refusesRefer = !accepted;
      if (transferred) return { name: "referred", sipCode };
      const cause = accepted ? causeOfAccepted(sipCode) : null;
      if (cause) return { name: "failed", cause, sipCode };
    }
    await this.#bridge();
    return null;
  }

  /**
   * The carrier accepted after we began to dial the person. Unless the person has answered us, we hang up our
   * leg, so that nobody is called twice.
   */
  async #acceptedLate(report: Promise<ReferOutcome>): Promise<void> {
    if (this.#over.signal.aborted || this.#hasPerson) return;
    this.#log.info("call.refer_accepted_late");
    this.#isWithCarrier = true;
    this.#secondLeg?.hangUp();
    const { transferred, sipCode } = await report;
    if (this.#over.signal.aborted) return;
    if (transferred) this.#settle({ name: "referred", sipCode });
    else
      this.#fail({ name: "failed", cause: causeOfAccepted(sipCode) ?? "failed", sipCode }, "refer");
  }

  #settle(outcome: Outcome): void {
    if (outcome.name === "failed") {
      this.#fail(outcome, "refer");
      return;
    }
    this.#note("refer", "transferred", outcome.sipCode);
    this.call.end(endingByUs("completed", "transferred"));
  }

  async #bridge(): Promise<void> {
    const { leg } = this.call;
    const trunk = leg ? this.context.sip.trunk(leg.trunkId) : undefined;
    if (!trunk) throw new Error("the call's trunk is gone");
    this.channel.send("bridgeOpen");
    const opened = await this.#next(["bridge_opened", "bridge_failed"], BRIDGE_TIMEOUT_MS);
    if (this.#isWithCarrier) return;
    if (!("rtpPort" in opened)) throw new Error(`no second leg: ${opened.detail}`);
    const { identity } = this.call;
    const { rtpHost, ringTimeoutMs } = this.context.settings;
    const own = identity.direction === "inbound" ? identity.toNumber : identity.fromNumber;
    this.#secondLeg = trunk.place({
      to: this.to,
      from: isE164(own) ? own : trunk.settings.callerId,
      media: { host: rtpHost, port: opened.rtpPort },
      ringTimeoutMs,
    });
    this.#follow(this.#secondLeg);
  }

  #follow(leg: OutgoingLeg): void {
    leg.on("answered", ({ plan }) => {
      this.#hasPerson = true;
      this.channel.send("bridgeConnect", plan);
      this.channel.send("bridgeJoin", this.announcement);
      this.#next(["bridged"], JOIN_TIMEOUT_MS).then(
        () => this.#bridged(),
        (error) => {
          this.#log.warn("call.bridge_failed", { error: describeError(error) });
          leg.hangUp();
        },
      );
    });
    leg.on("media", ({ plan }) => this.channel.send("bridgeConnect", plan));
    leg.on("digit", ({ digit }) => this.channel.send("bridgeDigit", digit));
    leg.on("ended", (end) => this.#personGone(end));
  }

  #bridged(): void {
    this.#isBridged = true;
    this.#note("bridge", "transferred", null);
    this.#log.info("call.bridged");
    void this.#handToCarrier();
  }

  /** Asks the carrier to join both legs. If it succeeds, we leave the call. Never rejects. */
  async #handToCarrier(): Promise<void> {
    const { leg } = this.call;
    const person = this.#secondLeg;
    if (!leg || !person || this.#refusesRefer) return;
    const { transferred, accepted, sipCode } = await leg.referTo(person);
    if (accepted || sipCode !== null)
      this.#log.info("call.refer_finished", { transferred, accepted, sip_code: sipCode });
    if (transferred && !this.#over.signal.aborted)
      this.call.end(endingByUs("completed", "transferred"));
  }

  #personGone(end: LegEnd): void {
    if (this.#over.signal.aborted || this.#isWithCarrier) return;
    if (this.#isBridged) {
      this.call.end(endingByUs("completed", "transferred", "The person hung up."));
      return;
    }
    this.#fail({ name: "failed", cause: causeOfEnd(end), sipCode: end.sipCode }, "bridge");
  }

  #fail(outcome: Extract<Outcome, { name: "failed" }>, method: "refer" | "bridge"): void {
    if (this.#over.signal.aborted) return;
    const { cause, sipCode } = outcome;
    this.#over.abort();
    this.#secondLeg?.hangUp();
    this.#note(method, cause, sipCode);
    this.#log.info("call.transfer_returned", { cause, sip_code: sipCode });
    this.call.returned();
    this.channel.send("transferFailed", cause);
  }

  #note(
    method: "refer" | "bridge",
    outcome: Extract<CallNote, { kind: "transfer" }>["outcome"],
    sipCode: number | null,
  ): void {
    const atMs = this.call.answeredMs;
    this.call.note({ kind: "transfer", atMs, to: this.to, method, outcome, sipCode });
  }

  /** Waits for the first of these events. Rejects after `timeoutMs` or when the transfer is over. */
  #next<Name extends keyof CallEvents>(
    names: readonly Name[],
    timeoutMs: number,
  ): Promise<CallEvents[Name]> {
    const { signal } = this.#over;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        timer.cancel();
        signal.removeEventListener("abort", onAbort);
        for (const unsubscribe of subscriptions) unsubscribe();
        finish();
      };
      const onAbort = () => settle(() => reject(new Error("the call is over")));
      const timer: Timer = this.#clock.after(timeoutMs, () =>
        settle(() => reject(new Error(`no ${names.join(" or ")} within ${timeoutMs} ms`))),
      );
      const subscriptions = names.map((name) =>
        this.channel.on(name, (event) => settle(() => resolve(event))),
      );
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}

/**
 * Maps the code of the final NOTIFY to a failure of the person. Null if the carrier failed; then dialling may
 * work.
 * Without a final code the carrier may still be ringing the person, who must not be called twice.
 */
export function causeOfAccepted(sipCode: number | null): TransferFailure | null {
  if (sipCode === null || sipCode < 300) return "no_answer";
  if (sipCode === 486 || sipCode === 600) return "busy";
  if (sipCode === 603) return "declined";
  if (sipCode === 408 || sipCode === 480 || sipCode === 487) return "no_answer";
  return null;
}

const CAUSES: Partial<Readonly<Record<LegEnd["kind"], TransferFailure>>> = {
  busy: "busy",
  declined: "declined",
  no_answer: "no_answer",
};

const causeOfEnd = (end: LegEnd): TransferFailure =>
  CAUSES[end.kind] ?? (end.sipCode === 480 ? "no_answer" : "failed");
