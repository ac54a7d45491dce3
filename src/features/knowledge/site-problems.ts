/**
 * Problems that prevent reading a web site or page. Each has a reason, which the dashboard translates, and an
 * English sentence with the remedy if one exists.
 */
import { AppError, describeError } from "../../core/errors.ts";
import type { SiteReason } from "../../core/message-reasons.ts";
import { OutboundHttpError } from "../../platform/net/outbound-http-error.ts";

/** A problem as stored and shown. `code`, `reason` and `params` are those of an AppError. */
export interface SiteProblem {
  /** Address that could not be read; null: the whole site. */
  readonly url: string | null;
  readonly code: string;
  readonly reason: string | null;
  readonly params: Readonly<Record<string, string | number>>;
  readonly message: string;
}

const SENTENCES: Readonly<Record<SiteReason, string>> = {
  site_address: "It leads to a forbidden address. Only public https addresses are allowed.",
  site_answer: "The response of the server cannot be read.",
  site_certificate: "The server's certificate is not trusted.",
  site_circle: "Its redirects go in a circle.",
  site_connection: "The connection to the server failed or was interrupted.",
  site_cut: "Only {pages} pages were read, because the site exceeds the maximum.",
  site_fails: "The server answered {status}: it is overloaded or out of order.",
  site_gone: "There is no such page: the server answered {status}.",
  site_large: "It is too large.",
  site_login: "The server blocks programs, or requires a password: it answered {status}.",
  site_name: "There is no server with this name. Check the address.",
  site_no_pages:
    "No page with text was found. Pages created only by scripts, and pages marked noindex, are not read.",
  site_redirects: "It redirects too often.",
  site_robots: "The site's robots.txt forbids it. Allow the user agent Linevoice there.",
  site_status: "The server answered {status} instead of the page.",
  site_time: "The response took too long.",
};

export function siteError(reason: SiteReason, params: SiteProblem["params"] = {}): AppError {
  const publicMessage = SENTENCES[reason].replace(/\{(\w+)\}/g, (_, name) => String(params[name]));
  return new AppError({ code: "unavailable", publicMessage, reason, params });
}

/** Error for a status code other than success. */
export function statusError(status: number): AppError {
  const params = { status };
  if (status === 404 || status === 410) return siteError("site_gone", params);
  if (status === 401 || status === 403) return siteError("site_login", params);
  if (status === 429 || status >= 500) return siteError("site_fails", params);
  return siteError("site_status", params);
}

/** True if the page no longer exists. Otherwise, its state is unknown. */
export const tellsGone = ({ reason }: Pick<SiteProblem, "reason">): boolean =>
  reason === "site_gone" || reason === "site_robots";

const OF_REQUEST: Readonly<Record<OutboundHttpError["failure"], SiteReason>> = {
  invalid_url: "site_address",
  blocked_address: "site_address",
  name_not_found: "site_name",
  connection_failed: "site_connection",
  certificate: "site_certificate",
  timeout: "site_time",
  aborted: "site_time",
  too_large: "site_large",
  bad_response: "site_answer",
};

/** Converts any error from reading a site. */
export function siteProblem(url: string | null, thrown: unknown): SiteProblem {
  const error =
    thrown instanceof OutboundHttpError ? siteError(OF_REQUEST[thrown.failure]) : thrown;
  if (!(error instanceof AppError))
    return { url, code: "engine", reason: null, params: {}, message: describeError(error) };
  const { code, publicMessage: message, messageName } = error;
  return {
    url,
    code,
    reason: messageName.reason ?? null,
    params: messageName.params ?? {},
    message,
  };
}
