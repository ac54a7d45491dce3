/**
 * The page of a manual payment (decisions 8): amount, reference and the operator's bank details, in the
 * language of `?language=` or the browser. The unguessable checkout id grants access.
 */
import type { Elysia } from "elysia";
import { AppError } from "../../core/errors.ts";
import { escapedHtml } from "../../core/html.ts";
import { microToEur } from "../../core/money.ts";
import { type PageLanguage, pageLanguage, plainPage } from "../../http/plain-page.ts";
import type { Checkouts } from "./checkout.ts";
import { CHECKOUT_TEXTS, type CheckoutTexts } from "./checkout-texts.ts";
import type { Checkout } from "./stores.ts";

export const CHECKOUT_PATH = "/checkout/{id}";
const BILLING_PAGE = "/app/billing?tab=wallet";

/** HTML of a definition list; the values are HTML. */
const listOf = (rows: readonly (readonly [string, string])[]) =>
  `<dl>${rows.map(([name, value]) => `<dt>${escapedHtml(name)}</dt><dd>${value}</dd>`).join("\n")}</dl>`;

function page(language: PageLanguage, title: string, body: string, status = 200): Response {
  const back = escapedHtml(CHECKOUT_TEXTS[language].back);
  const header = `<a href="${BILLING_PAGE}">${back}</a>`;
  return plainPage({ language, status, title, header, body });
}

function howToPay(checkout: Checkout, bankDetails: string | null, texts: CheckoutTexts): string {
  if (checkout.provider !== "manual") return texts.paidElsewhere;
  return bankDetails === null ? texts.noBankAccount : `${bankDetails}\n\n${texts.giveReference}`;
}

function checkoutPage(
  language: PageLanguage,
  checkout: Checkout,
  bankDetails: string | null,
): Response {
  const texts = CHECKOUT_TEXTS[language];
  const { kind, item, amount, status, expiresAt } = checkout;
  const region = language === "en" ? "en-GB" : language;
  const euros = new Intl.NumberFormat(region, { style: "currency", currency: "EUR" });
  const days = new Intl.DateTimeFormat(region, { dateStyle: "medium", timeZone: "UTC" });
  const copy = `<button type="button" data-done="${texts.copied}">${texts.copy}</button>`;
  const note = status === "open" ? howToPay(checkout, bankDetails, texts) : "";
  const rows = listOf([
    [texts.for, escapedHtml(texts.kinds[kind] + (kind === "plan" && item ? ` ${item}` : ""))],
    [texts.amount, euros.format(microToEur(amount))],
    [texts.reference, `<code>${checkout.id}</code> ${copy}`],
    [texts.until, days.format(expiresAt)],
    [texts.state, texts.states[status]],
  ]);
  return page(language, texts.title, `${rows}\n<pre>${escapedHtml(note)}</pre>`);
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
    const language = pageLanguage(request);
    try {
      return checkoutPage(language, await checkouts.get(params.id ?? ""), bankDetails);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      return page(language, CHECKOUT_TEXTS[language].none, "", 404);
    }
  };
  for (const method of ["GET", "HEAD"])
    app.route(method, CHECKOUT_PATH.replace("{id}", ":id"), show);
}
