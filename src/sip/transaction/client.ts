/**
 * A client transaction (RFC 3261 17.1, with RFC 6026's Accepted state). It repeats the request
 * until there is a response and passes each response up once. It absorbs repeated final responses
 * and repeats the ACK.
 *
 *   calling ──1xx──► proceeding ──final──► completed ──D/K──► terminated
 *      │└──────────────final / B / F────────►   2xx of an INVITE: accepted (M), every 2xx is passed up
 *      └──deadline, abandon──► abandoned: sends nothing, still passes responses up until B / F
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { SipResponse } from "../message/index.ts";
import type { Flow } from "../transport/flow.ts";
import {
  PROCEEDING_MAX_MS,
  T1_MS,
  T2_MS,
  T4_MS,
  TIMER_D_MS,
  TRANSACTION_TIMEOUT_MS,
} from "./timers.ts";

export interface ClientTransactionUser {
  onResponse(response: SipResponse, flow: Flow): void;
  /**
   * No final response within 64·T1 (timer B or F), or no response at all before the deadline or
   * `abandon`.
   */
  onTimeout(): void;
}

type State = "calling" | "abandoned" | "proceeding" | "accepted" | "completed" | "terminated";

export class ClientTransaction {
  #state: State = "calling";
  #retransmission: Timer | undefined;
  #lifetime: Timer | undefined;
  #ack: string | undefined;
  #intervalMs = T1_MS;

  constructor(
    private readonly method: string,
    private readonly text: string,
    private readonly flow: Flow,
    private readonly user: ClientTransactionUser,
    private readonly clock: Clock,
    private readonly onTerminated: () => void,
    /**
     * Null for 64·T1. Shorter if the request can be sent to another server (see routing/sender.ts).
     */
    private readonly deadlineMs: number | null = null,
  ) {}

  get waiting(): boolean {
    return this.#state === "calling" || this.#state === "proceeding";
  }

  start(): void {
    this.flow.send(this.text);
    if (!this.flow.reliable) this.#scheduleRetransmission();
    if (this.deadlineMs === null) this.#live(TRANSACTION_TIMEOUT_MS, () => this.#timeOut());
    else this.#live(this.deadlineMs, () => this.#abandon());
  }

  /**
   * The ACK of a non-2xx final response, written by the user: kept for repeated final responses.
   */
  acknowledge(text: string): void {
    this.#ack = text;
    this.flow.send(text);
  }

  receive(response: SipResponse, flow: Flow): void {
    if (this.#state === "terminated") return;
    const repeated = this.#state === "completed" || this.#state === "accepted";
    if (response.statusCode < 200) this.#receiveProvisional(response, flow);
    else if (repeated) this.#receiveRepeatedFinal(response, flow);
    else this.#receiveFirstFinal(response, flow);
  }

  #receiveFirstFinal(response: SipResponse, flow: Flow): void {
    this.#retransmission?.cancel();
    const accepted = this.method === "INVITE" && response.statusCode < 300;
    this.#state = accepted ? "accepted" : "completed";
    this.#live(this.#lingerMs(accepted), () => this.terminate());
    this.user.onResponse(response, flow);
  }

  /** The server rejects datagrams. A transaction with a response does not change. */
  abandon(): void {
    if (this.#state === "calling") this.#abandon();
  }

  terminate(): void {
    if (this.#state === "terminated") return;
    this.#state = "terminated";
    this.#retransmission?.cancel();
    this.#lifetime?.cancel();
    this.onTerminated();
  }

  #receiveProvisional(response: SipResponse, flow: Flow): void {
    if (this.#state === "accepted" || this.#state === "completed") return;
    if (this.#state !== "proceeding") {
      this.#state = "proceeding";
      if (this.method === "INVITE") {
        this.#retransmission?.cancel();
        this.#live(PROCEEDING_MAX_MS, () => this.#timeOut());
      } else {
        this.#intervalMs = T2_MS;
        if (this.deadlineMs !== null) this.#live(TRANSACTION_TIMEOUT_MS, () => this.#timeOut());
      }
    }
    this.user.onResponse(response, flow);
  }

  #receiveRepeatedFinal(response: SipResponse, flow: Flow): void {
    if (this.#state === "accepted") {
      // The user sends an ACK for each 2xx (13.2.2.4): forks, and repeats after a lost ACK.
      if (response.statusCode < 300) this.user.onResponse(response, flow);
      return;
    }
    if (this.method === "INVITE" && this.#ack !== undefined) {
      this.flow.send(this.#ack);
    }
  }

  /** Timers M, D and K: how long repeated final responses are expected. */
  #lingerMs(accepted: boolean): number {
    if (accepted) return TRANSACTION_TIMEOUT_MS;
    if (this.flow.reliable) return 0;
    return this.method === "INVITE" ? TIMER_D_MS : T4_MS;
  }

  /**
   * Timer E doubles up to T2; here timer A does so too. In RFC 3261 17.1.1.2 timer A doubles
   * without limit: seven attempts in 32 s. At 30 % loss, all seven are lost for one call in 5,000.
   * Eleven attempts avoid that.
   */
  #scheduleRetransmission(): void {
    this.#retransmission = this.clock.after(this.#intervalMs, () => {
      this.flow.send(this.text);
      this.#intervalMs = Math.min(this.#intervalMs * 2, T2_MS);
      this.#scheduleRetransmission();
    });
  }

  #live(delayMs: number, onEnd: () => void): void {
    this.#lifetime?.cancel();
    this.#lifetime = this.clock.after(delayMs, onEnd);
  }

  #abandon(): void {
    this.#state = "abandoned";
    this.#retransmission?.cancel();
    this.#live(TRANSACTION_TIMEOUT_MS, () => this.terminate());
    this.user.onTimeout();
  }

  #timeOut(): void {
    this.terminate();
    this.user.onTimeout();
  }
}
