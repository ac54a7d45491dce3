/**
 * Workarounds for defects of SIP.js 0.21.2 in its outgoing messages, each with its reason. Written
 * for that version: read this file again before every update. Incoming messages are normalised
 * before SIP.js sees them (convert.ts, user-agent.ts). The missing timers A, E, G, D, I, J, K are
 * not fixed here: `transaction/` runs below SIP.js and makes them unnecessary.
 */
import { Core } from "sip.js";
import { hex } from "../../core/ids.ts";
import { systemRandom } from "../../core/random.ts";
import { kindOf, type RequestAuthorisation } from "../credentials.ts";
import type { Challenge } from "../digest.ts";

type Method<This, Arguments extends unknown[], Result> = (
  this: This,
  ...input: Arguments
) => Result;

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
  strengthenBranches();
  answerChallenges();
  leaveTimeoutsToUs();
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
 * SIP.js answers one challenge per request and does not update a dialog's CSeq. With this patch a
 * 407 may follow a 401, a nonce may be stale, and the dialog's CSeq is updated. Returns true if
 * there is no challenge to answer.
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

/**
 * Timers B and F are handled by us: a request may try several servers (routing/sender.ts) for
 * longer than SIP.js would wait. SIP.js is informed through `TrunkUserAgent.fail`.
 */
function leaveTimeoutsToUs(): void {
  Core.Timers.TIMER_B = LAST_RESORT_MS;
  Core.Timers.TIMER_F = LAST_RESORT_MS;
}
