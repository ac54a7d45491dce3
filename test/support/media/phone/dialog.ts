/** A dialog (RFC 3261 12): local and remote party, route set and CSeq. */
import type { DigestClient } from "../../../../src/sip/digest.ts";
import {
  formatUri,
  type HeaderInit,
  parseNameAddr,
  type RequestParts,
  type SipRequest,
  type SipResponse,
  type Uri,
} from "../../../../src/sip/message/index.ts";
import type { Address } from "./datagram.ts";
import type { Endpoint, ResponseListener } from "./endpoint.ts";
import { sendSigned } from "./signed-request.ts";

interface DialogParties {
  readonly callId: string;
  /** From and To header values as we send them, tags included. */
  readonly local: string;
  readonly remote: string;
  readonly target: Uri;
  /** Route header values in sending order. */
  readonly routes: readonly string[];
}

/** For the caller (12.1.2): the route set is the response's Record-Route, reversed. */
export function partiesOfAnswer(response: SipResponse): DialogParties {
  return {
    callId: response.callId,
    local: response.headers.get("from") ?? "",
    remote: response.headers.get("to") ?? "",
    target: contactOf(response) ?? response.to.uri,
    routes: response.headers.all("record-route").reverse(),
  };
}

/** For the callee (12.1.1): the route set is the request's Record-Route in order. */
export function partiesOfInvite(request: SipRequest, localTag: string): DialogParties {
  return {
    callId: request.callId,
    local: `${request.headers.get("to") ?? ""};tag=${localTag}`,
    remote: request.headers.get("from") ?? "",
    target: contactOf(request) ?? request.from.uri,
    routes: request.headers.all("record-route"),
  };
}

function contactOf(message: SipRequest | SipResponse): Uri | null {
  return parseNameAddr(message.headers.get("contact") ?? "")?.uri ?? null;
}

export interface DialogLine {
  readonly endpoint: Endpoint;
  readonly digest: DigestClient | null;
  /** Destination of requests whose next hop is a name: a phone does no lookups. */
  readonly proxy: Address;
  readonly contact: string;
}

export class Dialog {
  #cseq: number;
  #target: Uri;

  constructor(
    readonly parties: DialogParties,
    private readonly line: DialogLine,
    firstCseq: number,
  ) {
    this.#cseq = firstCseq;
    this.#target = parties.target;
  }

  /** Target refresh (12.2): a re-INVITE or its response may have a new Contact. */
  refreshTarget(message: SipRequest | SipResponse): void {
    this.#target = contactOf(message) ?? this.#target;
  }

  request(method: string, listener: ResponseListener, extra: Body = {}): void {
    sendSigned({
      endpoint: this.line.endpoint,
      digest: this.line.digest,
      destination: this.#nextHop(),
      make: () => this.#parts(method, ++this.#cseq, extra),
      listener,
    });
  }

  /** ACK of a 2xx (13.2.2.4), with the CSeq number of its INVITE. */
  acknowledge(inviteCseq: number): void {
    this.line.endpoint.sendAck(this.#parts("ACK", inviteCseq, {}), this.#nextHop());
  }

  #parts(method: string, cseq: number, extra: Body): RequestParts {
    const { callId, local, remote, routes } = this.parties;
    const headers: HeaderInit = [
      ["max-forwards", 70],
      ...routes.map((route) => ["route", route] as const),
      ["from", local],
      ["to", remote],
      ["call-id", callId],
      ["cseq", `${cseq} ${method}`],
      ["contact", this.line.contact],
      ...(extra.contentType ? [["content-type", extra.contentType] as const] : []),
      ...(extra.headers ?? []),
    ];
    return { method, uri: formatUri(this.#target), headers, body: extra.body };
  }

  #nextHop(): Address {
    const [route] = this.parties.routes;
    const uri = route === undefined ? this.#target : parseNameAddr(route)?.uri;
    if (uri?.scheme !== "sip" || !/^[\d.]+$/.test(uri.host)) return this.line.proxy;
    return { host: uri.host, port: uri.port ?? 5060 };
  }
}

interface Body {
  readonly contentType?: string;
  readonly body?: string;
  readonly headers?: HeaderInit;
}
