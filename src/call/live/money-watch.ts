/**
 * Checks the money of one answered call at each heartbeat. It extends the hold before the held seconds end. It
 * emits one event when 60 s are left, and reports when nothing is left.
 *
 * The event is stored in the transaction that extended the hold. The owner ends the call.
 */

import type { Billing } from "../../features/billing/billing.ts";
import { LOW_SECONDS } from "../../features/billing/ports.ts";
import { callBalanceLow } from "../../features/webhook/catalogue.ts";
import type { EventSink } from "../../features/webhook/ports.ts";
import type { CallIdentity } from "../call-identity.ts";

/** Ask for more money when fewer seconds than this are covered, or less than half of the last grant. */
const COVER_AHEAD_SECONDS = 30;

export interface MoneyPorts {
  readonly billing: Pick<Billing, "extendHold">;
  readonly events: EventSink;
}

export class MoneyWatch {
  #coveredSeconds = 0;
  #askAheadSeconds = COVER_AHEAD_SECONDS;
  #affordableSeconds = 0;
  #asking = false;
  #lowReported = false;
  #exhausted = false;

  constructor(
    private readonly context: MoneyPorts,
    private readonly identity: CallIdentity,
  ) {}

  /** Returns true once, when the covered time is used up. Rejects if the store fails; then call it again. */
  async isExhausted(sinceAnswerSeconds: number): Promise<boolean> {
    if (this.#exhausted || this.#asking) return false;
    if (this.#mustAsk(sinceAnswerSeconds)) await this.#ask(Math.ceil(sinceAnswerSeconds));
    if (sinceAnswerSeconds < this.#coveredSeconds) return false;
    this.#exhausted = true;
    return true;
  }

  #mustAsk(sinceAnswerSeconds: number): boolean {
    if (sinceAnswerSeconds + this.#askAheadSeconds >= this.#coveredSeconds) return true;
    return !this.#lowReported && sinceAnswerSeconds + LOW_SECONDS >= this.#affordableSeconds;
  }

  async #ask(elapsedSeconds: number): Promise<void> {
    const { billing, events } = this.context;
    const { tenantId, callUuid } = this.identity;
    let isLow = false;
    this.#asking = true;
    try {
      const coverage = await billing.extendHold(
        tenantId,
        callUuid,
        elapsedSeconds,
        async (queries, secondsLeft) => {
          if (this.#lowReported) return;
          await events.emit(queries, tenantId, callBalanceLow(this.identity, secondsLeft));
          isLow = true;
        },
      );
      this.#coveredSeconds = coverage.coveredSeconds;
      const grantedSeconds = Math.max(0, coverage.coveredSeconds - elapsedSeconds);
      this.#askAheadSeconds = Math.min(COVER_AHEAD_SECONDS, grantedSeconds / 2);
      this.#affordableSeconds = coverage.affordableSeconds;
    } finally {
      this.#asking = false;
    }
    if (!isLow) return;
    this.#lowReported = true;
    events.wake();
  }
}
