/**
 * CSRF protection: checks that a request with a cookie comes from our own pages. Browsers send
 * `Sec-Fetch-Site`; older ones only `Origin`. SameSite is not enough: every port on loopback, and every host
 * of a company's domain, is the same site.
 */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

interface Provenance {
  readonly method: string;
  readonly headers: Headers;
  /** The origin of this request's own address. */
  readonly own: string;
}

/**
 * For changes and for WebSockets, because a GET opens them with full rights. `Sec-Fetch-Site` has priority:
 * `Origin` is "null" under a strict referrer policy.
 */
function isFromOurPages({ headers, own }: Provenance): boolean {
  const site = headers.get("sec-fetch-site");
  return site === null ? headers.get("origin") === own : site === "same-origin";
}

/** For reads: allowed from our pages and for direct navigation, not as a resource of another site's page. */
function mayRead({ headers }: Provenance): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return true;
  return (
    headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document"
  );
}

export function isAllowedProvenance(request: Provenance): boolean {
  const opensSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  if (SAFE.has(request.method) && !opensSocket) return mayRead(request);
  return isFromOurPages(request);
}
