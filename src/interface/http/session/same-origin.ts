/**
 * Whether a request that carries a cookie was made by our own pages (CSRF). Browsers say so in
 * `Sec-Fetch-Site`; older ones only in `Origin`. SameSite alone does not do: on loopback every port,
 * and in a company every host of the domain, is the same site.
 */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

interface Provenance {
  readonly method: string;
  readonly headers: Headers;
  /** Our own origin, as this request was addressed. */
  readonly own: string;
}

/**
 * For what changes something, and for WebSockets, which `GET` opens with every right. Where the
 * browser names the site, its word decides: `Origin` is "null" under a strict referrer policy.
 */
function isFromOurPages({ headers, own }: Provenance): boolean {
  const site = headers.get("sec-fetch-site");
  return site === null ? headers.get("origin") === own : site === "same-origin";
}

/** For reading: our pages, or somebody who opens the address; never another page's subresource. */
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
