/**
 * The page of a manual payment (decisions.md 8): amount, reference and the operator's bank details.
 * Knowing the checkout's unguessable id is the right to see it. Text only, no script.
 */
import type { Elysia } from "elysia";
import { AppError } from "../../core/errors.ts";
import { microToEur } from "../../core/money.ts";
import type { Checkouts } from "../../domain/billing/checkout.ts";
import type { Checkout, CheckoutKind } from "../../domain/billing/stores.ts";

export const CHECKOUT_PATH = "/checkout/{id}";

const WHAT: Readonly<Record<CheckoutKind, string>> = {
  topup: "Wallet top-up",
  plan: "Plan",
  crm_bridge: "CRM bridge, one month",
  retention: "Longer transcript retention",
};

const STATE: Readonly<Record<Checkout["status"], string>> = {
  open: "Waiting for your payment.",
  paid: "Paid. Thank you!",
  expired: "Expired. Please open a new one.",
  cancelled: "Cancelled.",
};

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function page(title: string, rows: readonly (readonly [string, string])[], note: string): string {
  const cells = rows
    .map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`)
    .join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}
dt{color:#555}dd{margin:0 0 .8rem;font-size:1.1rem}pre{white-space:pre-wrap;font:inherit}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<dl>
${cells}
</dl>
<pre>${escaped(note)}</pre>
</body>
</html>
`;
}

function howToPay(checkout: Checkout, bankDetails: string | null): string {
  if (checkout.provider !== "manual")
    return "If you have paid, this page says so as soon as the payment is confirmed. Load it again in a minute.";
  if (bankDetails === null) return "Ask the operator how to pay, and give the reference.";
  return `${bankDetails}\n\nGive the reference with the transfer. The operator confirms it when it arrives.`;
}

function checkoutPage(checkout: Checkout, bankDetails: string | null): string {
  const amount = `${microToEur(checkout.amount).toFixed(2)} EUR`;
  const item = checkout.kind === "plan" && checkout.item ? ` ${checkout.item}` : "";
  return page(
    "Payment",
    [
      ["For", WHAT[checkout.kind] + item],
      ["Amount", amount],
      ["Reference", checkout.id],
      ["Until", new Date(checkout.expiresAt).toISOString().slice(0, 10)],
      ["State", STATE[checkout.status]],
    ],
    checkout.status === "open" ? howToPay(checkout, bankDetails) : "",
  );
}

export function checkoutRoutes(
  app: Elysia,
  { checkouts, bankDetails }: { checkouts: Checkouts; bankDetails: string | null },
): void {
  const show = async ({ params }: { params: Record<string, string> }) => {
    try {
      const checkout = await checkouts.get(params.id ?? "");
      return new Response(checkoutPage(checkout, bankDetails), { headers: HEADERS });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      return new Response(page("There is no such payment", [], ""), {
        status: 404,
        headers: HEADERS,
      });
    }
  };
  for (const method of ["GET", "HEAD"])
    app.route(method, CHECKOUT_PATH.replace("{id}", ":id"), show);
}
