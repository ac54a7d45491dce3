/**
 * Handles late responses to an INVITE whose server was abandoned for another. A ringing call is
 * cancelled, an answered one is acknowledged and hung up (RFC 3261 13.2.2.4), a rejection is
 * acknowledged. Also writes the ACK of a rejection (17.1.1.3), which SIP.js does only for responses
 * that it sees.
 */
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import {
  buildRequest,
  formatUri,
  formatVia,
  type HeaderInit,
  parseNameAddr,
  parseOwnMessage,
  type SipRequest,
  type SipResponse,
} from "../message/index.ts";
import type { TransactionLayer } from "../transaction/layer.ts";
import type { Flow } from "../transport/flow.ts";

interface Written {
  readonly message: SipRequest;
  readonly text: string;
}

/** For a request whose response changes nothing. */
export const NO_OP_CALLBACKS = { onResponse: () => {}, onTimeout: () => {} };

export class LateResponse {
  #cancelled = false;
  #hungUp = false;

  constructor(
    private readonly invite: SipRequest,
    private readonly deps: { readonly random: Random; readonly transactions: TransactionLayer },
  ) {}

  receive(response: SipResponse, flow: Flow): void {
    const { statusCode } = response;
    if (statusCode >= 300) this.#send(ackOf(this.invite, response), flow);
    else if (statusCode >= 200) this.#hangUp(response, flow);
    else this.cancel(flow);
  }

  /** Once, and only after a provisional response (9.1). */
  cancel(flow: Flow): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#send(hopByHop(this.invite, "CANCEL", this.invite.headers.get("to") ?? ""), flow);
  }

  #hangUp(response: SipResponse, flow: Flow): void {
    const { number } = this.invite.cseq;
    this.#send(this.#inDialog(response, "ACK", number), flow);
    if (this.#hungUp) return;
    this.#hungUp = true;
    this.#send(this.#inDialog(response, "BYE", number + 1), flow);
  }

  #inDialog(response: SipResponse, method: string, cseq: number): Written {
    const contact = parseNameAddr(response.headers.get("contact") ?? "");
    const branch = `z9hG4bK${hex(this.deps.random.bytes(12))}`;
    const parameters = new Map(this.invite.via.parameters).set("branch", branch);
    const routes = response.headers.all("record-route").reverse();
    return written({
      method,
      uri: formatUri(contact?.uri ?? this.invite.uri),
      headers: [
        ["Via", formatVia({ ...this.invite.via, parameters })],
        ["Max-Forwards", 70],
        ...routes.map((route) => ["Route", route] as const),
        ["From", this.invite.headers.get("from") ?? ""],
        ["To", response.headers.get("to") ?? ""],
        ["Call-ID", this.invite.callId],
        ["CSeq", `${cseq} ${method}`],
      ],
    });
  }

  #send({ message, text }: Written, flow: Flow): void {
    this.deps.transactions.sendRequest(message, text, flow, NO_OP_CALLBACKS);
  }
}

/** The ACK of a rejection: same branch, the To of the response. */
export const ackOf = (invite: SipRequest, response: SipResponse): Written =>
  hopByHop(invite, "ACK", response.headers.get("to") ?? "");

function hopByHop(invite: SipRequest, method: "ACK" | "CANCEL", to: string): Written {
  return written({
    method,
    uri: formatUri(invite.uri),
    headers: [
      ["Via", formatVia(invite.via)],
      ["Max-Forwards", 70],
      ...invite.headers.all("route").map((route) => ["Route", route] as const),
      ["From", invite.headers.get("from") ?? ""],
      ["To", to],
      ["Call-ID", invite.callId],
      ["CSeq", `${invite.cseq.number} ${method}`],
    ],
  });
}

function written(parts: { method: string; uri: string; headers: HeaderInit }): Written {
  const text = buildRequest(parts);
  const message = parseOwnMessage(text);
  if (message.kind !== "request") throw new Error("we wrote no request");
  return { message, text };
}
