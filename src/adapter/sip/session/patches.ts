/**
 * Workarounds for defects of SIP.js 0.21.2, each with its reason. Written for that version: read
 * this file again before every update. The missing timers A, E, G, D, I, J, K are not fixed here:
 * `transaction/` runs below SIP.js and makes them unnecessary.
 */
import { Core, Invitation, Session, SessionState } from "sip.js";
import { hex } from "../../../core/ids.ts";
import { systemRandom } from "../../../core/random.ts";
import { kindOf, type RequestAuthorisation } from "../credentials.ts";
import type { Challenge } from "../digest.ts";

type Method<This, Arguments extends unknown[], Result> = (
  this: This,
  ...input: Arguments
) => Result;

interface InvitationInternals {
  onAckTimeout: Method<Invitation, [], void>;
}
interface SessionInternals {
  onAckRequest: Method<ReinvitedSession, [Core.IncomingAckRequest], Promise<void>>;
  onPrackRequest: Method<Session, [{ accept(): unknown }], void>;
}
interface ReinvitedSession {
  /** We answered a re-INVITE, and its ACK has not arrived. */
  pendingReinviteAck: boolean;
  readonly dialog?: Core.SessionDialog;
  rollbackOffer(): Promise<void>;
}
interface DialogInternals {
  /** Undefined: the constructor threw after the dialog was added to the list. */
  readonly logger: object | undefined;
  readonly invite2xxTimer: ReturnType<typeof setTimeout> | undefined;
  dispose(): void;
}
interface ClientTransactionInternals {
  makeId(request: { method: string; branch?: string }): string;
}
interface DialogCounter {
  readonly localSequenceNumber: number | undefined;
  incrementLocalSequenceNumber(): void;
}
interface ClientInternals {
  credentials: RequestAuthorisation | undefined;
  readonly message: Core.OutgoingRequestMessage;
  readonly core: {
    readonly configuration: { authenticationFactory(): RequestAuthorisation };
    readonly dialogs: { get(id: string): DialogCounter | undefined };
  };
  init(): void;
  authenticationGuard: Method<
    ClientInternals,
    [Core.IncomingResponseMessage, DialogCounter | undefined],
    boolean
  >;
}

const LAST_RESORT_MS = 15 * 60_000;

let applied = false;

/** Idempotent; call before the first UserAgent is created. */
export function applySipJsPatches(): void {
  if (applied) return;
  applied = true;
  guardAckTimeout();
  strengthenBranches();
  answerChallenges();
  answerLatePrack();
  keepSessionWithoutAnswer();
  disposeHalfDialogs();
  leaveTimeoutsToUs();
}

/** When the ACK of a 2xx never arrived and the call had already ended, a timer threw 32 s later. */
function guardAckTimeout(): void {
  const prototype = Invitation.prototype as unknown as InvitationInternals;
  const original = prototype.onAckTimeout;
  prototype.onAckTimeout = function () {
    if (this.state !== SessionState.Established || !this.dialog) return;
    original.call(this);
  };
}

/**
 * Branches had only 10^7 values from Math.random: guessable, and with collisions after a few
 * thousand calls.
 */
function strengthenBranches(): void {
  const transaction = Core.ClientTransaction as unknown as ClientTransactionInternals;
  transaction.makeId = (request) => {
    if (request.method !== "CANCEL") return `z9hG4bK${hex(systemRandom.bytes(12))}`;
    if (request.branch === undefined) throw new Error("CANCEL without the branch of its INVITE");
    return request.branch;
  };
}

/**
 * SIP.js answers one challenge per request and does not update a dialog's CSeq. Here a 407 may
 * follow a 401, a nonce may be stale, and the dialog's CSeq is updated. True: nothing to answer,
 * continue.
 */
function answerChallenges(): void {
  const prototype = Core.UserAgentClient.prototype as unknown as ClientInternals;
  prototype.authenticationGuard = function (response, dialog) {
    const { statusCode } = response;
    if (statusCode !== 401 && statusCode !== 407) return true;
    const field = statusCode === 401 ? "www-authenticate" : "proxy-authenticate";
    const challenge: Challenge | undefined = response.parseHeader(field);
    if (!challenge) return true;
    this.credentials ??= this.core.configuration.authenticationFactory();
    if (!this.credentials.take(kindOf(statusCode), challenge)) return true;
    const { message } = this;
    message.cseq = nextCSeq(message, dialog ?? dialogOf(this));
    message.setHeader("cseq", `${message.cseq} ${message.method}`);
    const body = typeof message.body === "string" ? message.body : message.body?.body;
    const authorizationHeaders = this.credentials.headers(
      message.method,
      message.ruri.toString(),
      body,
    );
    for (const [name, value] of authorizationHeaders) message.setHeader(name, value);
    this.init();
    return false;
  };
}

function dialogOf({ core, message }: ClientInternals): DialogCounter | undefined {
  const { callId, fromTag, toTag } = message;
  return toTag ? core.dialogs.get(callId + fromTag + toTag) : undefined;
}

function nextCSeq(message: Core.OutgoingRequestMessage, dialog: DialogCounter | undefined): number {
  if (!dialog?.localSequenceNumber) return message.cseq + 1;
  dialog.incrementLocalSequenceNumber();
  return dialog.localSequenceNumber;
}

/** PRACK in an established dialog threw "Unimplemented.". */
function answerLatePrack(): void {
  const prototype = Session.prototype as unknown as SessionInternals;
  prototype.onPrackRequest = (request) => {
    request.accept();
  };
}

/**
 * The ACK of a re-INVITE without an offer must answer ours (RFC 3261 13.2.1). Some peers omit the
 * answer. SIP.js then hung up, although a failed re-INVITE must leave the session unchanged (14.2).
 */
function keepSessionWithoutAnswer(): void {
  const prototype = Session.prototype as unknown as SessionInternals;
  const original = prototype.onAckRequest;
  prototype.onAckRequest = function (request) {
    const unanswered = this.dialog?.signalingState === Core.SignalingState.HaveLocalOffer;
    if (!this.pendingReinviteAck || !unanswered) return original.call(this, request);
    this.pendingReinviteAck = false;
    this.dialog?.signalingStateRollback();
    return this.rollbackOffer();
  };
}

/**
 * A dialog whose constructor threw stays in SIP.js' list, and its dispose threw because it had no
 * logger: the trunk could not be closed.
 */
function disposeHalfDialogs(): void {
  const prototype = Core.SessionDialog.prototype as unknown as DialogInternals;
  const original = prototype.dispose;
  prototype.dispose = function () {
    if (this.logger !== undefined) {
      original.call(this);
      return;
    }
    clearTimeout(this.invite2xxTimer);
    Core.Dialog.prototype.dispose.call(this);
  };
}

/**
 * Timers B and F are handled by us: a request may try several servers (routing/sender.ts) for
 * longer than SIP.js would wait. SIP.js is informed through `TrunkUserAgent.fail`.
 */
function leaveTimeoutsToUs(): void {
  Core.Timers.TIMER_B = LAST_RESORT_MS;
  Core.Timers.TIMER_F = LAST_RESORT_MS;
}
