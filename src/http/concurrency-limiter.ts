/**
 * Limits concurrent heavy requests and large bodies per tenant, because they share the thread with all calls
 * and use memory. Further requests wait before their bodies are read.
 */
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Contract } from "./contract.ts";

const HEAVY_WEIGHT = 10;
const UNDER_WAY_MAX = 6;
const WAITING_MAX = 20;
/** Shorter than the time limit for a body. */
const WAIT_MS_MAX = 20_000;

export const isHeavy = ({ weight = 1 }: Pick<Contract, "weight">) => weight >= HEAVY_WEIGHT;

/** Concurrency slot of one request. */
interface ConcurrencySlot {
  /** Resolves when the request may proceed. Idempotent. Rejects with rate_limited. */
  take(): Promise<void>;
  leave(): void;
}

interface Tenant {
  underWay: number;
  /** First in, first out. */
  readonly waiting: Set<() => void>;
}

export class ConcurrencyLimiter {
  readonly #tenants = new Map<number, Tenant>();

  constructor(private readonly clock: Clock) {}

  seatOf(tenantId: number): ConcurrencySlot {
    let isTaken = false;
    return {
      take: async () => {
        if (isTaken) return;
        const tenant = this.#tenants.get(tenantId) ?? { underWay: 0, waiting: new Set() };
        this.#tenants.set(tenantId, tenant);
        if (tenant.underWay < UNDER_WAY_MAX) tenant.underWay++;
        else await this.#turn(tenant);
        isTaken = true;
      },
      leave: () => {
        if (isTaken) this.#leave(tenantId);
        isTaken = false;
      },
    };
  }

  /** Resolves with the slot of a finished request. */
  async #turn({ waiting }: Tenant): Promise<void> {
    if (waiting.size >= WAITING_MAX) throw tooManyAtOnce();
    const turn = Promise.withResolvers<void>();
    waiting.add(turn.resolve);
    const timer = this.clock.after(WAIT_MS_MAX, () => {
      waiting.delete(turn.resolve);
      turn.reject(tooManyAtOnce());
    });
    await turn.promise.finally(() => timer.cancel());
  }

  #leave(tenantId: number): void {
    const tenant = this.#tenants.get(tenantId);
    if (!tenant) return;
    const [next] = tenant.waiting;
    if (next) {
      tenant.waiting.delete(next);
      next();
    } else if (--tenant.underWay === 0) this.#tenants.delete(tenantId);
  }
}

const tooManyAtOnce = () =>
  new AppError({
    code: "rate_limited",
    publicMessage: `Your company already has ${UNDER_WAY_MAX} imports, exports and large requests in progress and ${WAITING_MAX} waiting. Try again when some of them have finished.`,
    retryable: true,
    retryAfterSeconds: 5,
  });
