/**
 * Says early why a tenant's URL will never be reached, so that it is refused where it is typed and
 * not at the first call. The guarded client checks again, on the address connected to.
 */
import { invalidField } from "../../core/errors.ts";
import { AddressRules } from "./address-rules.ts";
import { parseTenantUrl } from "./outbound-http.ts";
import { OutboundHttpError } from "./outbound-http-error.ts";

/** Why no request would go to a URL, as one clause; null: it may be tried. */
export type UrlProblem = (url: string) => string | null;

/** Always this machine (RFC 6761 6.3). */
const LOCALHOST = /^(.+\.)?localhost\.?$/;

/** Looks up no names. */
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

/** null: a name, which only a resolver can judge. */
function literalAddress(hostname: string): string | null {
  if (LOCALHOST.test(hostname)) return "127.0.0.1";
  const isLiteral = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  return isLiteral ? hostname.replace(/^\[|\]$/g, "") : null;
}

/** Throws `valid_<field>_required` where a URL is given that no request would go to. */
export function requireUrl(
  urlProblem: UrlProblem,
  field: string,
  url: string | null | undefined,
): void {
  const problem = url == null ? null : urlProblem(url);
  if (problem !== null) throw invalidField(field, `\`${field}\` cannot be used: ${problem}.`);
}

/** Whether what was given for the one address may be sent to the other: scheme, name and port are the same. */
export const isSameServer = (before: string | null, now: string): boolean =>
  before !== null && URL.canParse(before) && new URL(before).origin === new URL(now).origin;
