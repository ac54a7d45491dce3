/**
 * Says early why a tenant's URL will never be reached, so that it is refused where it is typed and
 * not at the first call. The guarded client checks again, on the address connected to.
 */
import { AddressRules } from "./address-rules.ts";
import { GuardedHttpError } from "./guarded-http-error.ts";
import { parseTenantUrl } from "./safe-http.ts";

/** Answers one clause, or null where a request may be tried. Looks up no names. */
export function createUrlCheck(allowNetworks: readonly string[]): (url: string) => string | null {
  const rules = new AddressRules(allowNetworks);
  return (text) => {
    try {
      const url = parseTenantUrl(text);
      if (url.protocol !== "https:") return "it must begin with https://";
      const literal = url.hostname.replace(/^\[|\]$/g, "");
      if (!url.hostname.startsWith("[") && !/^[\d.]+$/.test(url.hostname)) return null;
      const verdict = rules.check(literal);
      return verdict.allowed ? null : `the address is not allowed (${verdict.why})`;
    } catch (error) {
      if (error instanceof GuardedHttpError) return error.message;
      throw error;
    }
  };
}

/** Whether what was given for the one address may be sent to the other: scheme, name and port are the same. */
export const isSameServer = (before: string | null, now: string): boolean =>
  before !== null && URL.canParse(before) && new URL(before).origin === new URL(now).origin;
