/**
 * Checks early whether a tenant's URL can ever be reached, so that a bad one is rejected when it is
 * entered and not at the first call. The outbound HTTP client checks again, on the connected
 * address.
 */
import { invalidField } from "../../core/errors.ts";
import { AddressRules } from "./address-rules.ts";
import { parseTenantUrl } from "./outbound-http.ts";
import { OutboundHttpError } from "./outbound-http-error.ts";

/** Reason why a URL would never be requested, as one clause; null if it may be. */
export type UrlProblem = (url: string) => string | null;

/** Always resolves to this machine (RFC 6761 6.3). */
const LOCALHOST = /^(.+\.)?localhost\.?$/;

/** Does no DNS lookups. */
export function createUrlCheck(allowNetworks: readonly string[]): UrlProblem {
  const rules = new AddressRules(allowNetworks);
  return (text) => {
    try {
      const url = parseTenantUrl(text);
      if (url.protocol !== "https:") return "it must begin with https://";
      const address = literalAddress(url.hostname);
      if (address === null) return null;
      const result = rules.check(address);
      return result.allowed ? null : `the address is not allowed (${result.why})`;
    } catch (error) {
      if (error instanceof OutboundHttpError) return error.message;
      throw error;
    }
  };
}

/** Null for a name, which needs a resolver. */
function literalAddress(hostname: string): string | null {
  if (LOCALHOST.test(hostname)) return "127.0.0.1";
  const isLiteral = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  return isLiteral ? hostname.replace(/^\[|\]$/g, "") : null;
}

/** Throws `valid_<field>_required` for a URL that would never be requested. */
export function requireUrl(
  urlProblem: UrlProblem,
  field: string,
  url: string | null | undefined,
): void {
  const problem = url == null ? null : urlProblem(url);
  if (problem !== null)
    throw invalidField(field, `\`${field}\` cannot be used: ${problem}.`, { reason: "url" });
}

/** True if credentials for one URL may be sent to the other: same scheme, host and port. */
export const isSameServer = (before: string | null, now: string): boolean =>
  before !== null && URL.canParse(before) && new URL(before).origin === new URL(now).origin;
