/** A caller that sends raw text: the test writes every request of a call to the stack. */
import {
  buildRequest,
  type HeaderInit,
  type SipResponse,
  tagOf,
} from "../../../src/sip/message/index.ts";
import { hostForUri } from "../../../src/sip/registration.ts";
import { eventually } from "../eventually.ts";
import type { SipPeer } from "./sip-peer.ts";

export const OFFER = (host: string, port = 30_000, extra = "") =>
  `v=0\r\no=- 1 1 IN IP4 ${host}\r\ns=-\r\nc=IN IP4 ${host}\r\nt=0 0\r\nm=audio ${port} RTP/AVP 8\r\n${extra}`;

export interface RawRequest {
  readonly method: string;
  readonly headers?: HeaderInit;
  readonly body?: string;
  /** Content type of the body; null: no header. Default: SDP. */
  readonly contentType?: string | null;
  /** Default: a new one. */
  readonly branch?: string;
  readonly cseq?: number;
  readonly toTag?: string | null;
  readonly uri?: string;
  /** Default: the peer's contact; null: none. */
  readonly contact?: string | null;
}

export interface RawCall {
  readonly callId: string;
  readonly fromTag: string;
  /** To tag of the stack's first response that has one. */
  readonly toTag: string;
  /** Sends the request once. Returns its branch. */
  send(request: RawRequest): string;
  /** Sends an INVITE with an offer; returns its branch. */
  invite(headers?: HeaderInit, body?: string): string;
  /** Sends the ACK of the 2xx. */
  ack(cseq: number): void;
  /** The first response with that code or a higher one. */
  answer(branch: string, method?: string, fromCode?: number): Promise<SipResponse>;
  codes(branch: string, method?: string): number[];
}

let lastId = 0;

export function rawCall(
  peer: SipPeer,
  stack: { readonly host: string; readonly port: number },
  number = "+37061001001",
): RawCall {
  const id = `${process.pid}-${++lastId}`;
  const callId = `raw-${id}`;
  const own = `sip:raw@${hostForUri(peer.host)}:${peer.port}`;
  const fromTag = `from-${id}`;
  let cseq = 0;
  let branches = 0;
  const answers = (branch: string, method: string) =>
    peer.responses.filter(
      ({ via, cseq: { method: of } }) => via.parameters.get("branch") === branch && of === method,
    );
  const call: RawCall = {
    callId,
    fromTag,
    get toTag() {
      const tags = peer.responses
        .filter((response) => response.callId === callId && response.statusCode > 100)
        .map(({ to }) => tagOf(to));
      return tags.find((tag) => tag !== null) ?? "";
    },
    send(request) {
      const branch = request.branch ?? `z9hG4bK${id}-${++branches}`;
      const followed = request.method === "ACK" || request.method === "CANCEL";
      const number_ = request.cseq ?? (followed ? cseq : ++cseq);
      const toTag = request.toTag === undefined ? call.toTag : request.toTag;
      const to = `<sip:${number}@stack.test>`;
      const { body = "", contentType = "application/sdp" } = request;
      const text = buildRequest({
        method: request.method,
        uri: request.uri ?? `sip:${number}@${stack.host}:${stack.port}`,
        headers: [
          ["Via", `SIP/2.0/UDP ${hostForUri(peer.host)}:${peer.port};branch=${branch}`],
          ["Max-Forwards", 70],
          ["From", `<sip:+37069999999@caller.test>;tag=${fromTag}`],
          ["To", toTag ? `${to};tag=${toTag}` : to],
          ["Call-ID", callId],
          ["CSeq", `${number_} ${request.method}`],
          ...(request.contact === null
            ? []
            : [["Contact", `<${request.contact ?? own}>`] as const]),
          ...(request.headers ?? []),
          ...(body === "" || contentType === null ? [] : [["Content-Type", contentType] as const]),
        ],
        body,
      });
      peer.send(text, stack);
      return branch;
    },
    invite: (headers = [], body = OFFER(peer.host)) =>
      call.send({ method: "INVITE", headers, body }),
    ack: (of) => void call.send({ method: "ACK", cseq: of }),
    async answer(branch, method = "INVITE", fromCode = 200) {
      const found = () => answers(branch, method).find(({ statusCode }) => statusCode >= fromCode);
      await eventually(() => found() !== undefined, `an answer to ${method}`);
      const response = found();
      if (!response) throw new Error("no answer");
      return response;
    },
    codes: (branch, method = "INVITE") =>
      answers(branch, method).map(({ statusCode }) => statusCode),
  };
  return call;
}
