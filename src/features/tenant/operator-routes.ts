/** The operator's companies and their payments by bank transfer. */

import { z } from "zod";
import { notFound } from "../../core/errors.ts";
import { microEur, microToEur } from "../../core/money.ts";
import { contract, type Route, route } from "../../http/contract.ts";
import { askServices, OPERATOR_PAGES } from "../../http/contracts/ask.ts";
import { type OutputOf, operations } from "../../http/contracts/operations.ts";
import { eurOut, field, flag, okReply, page, shown } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { emailIn } from "../../http/dashboard-fields.ts";
import { sessionOf } from "../../http/dashboard-signed-in.ts";
import {
  type Checkout,
  checkoutFields,
  presentCheckout,
  waitingFields,
} from "../billing/contract.ts";
import { invitedBy, invitedReply } from "../identity/team-routes.ts";
import { OperatorTrunk, presentTrunk } from "../trunk/contract.ts";
import { presentTenant, Tenant } from "./contract.ts";

const trunkHealth = OperatorTrunk.pick({ server: true, status: true, explanation: true });

export const OperatorTenant = z
  .strictObject({ ...Tenant.shape, live_calls: shown(z.int(), "Number of live calls.", 0) })
  .meta({ id: "OperatorTenant" });

const TenantHealth = z
  .strictObject({
    ...OperatorTenant.shape,
    calls: shown(z.int(), "Number of calls in the last 24 hours.", 140),
    failed: shown(z.int(), "Number of failed calls in the last 24 hours.", 2),
    p95_ms: shown(
      z.int().nullable(),
      "95th percentile of their answer latencies in ms. `null` if not measured.",
      900,
    ),
    cost_of_goods_eur: eurOut(
      "Known cost of the tenant's calls and trials for the operator in the last 30 days.",
    ),
    trunk: trunkHealth.nullable().meta({ description: "Trunk. `null` if there is none." }),
  })
  .meta({ id: "TenantHealth" });

export const listTenants = contract({
  operationId: "operatorListTenants",
  at: "GET /operator/tenants",
  tag: "Operator",
  role: operations["tenant.list"].role,
  summary: "List tenants with their calls of the last 24 hours",
  query: z.strictObject({
    search: field(z.string().max(120), {
      description: "Search text in name or email address.",
      example: "dental",
      must: "be text of at most 120 characters",
      reason: "length",
      params: { from: 0, to: 120 },
    }).default(""),
    limit: page.limit(50),
    offset: page.offset(),
  }),
  reply: okReply({
    tenants: z.array(TenantHealth),
    total: shown(z.int(), "Total number of matches.", 1),
  }),
});

export const createTenant = contract({
  operationId: "operatorCreateTenant",
  at: "POST /operator/tenants",
  tag: "Operator",
  role: operations["tenant.create"].role,
  summary: "Make a tenant",
  body: operations["tenant.create"].input.meta({ id: "OperatorNewTenant" }),
  reply: okReply({ tenant: OperatorTenant }),
});

export const updateTenant = contract({
  operationId: "operatorUpdateTenant",
  at: "PATCH /operator/tenants/{id}",
  noun: "tenant",
  tag: "Operator",
  role: operations["tenant.plan"].role,
  summary: "Change a tenant's plan, or suspend or resume the tenant",
  description: "Live calls continue.",
  body: z
    .strictObject({
      plan: operations["tenant.plan"].input.shape.plan.optional(),
      suspended: flag(
        "Whether the tenant is suspended: it can't make or receive calls.",
        true,
      ).optional(),
    })
    .meta({ id: "OperatorTenantChanges" }),
  reply: okReply({ tenant: OperatorTenant }),
});

export const inviteOwner = contract({
  operationId: "operatorInviteOwner",
  answersSecret: true,
  at: "POST /operator/tenants/{id}/owner",
  noun: "tenant",
  tag: "Operator",
  role: operations["tenant.create"].role,
  summary: "Invite a tenant's first owner by email",
  description: "Only possible while the tenant has no owner. Owners invite all other people.",
  body: z.strictObject({ email: emailIn() }).meta({ id: "OwnerInvitationRequest" }),
  reply: invitedReply,
  errors: ["conflict", "plan_limit_reached"],
});

export const creditTenant = contract({
  operationId: "operatorCreditTenant",
  at: "POST /operator/tenants/{id}/credit",
  noun: "tenant",
  tag: "Operator",
  role: operations.credit.role,
  summary: "Add or deduct wallet balance",
  body: operations.credit.input.omit({ tenant: true }).meta({ id: "OperatorCredit" }),
  reply: okReply(operations.credit.output.shape),
  errors: ["conflict"],
});

export const OperatorCheckout = z
  .strictObject({
    ...checkoutFields,
    tenant_name: shown(z.string(), "Its name.", "Example UAB"),
  })
  .meta({ id: "OperatorCheckout" });

export const listWaitingCheckouts = contract({
  operationId: "operatorListCheckouts",
  at: "GET /operator/checkouts",
  tag: "Operator",
  role: operations["checkout.list"].role,
  summary: "List expected bank transfers, newest first",
  query: z.strictObject(waitingFields),
  reply: okReply({
    checkouts: z.array(OperatorCheckout),
    total: shown(z.int(), "Total number of matches.", 1),
    bank_account: shown(z.boolean(), "Whether the payment page shows a bank account.", true),
  }),
});

export const confirmCheckout = contract({
  operationId: "operatorConfirmCheckout",
  at: "POST /operator/checkouts/{checkout_id}/confirm",
  noun: "checkout",
  tag: "Operator",
  role: operations["checkout.confirm"].role,
  summary: "Confirm that a bank transfer has arrived",
  description: "The money is credited once, even if the request is repeated.",
  reply: okReply({ checkout: OperatorCheckout }),
  errors: ["conflict"],
});

const NO_CALLS = { calls: 0, failed: 0, p95Ms: null };

function tenantParts({ dependencies, parts, settings: { bankDetails } }: ProductContext) {
  const { services } = dependencies;
  const { live } = parts;
  const ask = askServices(services, OPERATOR_PAGES);
  const withCalls = (tenant: OutputOf<"tenant.create">) => ({
    ...tenant,
    live_calls: live.list(tenant.id).length,
  });
  async function presentCheckouts(checkouts: readonly Checkout[]) {
    const names = new Map((await ask("tenant.list", {})).map(({ id, name }) => [id, name]));
    return checkouts.map((checkout) => ({
      ...checkout,
      tenant_name: names.get(checkout.tenant_id) ?? "",
    }));
  }
  return { ask, withCalls, presentCheckouts, services, bankDetails };
}

const CHANGEABLE = ["plan", "suspended"] as const;
type Changeable = Pick<OutputOf<"tenant.create">, (typeof CHANGEABLE)[number]>;

const changesOf = (before: Changeable, after: Changeable) =>
  CHANGEABLE.filter((field) => after[field] !== before[field]).map((field) => ({
    field,
    from: `${before[field]}`,
    to: `${after[field]}`,
  }));

const checkoutRoutes = ({
  ask,
  services,
  presentCheckouts,
  bankDetails,
}: ReturnType<typeof tenantParts>): Route[] => [
  route(listWaitingCheckouts)(async ({ query }) => {
    const { checkouts, total } = await services.checkouts.waiting(query);
    return {
      ok: true,
      total,
      checkouts: await presentCheckouts(checkouts.map(presentCheckout)),
      bank_account: bankDetails !== null,
    };
  }),
  route(confirmCheckout)(async ({ params, note }) => {
    const confirmed = await ask("checkout.confirm", { id: params.checkout_id });
    const [checkout] = await presentCheckouts([confirmed]);
    if (!checkout) throw notFound("checkout");
    const paid = { field: "amount_eur", from: null, to: `${checkout.amount_eur}` };
    note({ subject: checkout.tenant_name, changes: [paid] });
    return { ok: true, checkout };
  }),
];

const listRoute = ({ withCalls, services }: ReturnType<typeof tenantParts>) =>
  route(listTenants)(async ({ query: { search, ...asked } }) => {
    const { tenants, total } = await services.tenants.page(search, asked);
    const ids = tenants.map(({ id }) => id);
    const [trunks, activity, costs] = await Promise.all([
      services.trunks.list(ids),
      services.tenants.activity(ids),
      services.tenants.costs(ids),
    ]);
    const trunkOf = new Map(trunks.map((state) => [state.trunk.tenantId, presentTrunk(state)]));
    return {
      ok: true,
      total,
      tenants: tenants.map((tenant) => {
        const { calls, failed, p95Ms } = activity.get(tenant.id) ?? NO_CALLS;
        const trunk = trunkOf.get(tenant.id);
        return {
          ...withCalls(presentTenant(tenant)),
          calls,
          failed,
          p95_ms: p95Ms,
          cost_of_goods_eur: microToEur(costs.get(tenant.id) ?? microEur(0)),
          trunk: trunk
            ? { server: trunk.server, status: trunk.status, explanation: trunk.explanation }
            : null,
        };
      }),
    };
  });

export const operatorTenantRoutes = (context: ProductContext): Route[] => {
  const parts = tenantParts(context);
  const { ask, withCalls, services } = parts;
  return [
    listRoute(parts),
    route(createTenant)(async ({ body, note }) => {
      note({ subject: body.name });
      return { ok: true, tenant: withCalls(await ask("tenant.create", body)) };
    }),
    route(updateTenant)(async ({ params: { id }, body: { plan, suspended }, note }) => {
      const before = presentTenant(await services.tenants.get(id));
      let tenant = before;
      if (plan !== undefined) tenant = await ask("tenant.plan", { tenant: id, plan });
      if (suspended !== undefined)
        tenant = await ask(suspended ? "tenant.suspend" : "tenant.resume", { tenant: id });
      note({ subject: tenant.name, changes: changesOf(before, tenant) });
      return { ok: true, tenant: withCalls(tenant) };
    }),
    route(inviteOwner)(async (request) => {
      const { user } = sessionOf(request);
      const { id, name } = await services.tenants.get(request.params.id);
      const { team } = context.dependencies.identity;
      const { email } = request.body;
      request.note({ subject: name, changes: [{ field: "email", from: null, to: email }] });
      return invitedBy(context, user, await team.inviteOwner(id, user, email));
    }),
    route(creditTenant)(async ({ params: { id }, body, note }) => {
      const { name } = await services.tenants.get(id);
      note({ subject: name, changes: [{ field: "amount_eur", from: null, to: `${body.eur}` }] });
      return { ok: true, ...(await ask("credit", { tenant: id, ...body })) };
    }),
    ...checkoutRoutes(parts),
  ];
};
