/**
 * One UDP socket with the appliance's transaction layer (sip/transaction), so that a
 * phone's requests and responses survive loss. It adds the tasks of the layer's user: the ACK of a
 * rejection, and the repeats of a 2xx to an INVITE until its ACK arrives (RFC 3261 13.3.1.4).
 * phone-call.ts handles dialogs.
 *
 * The caller sends the ACK of a 2xx: every copy of the 2xx is passed up, and each needs an ACK.
 */

import type { Clock, Timer } from "../../../../src/core/clock.ts";
import { hex } from "../../../../src/core/ids.ts";
import { silentLog } from "../../../../src/core/log.ts";
import type { Random } from "../../../../src/core/random.ts";
import {
  branchOf,
  buildRequest,
  type HeaderInit,
  Headers,
  parseMessage,
  type RequestParts,
  type SipRequest,
  type SipResponse,
  stamped,
} from "../../../../src/sip/message/index.ts";
import { TransactionLayer } from "../../../../src/sip/transaction/layer.ts";
import { T1_MS, T2_MS, TRANSACTION_TIMEOUT_MS } from "../../../../src/sip/transaction/timers.ts";
import type { Address, Flow } from "../../../../src/sip/transport/flow.ts";
import { openUdpTransport, type UdpTransport } from "../../../../src/sip/transport/udp.ts";

/** A received request, and the means to respond. */
export interface ServerTransaction {
  readonly request: SipRequest;
  readonly source: Address;
  /**
   * Sends a provisional or final response. Later copies of the request get the latest response
   * again.
   */
  respond(answer: string, statusCode: number): void;
  /** The ACK of our 2xx has arrived, so stop repeating it. */
  confirm(): void;
}

/** Null: no final response within 32 s (timers B and F). */
export type ResponseListener = (response: SipResponse | null) => void;

export interface SentRequest {
  /** The branch that a CANCEL of this request must repeat (RFC 3261 9.1). */
  readonly branch: string;
}

interface EndpointOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly random: Random;
}

export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const endpoint: Endpoint = new Endpoint(
    options,
    await openUdpTransport(
      options,
      (bytes, flow) => endpoint.receive(new TextDecoder().decode(bytes), flow),
      { clock: options.clock, log: silentLog },
    ),
  );
  return endpoint;
}

export class Endpoint {
  readonly #transactions: TransactionLayer;
  readonly #repeats = new Set<Timer>();
  #handler: (transaction: ServerTransaction) => void = () => {};

  constructor(
    private readonly options: EndpointOptions,
    private readonly transport: UdpTransport,
  ) {
    this.#transactions = new TransactionLayer({
      clock: options.clock,
      onRequest: (request, flow) => this.#handler(this.#serve(request, flow)),
      flowTo: (flow) => flow,
    });
  }

  get address(): Address {
    return this.transport.local;
  }

  /** Adds Via; `branch` only for CANCEL. */
  request(
    parts: RequestParts & { readonly branch?: string },
    destination: Address,
    listener: ResponseListener,
  ): SentRequest {
    const branch = parts.branch ?? this.#newBranch();
    const flow = this.transport.flowTo(destination);
    this.#send(this.#withVia(parts, branch), flow, (response) => {
      const isRejected = response?.cseq.method === "INVITE" && response.statusCode >= 300;
      if (isRejected) this.#send(this.#ackOfRejection(parts, response), flow, listener);
      listener(response);
    });
    return { branch };
  }

  /** Sends once, outside any transaction: for the ACK of a 2xx. */
  sendAck(parts: RequestParts, destination: Address): void {
    this.transport.flowTo(destination).send(this.#withVia(parts, this.#newBranch()));
  }

  /** One handler for every new request. */
  onRequest(handler: (transaction: ServerTransaction) => void): void {
    this.#handler = handler;
  }

  receive(text: string, flow: Flow): void {
    if (text.trim() === "") return;
    const message = parseMessage(text);
    if (message.kind === "request")
      this.#transactions.receiveRequest(stamped(message, flow.remote), flow);
    if (message.kind === "response") this.#transactions.receiveResponse(message, flow);
  }

  close(): void {
    for (const timer of this.#repeats) timer.cancel();
    this.#repeats.clear();
    this.#transactions.close();
    void this.transport.close();
  }

  #send(text: string, flow: Flow, listener: ResponseListener): void {
    const request = parseMessage(text);
    if (request.kind !== "request") throw new Error("the phone wrote no request");
    this.#transactions.sendRequest(request, text, flow, {
      onResponse: listener,
      onTimeout: () => listener(null),
    });
  }

  #serve(request: SipRequest, flow: Flow): ServerTransaction {
    let repeat: Timer | null = null;
    return {
      request,
      source: flow.remote,
      respond: (answer, statusCode) => {
        this.#respond(answer);
        const isAccepted = request.method === "INVITE" && statusCode >= 200 && statusCode < 300;
        if (isAccepted) repeat = this.#repeat(answer);
      },
      confirm: () => repeat?.cancel(),
    };
  }

  #respond(answer: string): void {
    const response = parseMessage(answer);
    if (response.kind === "response") this.#transactions.sendResponse(response, answer);
  }

  /** Sends a 2xx again and again, until the timer is cancelled or 32 s have passed. */
  #repeat(answer: string): Timer {
    const { clock } = this.options;
    const endsAt = clock.monotonic() + TRANSACTION_TIMEOUT_MS;
    let intervalMs = T1_MS;
    let next: Timer;
    const schedule = () => {
      next = clock.after(intervalMs, () => {
        if (clock.monotonic() >= endsAt) return timer.cancel();
        this.#respond(answer);
        intervalMs = Math.min(intervalMs * 2, T2_MS);
        schedule();
      });
    };
    const timer: Timer = {
      cancel: () => {
        next.cancel();
        this.#repeats.delete(timer);
      },
    };
    this.#repeats.add(timer);
    schedule();
    return timer;
  }

  /** RFC 3261 17.1.1.3: same branch, Request-URI and Route; To of the response. */
  #ackOfRejection(sent: RequestParts, response: SipResponse): string {
    const kept = entriesOf(sent.headers).filter(([name]) =>
      /^(from|call-id|route|max-forwards)$/i.test(name),
    );
    const headers: HeaderInit = [
      ...kept,
      ["to", response.headers.get("to") ?? ""],
      ["cseq", `${response.cseq.number} ACK`],
    ];
    return this.#withVia({ method: "ACK", uri: sent.uri, headers }, branchOf(response.via));
  }

  #newBranch(): string {
    return `z9hG4bK${hex(this.options.random.bytes(8))}`;
  }

  #withVia(parts: RequestParts, branch: string): string {
    const { host, port } = this.address;
    const via = `SIP/2.0/UDP ${host}:${port};branch=${branch};rport`;
    return buildRequest({ ...parts, headers: [["via", via], ...entriesOf(parts.headers)] });
  }
}

const entriesOf = (headers: HeaderInit | Headers): HeaderInit =>
  headers instanceof Headers ? [...headers] : headers;
