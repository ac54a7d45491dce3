/**
 * Whether a request that carries a cookie was made by our own pages (CSRF). Browsers say so in
 * `Sec-Fetch-Site`; older ones only in `Origin`. SameSite alone does not do: on loopback every port,
 * and in a company every host of the domain, is the same site.
 */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

interface Provenance {
  readonly method: string;
  readonly headers: Headers;
  /** The origin of this request's own address. */
  readonly own: string;
}

/**
 * For requests that change something, and for WebSockets, which a GET opens with all rights. `Sec-
 * Fetch-Site` decides if it is present: `Origin` is "null" under a strict referrer policy.
 */
function isFromOurPages({ headers, own }: Provenance): boolean {
  const site = headers.get("sec-fetch-site");
  return site === null ? headers.get("origin") === own : site === "same-origin";
}

/**
 * For reads: allowed from our pages and for a person who opens the address, not as a resource of
 * another site's page.
 */
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
