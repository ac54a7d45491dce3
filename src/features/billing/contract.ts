/** Bank transfers and monthly statements: `linevoice checkout` and `statement`, and the operator pages. */
import { z } from "zod";
import { microToEur } from "../../core/money.ts";
import { wireOf } from "../../core/wire-names.ts";
import { id, operation } from "../../http/contracts/operation.ts";
import { eurOut, field, page, shown, timeOut } from "../../http/contracts/schema.ts";
import type { StatementCall, StatementLine, StatementRow, StatementSummary } from "./statement.ts";
import type { Checkout as StoredCheckout } from "./stores.ts";

/** A payment by bank transfer. */
export const checkoutFields = {
  id: shown(z.string(), "Id, also the reference of the transfer.", `chk_${"0".repeat(32)}`),
  tenant_id: shown(z.int(), "Id of the tenant.", 1),
  kind: shown(
    z.enum(["topup", "plan", "crm_bridge", "retention"]),
    "Item of the checkout.",
    "topup",
  ),
  item: shown(
    z.string().nullable(),
    "Slug of the plan, or number of blocks. `null` for other items.",
    null,
  ),
  amount_eur: eurOut("Amount to pay."),
  status: shown(
    z.enum(["open", "paid", "expired", "cancelled"]),
    "Status of the checkout.",
    "open",
  ),
  created_at: timeOut("Time of creation."),
  expires_at: timeOut("Time when the checkout expires."),
};
const Checkout = z.strictObject(checkoutFields);
export type Checkout = z.output<typeof Checkout>;

export const waitingFields = {
  search: field(z.string().max(120), {
    description: "Search text in the reference, the company's name or its email address.",
    example: "dental",
    must: "be text of at most 120 characters",
    reason: "length",
    params: { from: 0, to: 120 },
  }).default(""),
  limit: page.limit(50),
  offset: page.offset(),
};

export const presentCheckout = (checkout: StoredCheckout) =>
  wireOf(Checkout, checkout, { amount_eur: microToEur(checkout.amount) });

/** One month of one tenant. The caller renders the page or CSV from the result. */
const ofMonth = { tenant: id, month: z.string().max(7) };
const ofMonthPage = z.strictObject({ ...ofMonth, after: z.int().min(0) });
const row = <Row extends object>() =>
  z.custom<Row>((value) => typeof value === "object" && value !== null);

export const moneyOperations = {
  /** Checkouts that wait for a bank transfer, newest first. */
  "checkout.list": operation({
    input: z.strictObject({ ...waitingFields, limit: page.limit(1000, 1000) }),
    output: z.array(Checkout),
    role: "operator",
    run: async ({ checkouts }, asked) =>
      (await checkouts.waiting(asked)).checkouts.map(presentCheckout),
  }),
  /** Books the received money. Idempotent: a second call returns the same result. */
  "checkout.confirm": operation({
    input: z.strictObject({ id: z.string().max(100) }),
    output: Checkout,
    role: "operator",
    run: async ({ checkouts }, { id: checkout }) =>
      presentCheckout(await checkouts.confirm(checkout)),
  }),
  "statement.summary": operation({
    input: z.strictObject(ofMonth),
    output: row<StatementSummary>(),
    role: "owner",
    run: ({ statements }, { tenant, month }) => statements.summary(tenant, month),
  }),
  "statement.rows": operation({
    input: z.strictObject(ofMonth),
    output: z.array(row<StatementRow>()),
    role: "owner",
    run: ({ statements }, { tenant, month }) => statements.rows(tenant, month),
  }),
  "statement.lines": operation({
    input: ofMonthPage,
    output: z.array(row<StatementLine>()),
    role: "owner",
    run: ({ statements }, { tenant, month, after }) => statements.lines(tenant, month, after),
  }),
  "statement.calls": operation({
    input: ofMonthPage,
    output: z.array(row<StatementCall>()),
    role: "owner",
    run: ({ statements }, { tenant, month, after }) => statements.calls(tenant, month, after),
  }),
} as const;
