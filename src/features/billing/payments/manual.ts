/**
 * Manual payments, the embedded default: a page on the appliance shows the amount and the
 * operator's bank details. The operator confirms received payments (dashboard or command line).
 */
import { MICRO_PER_CENT, microEur } from "../../../core/money.ts";
import type { PaymentProvider } from "../payment-provider.ts";

/** A bank transfer takes days; a forgotten one should not stay open forever. */
const VALID_FOR_MS = 14 * 24 * 60 * 60 * 1000;

/** `publicUrl`: the appliance's own address, known once it listens. A trailing slash is removed. */
export function manualPayments(publicUrl: () => string): PaymentProvider {
  return {
    name: "manual",
    validForMs: VALID_FOR_MS,
    amountMin: microEur(MICRO_PER_CENT),
    open: async (checkout) => ({
      checkoutUrl: `${publicUrl().replace(/\/+$/, "")}/checkout/${checkout.id}`,
      providerSession: null,
    }),
  };
}
