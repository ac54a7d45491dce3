/**
 * A server transaction (RFC 3261 17.2, with RFC 6026's Accepted state). It absorbs repeats of the
 * request and answers them with the last response. It repeats the rejection of an INVITE until its
 * ACK arrives.
 *
 *   trying ──1xx──► proceeding ──≥300──► completed ──ACK──► confirmed ──I──► terminated
 *                        └──2xx──► accepted ──L──► terminated   non-INVITE: completed ──J──►
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { Flow } from "../transport/flow.ts";
import { PROCEEDING_MAX_MS, T1_MS, T2_MS, T4_MS, TRANSACTION_TIMEOUT_MS } from "./timers.ts";

type State = "proceeding" | "accepted" | "completed" | "confirmed" | "terminated";

export class ServerTransaction {
  #state: State = "proceeding";
  #lastResponse: string | undefined;
  #retransmission: Timer | undefined;
  #lifetime: Timer | undefined;
  #intervalMs = T1_MS;

  constructor(
    private readonly method: string,
    private readonly flow: Flow,
    private readonly clock: Clock,
    private readonly onTerminated: () => void,
  ) {
    this.#live(PROCEEDING_MAX_MS);
  }

  /** Handles a repeat of the request. */
  absorb(): void {
    if (this.#lastResponse === undefined || this.#state === "confirmed") return;
    this.flow.send(this.#lastResponse);
  }

  /**
   * True if the ACK must be passed to the user. This is each ACK of a 2xx with the branch of its
   * INVITE (RFC 6026 7.1), and the first one of a rejection.
   */
  acknowledge(): boolean {
    if (this.#state === "accepted") return true;
    if (this.#state !== "completed") return false;
    this.#state = "confirmed";
    this.#retransmission?.cancel();
    this.#live(this.flow.reliable ? 0 : T4_MS);
    return true;
  }

  respond(statusCode: number, text: string): void {
    if (this.#state === "accepted" && statusCode < 300) {
      this.flow.send(text);
      return;
    }
    if (this.#state !== "proceeding") return;
    this.#lastResponse = text;
    this.flow.send(text);
    if (statusCode >= 200) this.#finish(statusCode);
  }

  terminate(): void {
    if (this.#state === "terminated") return;
    this.#state = "terminated";
    this.#retransmission?.cancel();
    this.#lifetime?.cancel();
    this.onTerminated();
  }

  #finish(statusCode: number): void {
    const accepted = this.method === "INVITE" && statusCode < 300;
    this.#state = accepted ? "accepted" : "completed";
    // Timers L, H and J are all 64·T1; J is 0 on a reliable transport.
    const lingers = this.method === "INVITE" || !this.flow.reliable;
    this.#live(lingers ? TRANSACTION_TIMEOUT_MS : 0);
    if (this.method === "INVITE" && !accepted && !this.flow.reliable) this.#scheduleTimerG();
  }

  #scheduleTimerG(): void {
    this.#retransmission = this.clock.after(this.#intervalMs, () => {
      if (this.#state !== "completed" || this.#lastResponse === undefined) return;
      this.flow.send(this.#lastResponse);
      this.#intervalMs = Math.min(this.#intervalMs * 2, T2_MS);
      this.#scheduleTimerG();
    });
  }

  #live(delayMs: number): void {
    this.#lifetime?.cancel();
    this.#lifetime = this.clock.after(delayMs, () => this.terminate());
  }
}
