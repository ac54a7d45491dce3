/**
 * A reliable 180 (RFC 3262 3), for callers that require 100rel: repeated until its PRACK arrives,
 * for at most 64·T1. It has no SDP, so that it can be sent before media is ready.
 */
import type { Invitation } from "sip.js";
import type { Clock, Timer } from "../../../core/clock.ts";
import { type Random, randomInt } from "../../../core/random.ts";
import { T1_MS } from "../transaction/timers.ts";

interface PrackRequest {
  readonly message: { getHeader(name: string): string | undefined };
  accept(): unknown;
  reject(options: { statusCode: number }): unknown;
}
interface ProgressOptions {
  readonly statusCode: number;
  readonly extraHeaders: string[];
}
interface InvitationInternals {
  readonly incomingInviteRequest: {
    progress(options: ProgressOptions): {
      readonly session: { delegate?: { onPrack?: (request: PrackRequest) => void } };
    };
  };
}

interface ReliableRingingDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** No PRACK within 64·T1: the INVITE must be rejected with a 5xx (RFC 3262 3). */
  readonly onUnconfirmed: () => void;
}

export class ReliableRinging {
  readonly #invite: InvitationInternals["incomingInviteRequest"];
  readonly #rseq: number;
  readonly #cseq: number;
  #repeat: Timer | undefined;
  #limit: Timer | undefined;

  constructor(
    invitation: Invitation,
    private readonly deps: ReliableRingingDeps,
  ) {
    this.#invite = (invitation as unknown as InvitationInternals).incomingInviteRequest;
    this.#cseq = invitation.request.cseq;
    this.#rseq = 1 + randomInt(deps.random, 2 ** 30);
  }

  start(): void {
    this.#limit = this.deps.clock.after(64 * T1_MS, () => {
      this.stop();
      this.deps.onUnconfirmed();
    });
    this.#send(T1_MS);
  }

  /** It was confirmed, or a final response is being sent. */
  stop(): void {
    this.#repeat?.cancel();
    this.#limit?.cancel();
  }

  #send(nextMs: number): void {
    const extraHeaders = ["Require: 100rel", `RSeq: ${this.#rseq}`];
    const { session } = this.#invite.progress({ statusCode: 180, extraHeaders });
    session.delegate = { onPrack: (request) => this.#confirm(request) };
    this.#repeat = this.deps.clock.after(nextMs, () => this.#send(nextMs * 2));
  }

  #confirm(request: PrackRequest): void {
    const rack = /^\s*(\d+)\s+(\d+)\s+INVITE\s*$/.exec(request.message.getHeader("rack") ?? "");
    if (Number(rack?.[1]) !== this.#rseq || Number(rack?.[2]) !== this.#cseq) {
      request.reject({ statusCode: 481 });
      return;
    }
    this.stop();
    request.accept();
  }
}
