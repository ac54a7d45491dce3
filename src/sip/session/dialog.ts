/**
 * Internal state of a SIP.js dialog (RFC 3261 12). It is needed for in-dialog requests that SIP.js
 * does not support (UPDATE, OPTIONS, PRACK) and to find the dialog that a Replaces names.
 */
import { Core, type Session, type URI } from "sip.js";
import { type SipRequest, type SipResponse, tagOf } from "../message/index.ts";
import { NULL_TAG, toSipJsContact } from "./convert.ts";

interface DialogState {
  remoteSequenceNumber: number | undefined;
  remoteTarget: URI;
}
interface UnconfirmedReinvite {
  readonly transaction: { readonly state: Core.TransactionState };
}
interface DialogInternals {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
  readonly early: boolean;
  readonly dialogState: DialogState;
  /** A re-INVITE of the remote party, until it is rejected or its ACK arrives. */
  reinviteUserAgentServer: UnconfirmedReinvite | undefined;
  /** Repeats our 2xx. */
  invite2xxTimer: ReturnType<typeof setTimeout> | undefined;
  signalingStateRollback(): void;
}

export interface DialogName {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
}

function dialogsOf(session: Session): DialogInternals[] {
  const internals = session as unknown as {
    readonly dialog?: DialogInternals;
    readonly outgoingInviteRequest?: { readonly earlyDialogs?: Map<string, DialogInternals> };
    readonly incomingInviteRequest?: { readonly earlyDialog?: DialogInternals };
  };
  if (internals.dialog) return [internals.dialog];
  const asked = internals.outgoingInviteRequest?.earlyDialogs?.values() ?? [];
  return [...asked, internals.incomingInviteRequest?.earlyDialog].filter(
    (dialog) => dialog !== undefined,
  );
}

export function dialogNamed(session: Session, name: DialogName): { early: boolean } | undefined {
  return dialogsOf(session).find(
    ({ callId, localTag, remoteTag }) =>
      callId === name.callId && localTag === name.localTag && remoteTag === name.remoteTag,
  );
}

/** The remote party's address; undefined if there is no dialog. */
export const remoteTargetOf = (session: Session): URI | undefined =>
  dialogsOf(session)[0]?.dialogState.remoteTarget;

export const nameOfRequest = (request: SipRequest): DialogName => ({
  callId: request.callId,
  localTag: tagOf(request.to) ?? "",
  remoteTag: tagOf(request.from) ?? NULL_TAG,
});

/**
 * Records a request that SIP.js does not see: its CSeq, and the remote target (12.2.2). Returns
 * false if it is older than an earlier one; the response must then be 500.
 */
export function noteRequest(session: Session, request: SipRequest): boolean {
  const { localTag, remoteTag } = nameOfRequest(request);
  const dialog = dialogsOf(session).find(
    (each) => each.localTag === localTag && each.remoteTag === remoteTag,
  );
  if (!dialog) return true;
  const { dialogState } = dialog;
  const { number } = request.cseq;
  if (number <= (dialogState.remoteSequenceNumber ?? -1)) return false;
  dialogState.remoteSequenceNumber = number;
  const target = request.method === "UPDATE" ? toSipJsContact(request) : undefined;
  if (target) dialogState.remoteTarget = target;
  return true;
}

/** The CSeq of our latest request whose 2xx set the remote target. */
const targetSetBy = new WeakMap<DialogInternals, number>();

/**
 * Records the remote target from a 2xx to our INVITE or UPDATE (12.2.1.2). SIP.js uses that of its
 * first response, even a 180. Repeated responses change nothing.
 */
export function noteResponse(session: Session, response: SipResponse): void {
  const { statusCode, cseq } = response;
  const isAccepted = Math.floor(statusCode / 100) === 2;
  if (!isAccepted || (cseq.method !== "INVITE" && cseq.method !== "UPDATE")) return;
  const remoteTag = tagOf(response.to) ?? NULL_TAG;
  const dialog = dialogsOf(session).find((each) => each.remoteTag === remoteTag);
  const target = toSipJsContact(response);
  if (!dialog || !target || cseq.number <= (targetSetBy.get(dialog) ?? 0)) return;
  targetSetBy.set(dialog, cseq.number);
  dialog.dialogState.remoteTarget = target;
}

/**
 * Stops waiting for the ACK of our 2xx to a re-INVITE. Otherwise SIP.js would reject every later
 * re-INVITE of either side. A later one of the remote party shows that it has the 2xx. Otherwise we
 * stop after 64·T1, and the call continues (decisions 14). Returns true if our offer in the 2xx has
 * no answer.
 */
export function leaveUnconfirmed(session: Session, laterCseq: number | null): boolean {
  const { dialog } = session as unknown as { readonly dialog?: DialogInternals };
  const state = dialog?.reinviteUserAgentServer?.transaction.state;
  if (!dialog || state === undefined) return false;
  const isLater = laterCseq !== null && laterCseq > (dialog.dialogState.remoteSequenceNumber ?? -1);
  const isOver = state === Core.TransactionState.Terminated;
  if (!isOver && !(isLater && state === Core.TransactionState.Accepted)) return false;
  clearTimeout(dialog.invite2xxTimer);
  dialog.invite2xxTimer = undefined;
  dialog.reinviteUserAgentServer = undefined;
  dialog.signalingStateRollback();
  return isOver;
}

/**
 * The remote party hung up without an ACK for our 2xx. SIP.js keeps waiting for it, and its timer
 * throws 32 s later, when the session no longer exists.
 */
export function stopAwaitingAck(session: Session): void {
  const { dialog } = session as unknown as { readonly dialog?: Core.Session };
  if (dialog) dialog.delegate = { onAckTimeout: () => {} };
}
