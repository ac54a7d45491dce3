/**
 * Internal state of a SIP.js dialog (RFC 3261 12). It is needed for in-dialog requests that SIP.js
 * does not support (UPDATE, OPTIONS, PRACK) and to find the dialog that a Replaces names.
 */
import type { Core, Session } from "sip.js";
import { type SipRequest, tagOf } from "../message/index.ts";
import { NULL_TAG, toSipJsContact } from "./convert.ts";

interface DialogState {
  remoteSequenceNumber: number | undefined;
  remoteTarget: unknown;
}
interface DialogInternals {
  readonly callId: string;
  readonly localTag: string;
  readonly remoteTag: string;
  readonly early: boolean;
  readonly dialogState: DialogState;
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

/** The session's dialog of that name; undefined: none. */
export function dialogNamed(session: Session, name: DialogName): { early: boolean } | undefined {
  return dialogsOf(session).find(
    ({ callId, localTag, remoteTag }) =>
      callId === name.callId && localTag === name.localTag && remoteTag === name.remoteTag,
  );
}

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

/**
 * The remote party hung up without an ACK for our 2xx. SIP.js keeps waiting for it, and its timer
 * throws 32 s later, when the session is gone.
 */
export function stopAwaitingAck(session: Session): void {
  const { dialog } = session as unknown as { readonly dialog?: Core.Session };
  if (dialog) dialog.delegate = { onAckTimeout: () => {} };
}
