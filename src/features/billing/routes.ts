/** Plans, wallet and checkouts (specification 4, decisions 8). */

import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { unreachable } from "../../core/errors.ts";
import { eurToMicro, microToEur } from "../../core/money.ts";
import { contract, route } from "../../http/contract.ts";
import { eurOut, field, integer, okReply, shown, timeOut } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import type { CheckoutInput, OpenCheckout } from "./checkout.ts";

const Plan = z
  .strictObject({
    slug: shown(z.string(), "Slug of the plan, used in requests.", "start"),
    name: shown(z.string(), "Display name of the plan.", "Start"),
    included_minutes: shown(z.int(), "Included minutes per month.", 100),
    price_eur_per_month: eurOut("Price per month."),
    price_now_eur: eurOut(
      "Price for the rest of this month, minus the payment for these days of the current plan; null for the tenant's own plan.",
    ).nullable(),
    overage_eur_per_min: eurOut("Price per minute beyond the included minutes."),
    max_concurrent_calls: shown(z.int(), "Maximum number of concurrent calls.", 5),
    current: shown(z.boolean(), "Whether this is the tenant's plan.", true),
  })
  .meta({ id: "Plan" });

const Checkout = z
  .strictObject({
    id: shown(z.string(), "Id of the checkout, `chk_…`.", `chk_${"0".repeat(32)}`),
    kind: shown(
      z.enum(["topup", "plan", "crm_bridge", "retention"]),
      "Item of the checkout.",
      "topup",
    ),
    amount_eur: eurOut("Amount to pay."),
    currency: shown(z.literal("EUR"), "Currency, always `EUR`.", "EUR"),
    status: shown(
      z.enum(["open", "paid", "expired", "cancelled"]),
      "Status of the checkout.",
      "open",
    ),
    expires_at: timeOut("Time when the checkout expires."),
  })
  .meta({ id: "Checkout" });

const checkoutReply = okReply({
  checkout_url: shown(z.string(), "URL of the payment page.", "https://example.com/checkout/chk_0"),
  checkout: Checkout,
});

export const listPlans = contract({
  operationId: "listPlans",
  at: "GET /plans",
  tag: "Billing",
  summary: "List plans",
  reply: okReply({ plans: z.array(Plan) }),
});

export const getBalance = contract({
  operationId: "getBalance",
  at: "GET /billing/balance",
  tag: "Billing",
  summary: "Show the wallet balance",
  reply: okReply({
    balance_eur: eurOut("Wallet balance."),
    currency: shown(z.literal("EUR"), "Currency, always `EUR`.", "EUR"),
    plan: shown(z.string(), "Slug of the current plan.", "start"),
    included_seconds_left: shown(z.int(), "Plan seconds left in the current month.", 6000),
  }),
});

export const topUp = contract({
  operationId: "topUp",
  audited: true,
  notWhenActing: true,
  at: "POST /topup",
  role: "owner",
  tag: "Billing",
  summary: "Create a checkout to top up the wallet",
  body: z
    .strictObject({
      amount_eur: field(z.number().min(10).max(1000).multipleOf(0.01), {
        description: "Amount in EUR, whole cents.",
        example: 50,
        must: "be an amount of EUR from 10 to 1000, in whole cents",
        reason: "amount",
        params: { from: 10, to: 1000 },
      }),
    })
    .meta({ id: "TopUp" }),
  reply: checkoutReply,
  errors: ["valid_amount_eur_required", "unknown_field"],
});

const item = <const Name extends string>(name: Name) =>
  field(z.literal(name), {
    description: "Item to buy.",
    example: name,
    must: "be plan, crm_bridge or retention",
  });

export const openCheckout = contract({
  operationId: "openCheckout",
  audited: true,
  notWhenActing: true,
  at: "POST /checkout",
  role: "owner",
  tag: "Billing",
  summary: "Create a checkout for a plan, the CRM bridge or longer retention",
  body: z
    .discriminatedUnion("item", [
      z.strictObject({
        item: item("plan"),
        plan: field(z.string().min(1).max(64), {
          description: "Slug of the current plan.",
          example: "start",
          must: "be the slug of a plan of GET /plans",
        }),
      }),
      z.strictObject({ item: item("crm_bridge") }),
      z.strictObject({
        item: item("retention"),
        blocks: integer(
          1,
          5,
          "Number of blocks of 30 days, 5 EUR each, at most 6 months in all.",
          1,
        ),
      }),
    ])
    .meta({ id: "NewCheckout" }),
  reply: checkoutReply,
  errors: [
    "valid_item_required",
    "valid_plan_required",
    "valid_blocks_required",
    "conflict",
    "unknown_field",
  ],
});

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

function inputOf(body: z.output<NonNullable<typeof openCheckout.body>>): CheckoutInput {
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
  route(listPlans)(async ({ tenantId }) => {
    const current = (await billing.balance(tenantId)).plan.slug;
    const prices = await checkouts.planPrices(tenantId);
    const priceNow = (slug: string) => {
      const price = prices.get(slug) ?? null;
      return price === null ? null : microToEur(price);
    };
    return {
      ok: true,
      plans: billing.plans.map((plan) => ({
        slug: plan.slug,
        name: plan.name,
        included_minutes: plan.includedMinutes,
        price_eur_per_month: microToEur(plan.pricePerMonth),
        price_now_eur: priceNow(plan.slug),
        overage_eur_per_min: microToEur(plan.overagePerMinute),
        max_concurrent_calls: plan.maxConcurrentCalls,
        current: plan.slug === current,
      })),
    };
  }),
  route(topUp)(async ({ tenantId, body }) => {
    const amount = eurToMicro(body.amount_eur);
    return presentCheckout(await checkouts.open(tenantId, { kind: "topup", amount }));
  }),
  route(openCheckout)(async ({ tenantId, body }) =>
    presentCheckout(await checkouts.open(tenantId, inputOf(body))),
  ),
  route(getBalance)(async ({ tenantId }) => {
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
