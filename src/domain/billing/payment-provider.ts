/** A payment provider: where the tenant is sent to pay. `Checkouts` receives what was paid. */
import type { MicroEur } from "../../core/money.ts";
import type { Checkout } from "./stores.ts";

export interface PaymentProvider {
  readonly name: Checkout["provider"];
  /** How long a checkout can be paid, milliseconds. */
  readonly validForMs: number;
  /** The least amount above 0 that it takes. */
  readonly amountMin: MicroEur;
  /** Returns where to pay, and the provider's own id if it has one. */
  open(
    checkout: Pick<Checkout, "id" | "tenantId" | "kind" | "amount" | "item" | "expiresAt">,
  ): Promise<{ checkoutUrl: string; providerSession: string | null }>;
}
