/**
 * Defects of SIP.js 0.21.2 fixed from outside, each with its reason. Pinned to that version: an
 * update starts with reading this file again. Its missing timers A, E, G, D, I, J, K are not here:
 * `transaction/` stands below it and makes them unnecessary.
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
  /** We answered a re-INVITE, and its ACK is due. */
  pendingReinviteAck: boolean;
  readonly dialog?: Core.SessionDialog;
  rollbackOffer(): Promise<void>;
}
interface DialogInternals {
  /** Undefined: its constructor threw half-way, when the dialog was listed already. */
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

/** Idempotent; call before the first UserAgent is made. */
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

/** A 2xx whose ACK never came, on a call already over, threw from a timer 32 s later. */
function guardAckTimeout(): void {
  const prototype = Invitation.prototype as unknown as InvitationInternals;
  const original = prototype.onAckTimeout;
  prototype.onAckTimeout = function () {
    if (this.state !== SessionState.Established || !this.dialog) return;
    original.call(this);
  };
}

/** Branches had 10^7 values from Math.random: guessable, and colliding after a few thousand calls. */
function strengthenBranches(): void {
  const transaction = Core.ClientTransaction as unknown as ClientTransactionInternals;
  transaction.makeId = (request) => {
    if (request.method !== "CANCEL") return `z9hG4bK${hex(systemRandom.bytes(12))}`;
    if (request.branch === undefined) throw new Error("CANCEL without the branch of its INVITE");
    return request.branch;
  };
}

/**
 * SIP.js answers one challenge a request and leaves a dialog's CSeq behind. Here a 407 may follow a
 * 401, a nonce may be stale, and the dialog counts along. True: nothing to answer, go on.
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
 * The ACK of a re-INVITE without an offer must answer ours (RFC 3261 13.2.1). Some peers leave that out;
 * SIP.js hung up the call, where a re-INVITE that comes to nothing leaves the session as it was (14.2).
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
 * A dialog whose constructor threw stays in SIP.js' list, and its dispose threw for want of a logger:
 * the trunk could be closed no more.
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
 * Timers B and F are ours: a request may go from server to server (routing/sender.ts) for longer
 * than SIP.js would wait. It is told through `TrunkUserAgent.fail`.
 */
function leaveTimeoutsToUs(): void {
  Core.Timers.TIMER_B = LAST_RESORT_MS;
  Core.Timers.TIMER_F = LAST_RESORT_MS;
}
