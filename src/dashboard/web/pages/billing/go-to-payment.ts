/** Opens the payment page. The appliance's own checkout page gets the reader's language. */
import type { Language } from "../../i18n/language.ts";

export function goToPayment(address: string, language: Language): void {
  const page = new URL(address);
  if (page.pathname.startsWith("/checkout/")) page.searchParams.set("language", language);
  location.assign(page.href);
}
