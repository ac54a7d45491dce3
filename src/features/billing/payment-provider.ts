/** A payment provider, with the page where the tenant pays. `Checkouts` receives the payments. */
import type { MicroEur } from "../../core/money.ts";
import type { Checkout } from "./stores.ts";

export interface PaymentProvider {
  readonly name: Checkout["provider"];
  /** How long a checkout can be paid, ms. */
  readonly validForMs: number;
  /** Minimum amount above 0 that the provider accepts. */
  readonly amountMin: MicroEur;
  /** Returns the payment page, and the provider's session id if it has one. */
  open(
    checkout: Pick<Checkout, "id" | "tenantId" | "kind" | "amount" | "item" | "expiresAt">,
  ): Promise<{ checkoutUrl: string; providerSession: string | null }>;
}
