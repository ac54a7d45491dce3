/**
 * A reliable 180 (RFC 3262 3), for callers that require 100rel: repeated until its PRACK arrives,
 * for at most 64·T1. It has no SDP, so that it can be sent before media is ready.
 */
import type { Invitation } from "sip.js";
import type { Clock, Timer } from "../../core/clock.ts";
import { type Random, randomInt } from "../../core/random.ts";
import { T1_MS } from "../transaction/timers.ts";

interface ReliableRingingDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** No PRACK within 64·T1: the INVITE must be rejected with a 5xx (RFC 3262 3). */
  readonly onUnconfirmed: () => void;
}

export class ReliableRinging {
  readonly #rseq: number;
  #repeat: Timer | undefined;
  #limit: Timer | undefined;

  constructor(
    private readonly invitation: Invitation,
    private readonly deps: ReliableRingingDeps,
  ) {
    this.#rseq = 1 + randomInt(deps.random, 2 ** 30);
  }

  start(): void {
    this.#limit = this.deps.clock.after(64 * T1_MS, () => {
      this.stop();
      this.deps.onUnconfirmed();
    });
    this.#send(T1_MS);
  }

  /** Stops after its confirmation, or before a final response. */
  stop(): void {
    this.#repeat?.cancel();
    this.#limit?.cancel();
  }

  /** `rack` of a PRACK (RFC 3262 7.2). Returns false if it is not for this response. */
  confirm(rack: string): boolean {
    const [, rseq, cseq] = /^\s*(\d+)\s+(\d+)\s+INVITE\s*$/.exec(rack) ?? [];
    if (Number(rseq) !== this.#rseq || Number(cseq) !== this.invitation.request.cseq) return false;
    this.stop();
    return true;
  }

  #send(nextMs: number): void {
    const extraHeaders = ["Require: 100rel", `RSeq: ${this.#rseq}`];
    // Fails when a final response is being sent; `stop` follows.
    this.invitation.progress({ statusCode: 180, extraHeaders }).catch(() => {});
    this.#repeat = this.deps.clock.after(nextMs, () => this.#send(nextMs * 2));
  }
}
