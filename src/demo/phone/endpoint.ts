/**
 * One UDP socket with the transactions of RFC 3261 17, so that a phone's requests and responses
 * survive loss. Client: timers A, B, E, F, ACK of rejections. Server: absorbs repeated requests,
 * repeats the last response, and repeats final responses to INVITE until their ACK arrives (timers
 * G and H, 13.3.1.4 for 2xx). phone-call.ts handles dialogs.
 *
 * The caller sends the ACK of a 2xx: every copy of the 2xx is passed up, and each needs an ACK.
 */

import {
  branchOf,
  buildRequest,
  formatVia,
  type HeaderInit,
  Headers,
  parseMessage,
  type RequestParts,
  type SipRequest,
  type SipResponse,
  stampSource,
} from "../../adapter/sip/message/index.ts";
import type { Clock, Timer } from "../../core/clock.ts";
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { type Address, sendDatagram } from "./datagram.ts";

const T1_MS = 500;
const T2_MS = 4000;
const TRANSACTION_MS = 64 * T1_MS;
const TRANSACTIONS_MAX = 2000;

/** A received request, and the means to respond. */
export interface ServerTransaction {
  readonly request: SipRequest;
  readonly source: Address;
  /**
   * Sends a provisional or final response. Later copies of the request get the latest response
   * again.
   */
  respond(answer: string, statusCode: number): void;
  /** The ACK of our 2xx has arrived: stops repeating it. */
  confirm(): void;
}

/** Null: no final response within 32 s (timers B and F). */
export type ResponseListener = (response: SipResponse | null) => void;

export interface SentRequest {
  /** The branch that a CANCEL of this request must repeat (RFC 3261 9.1). */
  readonly branch: string;
}

export interface Endpoint {
  readonly address: Address;
  /** Adds Via; `branch` only for CANCEL. */
  request(
    parts: RequestParts & { readonly branch?: string },
    destination: Address,
    listener: ResponseListener,
  ): SentRequest;
  /** Sends once, outside any transaction: for the ACK of a 2xx. */
  sendAck(parts: RequestParts, destination: Address): void;
  /** One handler for every new request, except ACKs of rejections. */
  onRequest(handler: (transaction: ServerTransaction) => void): void;
  close(): void;
}

interface ClientTransaction {
  readonly text: string;
  readonly request: RequestParts;
  readonly destination: Address;
  readonly listener: ResponseListener;
  intervalMs: number;
  timer: Timer | null;
  expiry: Timer;
  /** Set after a final rejection of an INVITE: the ACK for each further copy. */
  ack: string | null;
  finished: boolean;
}

interface ServerState {
  readonly source: Address;
  answer: string | null;
  intervalMs: number;
  timer: Timer | null;
  expiry: Timer;
}

export async function openEndpoint(options: {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly random: Random;
}): Promise<Endpoint> {
  const { clock, random } = options;
  const clients = new Map<string, ClientTransaction>();
  const servers = new Map<string, ServerState>();
  let handler: (transaction: ServerTransaction) => void = () => {};
  let closed = false;

  const socket = await Bun.udpSocket({
    hostname: options.host,
    port: options.port,
    socket: {
      data: (_socket, datagram, port, host) => receive(datagram.toString("utf8"), { host, port }),
      // An ICMP error (no listener) counts as loss; the timers handle it.
      error: () => {},
    },
  });
  const address: Address = { host: options.host, port: socket.port };

  function send(text: string, destination: Address): void {
    if (!closed) sendDatagram(socket, text, destination);
  }

  function withVia(parts: RequestParts, branch: string): string {
    const via = `SIP/2.0/UDP ${address.host}:${address.port};branch=${branch};rport`;
    return buildRequest({ ...parts, headers: [["via", via], ...entriesOf(parts.headers)] });
  }

  function request(
    parts: RequestParts & { readonly branch?: string },
    destination: Address,
    listener: ResponseListener,
  ): SentRequest {
    const branch = parts.branch ?? `z9hG4bK${hex(random.bytes(8))}`;
    const key = `${branch}|${parts.method}`;
    const transaction: ClientTransaction = {
      text: withVia(parts, branch),
      request: parts,
      destination,
      listener,
      intervalMs: T1_MS,
      timer: null,
      expiry: clock.after(TRANSACTION_MS, () => expire(key)),
      ack: null,
      finished: false,
    };
    if (clients.size < TRANSACTIONS_MAX) clients.set(key, transaction);
    send(transaction.text, destination);
    scheduleRepeat(transaction);
    return { branch };
  }

  /** Timer A doubles without limit, timer E up to T2. */
  function scheduleRepeat(transaction: ClientTransaction): void {
    transaction.timer = clock.after(transaction.intervalMs, () => {
      send(transaction.text, transaction.destination);
      const doubled = transaction.intervalMs * 2;
      const isInvite = transaction.request.method === "INVITE";
      transaction.intervalMs = isInvite ? doubled : Math.min(doubled, T2_MS);
      scheduleRepeat(transaction);
    });
  }

  function expire(key: string): void {
    const transaction = clients.get(key);
    if (!transaction) return;
    transaction.timer?.cancel();
    clients.delete(key);
    if (!transaction.finished) transaction.listener(null);
  }

  function receive(text: string, source: Address): void {
    if (text.trim() === "") return;
    const message = parseMessage(text);
    if (message.kind === "request") receiveRequest(message, source);
    if (message.kind === "response") receiveResponse(message);
  }

  function receiveResponse(response: SipResponse): void {
    const key = `${branchOf(response.via)}|${response.cseq.method}`;
    const transaction = clients.get(key);
    if (!transaction) return;
    const isInvite = response.cseq.method === "INVITE";
    if (response.statusCode < 200) {
      if (isInvite) {
        transaction.timer?.cancel();
        transaction.expiry.cancel();
        // The caller ends a ringing INVITE with CANCEL; 3 minutes is timer C.
        transaction.expiry = clock.after(180_000, () => expire(key));
      }
      transaction.listener(response);
      return;
    }
    transaction.timer?.cancel();
    if (isInvite && response.statusCode >= 300) {
      transaction.ack ??= ackOfRejection(transaction, response);
      send(transaction.ack, transaction.destination);
    }
    const repeated = transaction.finished;
    if (!transaction.finished) {
      transaction.finished = true;
      transaction.expiry.cancel();
      transaction.expiry = clock.after(TRANSACTION_MS, () => expire(key));
    }
    if (!repeated || (isInvite && response.statusCode < 300)) transaction.listener(response);
  }

  /** RFC 3261 17.1.1.3: same branch, Request-URI and Route; To of the response. */
  function ackOfRejection(transaction: ClientTransaction, response: SipResponse): string {
    const sent = entriesOf(transaction.request.headers);
    const kept = sent.filter(([name]) => /^(from|call-id|route|max-forwards)$/i.test(name));
    const headers: HeaderInit = [
      ...kept,
      ["to", response.headers.get("to") ?? ""],
      ["cseq", `${response.cseq.number} ACK`],
    ];
    const parts = { method: "ACK", uri: transaction.request.uri, headers };
    return withVia(parts, branchOf(response.via));
  }

  function receiveRequest(raw: SipRequest, source: Address): void {
    const request = stamped(raw, source);
    const sentBy = `${raw.via.host}:${raw.via.port ?? 5060}`;
    const method = raw.method === "ACK" ? "INVITE" : raw.method;
    const key = `${branchOf(raw.via)}|${sentBy}|${method}`;
    const known = servers.get(key);
    if (raw.method === "ACK") {
      if (known) known.timer?.cancel();
      else handler({ request, source, respond: () => {}, confirm: () => {} });
      return;
    }
    if (known) {
      if (known.answer) send(known.answer, source);
      return;
    }
    if (servers.size >= TRANSACTIONS_MAX) return;
    const state: ServerState = {
      source,
      answer: null,
      intervalMs: T1_MS,
      timer: null,
      expiry: clock.after(180_000, () => forget(key)),
    };
    servers.set(key, state);
    handler({
      request,
      source,
      respond: (answer, statusCode) => respond(key, raw.method, answer, statusCode),
      confirm: () => state.timer?.cancel(),
    });
  }

  function respond(key: string, method: string, answer: string, statusCode: number): void {
    const state = servers.get(key);
    if (!state) return;
    state.answer = answer;
    send(answer, state.source);
    if (statusCode < 200) return;
    state.expiry.cancel();
    state.expiry = clock.after(TRANSACTION_MS, () => forget(key));
    if (method === "INVITE") repeatFinal(state);
  }

  function repeatFinal(state: ServerState): void {
    state.timer?.cancel();
    state.timer = clock.after(state.intervalMs, () => {
      if (state.answer) send(state.answer, state.source);
      state.intervalMs = Math.min(state.intervalMs * 2, T2_MS);
      repeatFinal(state);
    });
  }

  function forget(key: string): void {
    servers.get(key)?.timer?.cancel();
    servers.delete(key);
  }

  return {
    address,
    request,
    sendAck: (parts, destination) =>
      send(withVia(parts, `z9hG4bK${hex(random.bytes(8))}`), destination),
    onRequest: (next) => {
      handler = next;
    },
    close() {
      for (const transaction of clients.values()) {
        transaction.timer?.cancel();
        transaction.expiry.cancel();
      }
      for (const state of servers.values()) {
        state.timer?.cancel();
        state.expiry.cancel();
      }
      clients.clear();
      servers.clear();
      closed = true;
      socket.close();
    },
  };
}

const entriesOf = (headers: HeaderInit | Headers): HeaderInit =>
  headers instanceof Headers ? [...headers] : headers;

/**
 * The request with `received` and `rport` in its topmost Via, so that responses reach the sender.
 */
export function stamped(request: SipRequest, source: Address): SipRequest {
  const via = stampSource(request.via, source);
  const [, ...below] = request.headers.all("via");
  const rest = [...request.headers].filter(([name]) => name !== "via");
  const vias = [formatVia(via), ...below].map((value) => ["via", value] as const);
  return { ...request, via, headers: Headers.from([...vias, ...rest]) };
}
