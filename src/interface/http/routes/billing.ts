/** Plans, wallet and checkouts over HTTP: rules in billing/. */
import type { z } from "zod";
import { isoUtc } from "../../../core/clock.ts";
import { unreachable } from "../../../core/errors.ts";
import { eurToMicro, microToEur } from "../../../core/money.ts";
import type { CheckoutInput, OpenCheckout } from "../../../domain/billing/checkout.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/billing.ts";
import type { RouteContext } from "./context.ts";

const presentCheckout = (opened: OpenCheckout) => ({
  ok: true as const,
  checkout_url: opened.url,
  checkout: {
    id: opened.id,
    kind: opened.kind,
    amount_eur: microToEur(opened.amount),
    currency: "EUR" as const,
    status: opened.status,
    expires_at: isoUtc(opened.expiresAtMs),
  },
});

function inputOf(body: z.output<NonNullable<typeof contracts.openCheckout.body>>): CheckoutInput {
  switch (body.item) {
    case "plan":
      return { kind: "plan", plan: body.plan };
    case "crm_bridge":
      return { kind: "crm_bridge" };
    case "retention":
      return { kind: "retention", blocks: body.blocks };
    default:
      return unreachable(body);
  }
}

export const billingRoutes = ({ dependencies: { billing, checkouts } }: RouteContext) => [
  route(contracts.listPlans)(async ({ tenantId }) => {
    const current = (await billing.balance(tenantId)).plan.slug;
    return {
      ok: true,
      plans: billing.plans.map((plan) => ({
        slug: plan.slug,
        name: plan.name,
        included_minutes: plan.includedMinutes,
        price_eur_per_month: microToEur(plan.pricePerMonth),
        overage_eur_per_min: microToEur(plan.overagePerMinute),
        max_concurrent_calls: plan.maxConcurrentCalls,
        current: plan.slug === current,
      })),
    };
  }),
  route(contracts.topUp)(async ({ tenantId, body }) => {
    const amount = eurToMicro(body.amount_eur);
    return presentCheckout(await checkouts.open(tenantId, { kind: "topup", amount }));
  }),
  route(contracts.openCheckout)(async ({ tenantId, body }) =>
    presentCheckout(await checkouts.open(tenantId, inputOf(body))),
  ),
  route(contracts.getBalance)(async ({ tenantId }) => {
    const { balance, plan, includedSecondsLeft } = await billing.balance(tenantId);
    return {
      ok: true,
      balance_eur: microToEur(balance),
      currency: "EUR",
      plan: plan.slug,
      included_seconds_left: includedSecondsLeft,
    };
  }),
];
