/** Leaves for the payment page. Ours is told which language the reader has chosen. */
import type { Language } from "../../i18n/language.ts";

export function goToPayment(address: string, language: Language): void {
  const page = new URL(address);
  if (page.pathname.startsWith("/checkout/")) page.searchParams.set("language", language);
  location.assign(page.href);
}
