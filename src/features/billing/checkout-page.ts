/**
 * The page of a manual payment (decisions 8): amount, reference and the operator's bank details, in the
 * language of `?language=` or the browser. The unguessable checkout id grants access. Text only, no script.
 */
import type { Elysia } from "elysia";
import { AppError } from "../../core/errors.ts";
import { escapedHtml } from "../../core/html.ts";
import { microToEur } from "../../core/money.ts";
import type { Checkouts } from "./checkout.ts";
import { CHECKOUT_TEXTS, type CheckoutTexts } from "./checkout-texts.ts";
import type { Checkout } from "./stores.ts";

export const CHECKOUT_PATH = "/checkout/{id}";
const BILLING_PAGE = "/app/billing?tab=wallet";

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

type Language = keyof typeof CHECKOUT_TEXTS;

const isLanguage = (tag: string): tag is Language => Object.hasOwn(CHECKOUT_TEXTS, tag);

/** First supported language in the browser's order of preference; else English. */
function languageOf(request: Request): Language {
  const wanted = new URL(request.url).searchParams.get("language") ?? "";
  const accepted = request.headers.get("accept-language") ?? "";
  const tags = [wanted, ...accepted.split(",")].map((tag) => tag.trim().slice(0, 2).toLowerCase());
  return tags.find(isLanguage) ?? "en";
}

interface Shown {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
  readonly note: string;
}

function page(language: Language, { title, rows, note }: Shown): string {
  const cells = rows
    .map(([name, value]) => `<dt>${escapedHtml(name)}</dt><dd>${escapedHtml(value)}</dd>`)
    .join("\n");
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(title)} · Linevoice</title>
<style>:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:1.5rem 1rem;
background:light-dark(#f7f7f4,#101413);color:light-dark(#171c1a,#e9edea)}
header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem 1rem;margin-bottom:2rem}
header b{display:flex;gap:.4rem;align-items:center;font-size:1.1rem;letter-spacing:-.02em}
a,svg{color:light-dark(#0b5d4e,#5fcfb4)}a{display:inline-block;padding:.6rem 0}
main{padding:1rem 1.5rem;border:1px solid light-dark(#e2e3dd,#2a312e);border-radius:14px;
background:light-dark(#fff,#171c1a)}h1{font-size:1.5rem;margin:.5rem 0 1rem}
dt{color:light-dark(#4d5651,#b0b9b4)}dd{margin:0 0 .8rem;font-size:1.1rem;overflow-wrap:anywhere}
pre{white-space:pre-wrap;font:inherit}</style>
</head>
<body>
<header><b>${MARK}Linevoice</b><a href="${BILLING_PAGE}">${escapedHtml(CHECKOUT_TEXTS[language].back)}</a></header>
<main>
<h1>${escapedHtml(title)}</h1>
<dl>
${cells}
</dl>
<pre>${escapedHtml(note)}</pre>
</main>
</body>
</html>
`;
}

const MARK =
  '<svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" aria-hidden="true"><path d="M2.500 11h1M7.500 7v8M12 3.500v15M16.500 8v6M20 10.500v1"/></svg>';

function howToPay(checkout: Checkout, bankDetails: string | null, texts: CheckoutTexts): string {
  if (checkout.provider !== "manual") return texts.paidElsewhere;
  return bankDetails === null ? texts.noBankAccount : `${bankDetails}\n\n${texts.giveReference}`;
}

function checkoutPage(language: Language, checkout: Checkout, bankDetails: string | null): string {
  const texts = CHECKOUT_TEXTS[language];
  const { kind, item, amount, status, expiresAt } = checkout;
  return page(language, {
    title: texts.title,
    rows: [
      [texts.for, texts.kinds[kind] + (kind === "plan" && item ? ` ${item}` : "")],
      [texts.amount, `${microToEur(amount).toFixed(2)} EUR`],
      [texts.reference, checkout.id],
      [texts.until, new Date(expiresAt).toISOString().slice(0, 10)],
      [texts.state, texts.states[status]],
    ],
    note: status === "open" ? howToPay(checkout, bankDetails, texts) : "",
  });
}

export function checkoutRoutes(
  app: Elysia,
  { checkouts, bankDetails }: { checkouts: Checkouts; bankDetails: string | null },
): void {
  const show = async ({
    params,
    request,
  }: {
    params: Record<string, string>;
    request: Request;
  }) => {
    const language = languageOf(request);
    try {
      const checkout = await checkouts.get(params.id ?? "");
      return new Response(checkoutPage(language, checkout, bankDetails), { headers: HEADERS });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      return new Response(
        page(language, { title: CHECKOUT_TEXTS[language].none, rows: [], note: "" }),
        {
          status: 404,
          headers: HEADERS,
        },
      );
    }
  };
  for (const method of ["GET", "HEAD"])
    app.route(method, CHECKOUT_PATH.replace("{id}", ":id"), show);
}
