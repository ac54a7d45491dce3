/**
 * The transaction layer (RFC 3261 17) between the endpoint and its users (SIP.js sessions, the
 * registration client). It handles loss, repeats and reordering on UDP. Matching follows RFC 3261
 * 17.1.3 and 17.2.3. Bounded: beyond the limits new requests are dropped.
 */
import type { Clock } from "../../core/clock.ts";
import {
  branchOf,
  buildResponse,
  type ResponseParts,
  responseDestination,
  type SipRequest,
  type SipResponse,
  transactionIdentity,
} from "../message/index.ts";
import type { Address, Flow } from "../transport/flow.ts";
import { ClientTransaction, type ClientTransactionUser } from "./client.ts";
import { ServerTransaction } from "./server.ts";

interface TransactionLayerOptions {
  readonly clock: Clock;
  /** Called for new requests, not for repeats. ACKs of 2xx are passed here too. */
  readonly onRequest: (request: SipRequest, flow: Flow) => void;
  /** The flow for responses if the request's Via names another port than its source. */
  readonly flowTo: (flow: Flow, address: Address) => Flow;
  /** Server transactions at once. Default 50,000. */
  readonly serversMax?: number;
}

const SERVERS_MAX = 50_000;
/**
 * Share of `serversMax` per host. Anyone can send datagrams from a carrier's address; this protects
 * the calls of other carriers.
 */
const SHARE_OF_SOURCE = 0.5;

export class TransactionLayer {
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, ServerTransaction>();
  /** Number of server transactions by host. */
  readonly #bySource = new Map<string, number>();

  constructor(private readonly options: TransactionLayerOptions) {}

  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  /** Number of our requests that still wait for a final response. */
  get unanswered(): number {
    let count = 0;
    for (const transaction of this.#clients.values()) if (transaction.waiting) count++;
    return count;
  }

  receiveRequest(request: SipRequest, flow: Flow): void {
    const key = serverKey(request);
    const known = this.#servers.get(key);
    if (request.method === "ACK") {
      if (!known || known.acknowledge()) this.options.onRequest(request, flow);
      return;
    }
    if (known) {
      known.absorb();
      return;
    }
    if (!this.#hasRoomFor(flow.remote.host)) return;
    this.#servers.set(key, this.#newServer(key, request, flow));
    this.options.onRequest(request, flow);
  }

  receiveResponse(response: SipResponse, flow: Flow): void {
    this.#clients.get(clientKey(response))?.receive(response, flow);
  }

  /**
   * Sends a request and tracks its transaction. An ACK is only sent, or stored for repeats.
   * `deadlineMs`: maximum time to the first response; later ones are still passed up. Returns a
   * function that ends that wait.
   */
  sendRequest(
    request: SipRequest,
    text: string,
    flow: Flow,
    user: ClientTransactionUser,
    deadlineMs: number | null = null,
  ): () => void {
    const key = clientKey(request);
    if (request.method === "ACK") {
      const invite = this.#clients.get(key);
      if (invite) invite.acknowledge(text);
      else flow.send(text);
      return () => {};
    }
    const transaction = new ClientTransaction(
      request.method,
      text,
      flow,
      user,
      this.options.clock,
      () => this.#clients.delete(key),
      deadlineMs,
    );
    this.#clients.set(key, transaction);
    transaction.start();
    return () => transaction.abandon();
  }

  /**
   * Sends a response. Returns false if its transaction no longer exists: the response is dropped.
   */
  sendResponse(response: SipResponse, text: string): boolean {
    const transaction = this.#servers.get(serverKey(response));
    transaction?.respond(response.statusCode, text);
    return transaction !== undefined;
  }

  /** Sends a response created here, without SIP.js. */
  respond(request: SipRequest, parts: ResponseParts): void {
    const transaction = this.#servers.get(serverKey(request));
    transaction?.respond(parts.statusCode, buildResponse(request, parts));
  }

  close(): void {
    for (const transaction of [...this.#clients.values(), ...this.#servers.values()]) {
      transaction.terminate();
    }
  }

  #newServer(key: string, request: SipRequest, flow: Flow): ServerTransaction {
    const answerFlow = flow.reliable
      ? flow
      : this.options.flowTo(flow, responseDestination(request.via));
    const { host } = flow.remote;
    this.#count(host, 1);
    return new ServerTransaction(request.method, answerFlow, this.options.clock, () => {
      this.#servers.delete(key);
      this.#count(host, -1);
    });
  }

  #hasRoomFor(host: string): boolean {
    const { serversMax = SERVERS_MAX } = this.options;
    const ofSource = this.#bySource.get(host) ?? 0;
    return this.#servers.size < serversMax && ofSource < serversMax * SHARE_OF_SOURCE;
  }

  #count(host: string, change: 1 | -1): void {
    const count = (this.#bySource.get(host) ?? 0) + change;
    if (count > 0) this.#bySource.set(host, count);
    else this.#bySource.delete(host);
  }
}

type Keyed = SipRequest | SipResponse;

/**
 * The ACK of a rejection belongs to its INVITE. The ACK of a 2xx has its own branch and matches
 * nothing, except from RFC 2543 peers, which repeat the branch of the INVITE.
 */
const keyMethod = (message: Keyed): string =>
  message.cseq.method === "ACK" ? "INVITE" : message.cseq.method;

const clientKey = (message: Keyed): string => `${branchOf(message.via)}|${keyMethod(message)}`;

function serverKey(message: Keyed): string {
  const { via } = message;
  return `${transactionIdentity(message)}|${via.host}:${via.port ?? ""}|${keyMethod(message)}`;
}
