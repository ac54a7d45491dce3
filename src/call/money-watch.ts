/**
 * Watches the money of one answered call, heartbeat by heartbeat: grows its hold before the held seconds
 * end, tells the tenant once when 60 s are left, and says when nothing is left. The event is stored in
 * the transaction that found it out. Leaves ending the call to its owner.
 */
import { LOW_SECONDS } from "../billing/ports.ts";
import { callBalanceLow } from "../webhook/catalogue.ts";
import type { CallContext } from "./context.ts";
import type { CallIdentity } from "./live-call.ts";

/** Ask for more money when less than this is covered, or less than half of what was last granted. */
const COVER_AHEAD_SEC = 30;

export class MoneyWatch {
  #coveredSeconds = 0;
  #askAheadSec = COVER_AHEAD_SEC;
  #reachSeconds = 0;
  #asking = false;
  #lowTold = false;
  #exhausted = false;

  constructor(
    private readonly context: Pick<CallContext, "billing" | "events">,
    private readonly identity: CallIdentity,
  ) {}

  /** True once, when what is covered has been talked. Rejects when the store does; ask again then. */
  async isExhausted(elapsedSec: number): Promise<boolean> {
    if (this.#exhausted || this.#asking) return false;
    if (this.#mustAsk(elapsedSec)) await this.#ask(Math.ceil(elapsedSec));
    if (elapsedSec < this.#coveredSeconds) return false;
    this.#exhausted = true;
    return true;
  }

  #mustAsk(elapsedSec: number): boolean {
    if (elapsedSec + this.#askAheadSec >= this.#coveredSeconds) return true;
    return !this.#lowTold && elapsedSec + LOW_SECONDS >= this.#reachSeconds;
  }

  async #ask(elapsedSeconds: number): Promise<void> {
    const { billing, events } = this.context;
    const { tenantId, callUuid } = this.identity;
    let isLow = false;
    this.#asking = true;
    try {
      const reach = await billing.extendHold(
        tenantId,
        callUuid,
        elapsedSeconds,
        async (queries, secondsLeft) => {
          if (this.#lowTold) return;
          await events.emit(queries, tenantId, callBalanceLow(this.identity, secondsLeft));
          isLow = true;
        },
      );
      this.#coveredSeconds = reach.coveredSeconds;
      const grantedSec = Math.max(0, reach.coveredSeconds - elapsedSeconds);
      this.#askAheadSec = Math.min(COVER_AHEAD_SEC, grantedSec / 2);
      this.#reachSeconds = reach.reachSeconds;
    } finally {
      this.#asking = false;
    }
    if (!isLow) return;
    this.#lowTold = true;
    events.wake();
  }
}
