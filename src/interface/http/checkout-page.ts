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
const BILLING_PAGE = "/app/billing?tab=wallet";

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
<style>:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:1.5rem 1rem;
background:light-dark(#f7f7f4,#101413);color:light-dark(#171c1a,#e9edea)}
header{display:flex;justify-content:space-between;gap:1rem;margin-bottom:2rem}
header b{font-size:1.1rem;letter-spacing:-.02em}a{color:light-dark(#0b5d4e,#5fcfb4)}
main{padding:1rem 1.5rem;border:1px solid light-dark(#e2e3dd,#2a312e);border-radius:14px;
background:light-dark(#fff,#171c1a)}h1{font-size:1.5rem;margin:.5rem 0 1rem}
dt{color:light-dark(#4d5651,#b0b9b4)}dd{margin:0 0 .8rem;font-size:1.1rem;overflow-wrap:anywhere}
pre{white-space:pre-wrap;font:inherit}</style>
</head>
<body>
<header><b>Linevoice</b><a href="${BILLING_PAGE}">Back to usage and billing</a></header>
<main>
<h1>${escaped(title)}</h1>
<dl>
${cells}
</dl>
<pre>${escaped(note)}</pre>
</main>
</body>
</html>
`;
}

function howToPay(checkout: Checkout, bankDetails: string | null): string {
  if (checkout.provider !== "manual")
    return "If you have paid, this page says so as soon as the payment is confirmed. Load it again in a minute.";
  if (bankDetails === null)
    return "This appliance names no bank account yet. Whoever runs it sets one in linevoice.toml ([payments.manual]) and confirms the payment by its reference.";
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
