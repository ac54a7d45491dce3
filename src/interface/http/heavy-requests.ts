/**
 * Bounds the heavy requests of one tenant that are under way, and those with a large body: all of them take turns
 * with the calls and requests of everybody, and hold their bodies and what is made of them meanwhile.
 */
import { AppError } from "../../core/errors.ts";
import type { Contract } from "./contract.ts";

const HEAVY_WEIGHT = 10;
const AT_ONCE_MAX = 6;

export const isHeavy = ({ weight = 1 }: Pick<Contract, "weight">) => weight >= HEAVY_WEIGHT;

/** Of one request. */
interface HeavySeat {
  /** Throws rate_limited. Idempotent. */
  take(): void;
  leave(): void;
}

export class HeavyRequests {
  readonly #taken = new Map<number, number>();

  seatOf(tenantId: number): HeavySeat {
    let isTaken = false;
    return {
      take: () => {
        const others = this.#taken.get(tenantId) ?? 0;
        if (isTaken) return;
        if (others >= AT_ONCE_MAX) throw tooManyAtOnce();
        isTaken = true;
        this.#taken.set(tenantId, others + 1);
      },
      leave: () => {
        const left = (this.#taken.get(tenantId) ?? 0) - 1;
        if (!isTaken) return;
        isTaken = false;
        if (left > 0) this.#taken.set(tenantId, left);
        else this.#taken.delete(tenantId);
      },
    };
  }
}

const tooManyAtOnce = () =>
  new AppError({
    code: "rate_limited",
    publicMessage: `At most ${AT_ONCE_MAX} imports, exports and requests with a large body of a company at once. Send this one again when another has ended.`,
    retryable: true,
    retryAfterSeconds: 5,
  });
