/**
 * Holds: the funds a live call has been promised, from its first second to 60 s ahead of now. One row
 * a call, grown in blocks, released when the call is settled.
 */
import { AppError } from "../core/errors.ts";
import type { MicroEur } from "../core/money.ts";
import type { Queries } from "../store/database.ts";
import { fundsFor } from "./funds.ts";
import type { Plan } from "./ports.ts";
import { type Cover, coverSeconds } from "./rating.ts";
import type { BillingStores } from "./stores.ts";

export const insufficientBalance = (): AppError =>
  new AppError({
    code: "insufficient_balance",
    publicMessage:
      "The plan's minutes are used up and the wallet cannot pay the 15-second minimum. Top up the wallet or choose a larger plan.",
  });

export interface HoldRequest {
  readonly plan: Plan;
  readonly month: string;
  readonly callUuid: string;
  readonly ratePerMinute: MicroEur;
  /** Seconds from the answer that should be covered in all. */
  readonly wantedSeconds: number;
}

/** What the funds at hand would cover, this call's own hold included. Changes nothing. */
export async function coverFor(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
  request: HoldRequest,
): Promise<Cover> {
  const funds = await fundsFor(
    stores,
    queries,
    tenantId,
    request.plan,
    request.month,
    request.callUuid,
  );
  return coverSeconds(request.wantedSeconds, funds, request.ratePerMinute);
}

/** Makes the call's hold exactly this cover. */
export async function writeHold(
  stores: BillingStores,
  queries: Queries,
  tenantId: number,
  request: HoldRequest,
  cover: Cover,
  nowMs: number,
): Promise<void> {
  await stores.holds(queries).put(
    tenantId,
    {
      callUuid: request.callUuid,
      month: request.month,
      planSeconds: cover.planSeconds,
      amount: cover.amount,
    },
    nowMs,
  );
}
