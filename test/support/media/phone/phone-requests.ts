/** A phone's responses to requests other than new calls: in dialogs, CANCEL, OPTIONS. */
import { buildResponse, type SipRequest } from "../../../../src/sip/message/index.ts";
import type { ServerTransaction } from "./endpoint.ts";
import { IncomingCall } from "./incoming-call.ts";
import type { PhoneCall } from "./phone-call.ts";

interface Answer {
  /** Null: no response. */
  readonly statusCode: number | null;
  readonly sdp?: string;
}

/** `call`: the phone's call with the request's Call-ID, if any. */
export function answerInDialog(
  transaction: ServerTransaction,
  call: PhoneCall | undefined,
  contact: string,
): void {
  const { request } = transaction;
  if (request.method === "ACK") {
    call?.acknowledged();
    return;
  }
  if (request.method === "REFER" && call) {
    void Promise.resolve(call.onRefer()).then((statusCode) =>
      send(transaction, call, contact, { statusCode }),
    );
    return;
  }
  send(
    transaction,
    call,
    contact,
    call ? answerForCall(request, call) : answerWithoutCall(request),
  );
}

function send(
  transaction: ServerTransaction,
  call: PhoneCall | undefined,
  contact: string,
  { statusCode, sdp }: Answer,
): void {
  const { request } = transaction;
  if (statusCode === null) return;
  if (request.method === "INVITE" && statusCode === 200) call?.awaitAck(transaction);
  const answer = buildResponse(request, {
    statusCode,
    toTag: "none",
    headers: [
      ["contact", contact],
      ...(sdp === undefined ? [] : [["content-type", "application/sdp"] as const]),
    ],
    body: sdp,
  });
  transaction.respond(answer, statusCode);
  if (request.method === "CANCEL" && call instanceof IncomingCall) call.cancelled();
  if (request.method === "BYE") call?.finish({ by: "them", how: "bye", sipCode: null });
}

const answerWithoutCall = (request: SipRequest): Answer => ({
  statusCode: request.method === "OPTIONS" ? 200 : 481,
});

function answerForCall(request: SipRequest, call: PhoneCall): Answer {
  switch (request.method) {
    case "INVITE":
    case "UPDATE":
      return answerOffer(request, call);
    case "INFO":
      noteDigit(request.body, call);
      return { statusCode: 200 };
    case "CANCEL":
    case "BYE":
    case "NOTIFY":
    case "OPTIONS":
      return { statusCode: 200 };
    default:
      return { statusCode: 501 };
  }
}

function answerOffer(request: SipRequest, call: PhoneCall): Answer {
  if (call.state !== "active") return { statusCode: 481 };
  if (request.method === "UPDATE" && request.body === "") return { statusCode: 200 };
  const sdp = call.followOffer(request.body);
  return sdp === null ? { statusCode: 488 } : { statusCode: 200, sdp };
}

/** application/dtmf-relay (`Signal=5`) or application/dtmf (`5`). */
function noteDigit(body: string, call: PhoneCall): void {
  const digit = /^\s*(?:Signal\s*=\s*)?([0-9A-D*#])/i.exec(body)?.[1];
  if (digit !== undefined) call.noteInfoDigit(digit);
}
