/**
 * Serves the dashboard from inside the binary. `/app/assets/*` is cacheable forever (names contain a hash).
 * Every other path below `/app/` returns the page, because its router handles the path. `/` redirects a
 * browser to `/app/`.
 *
 * The Content-Security-Policy allows this origin only: no inline script, no inline style.
 */
import type { Elysia } from "elysia";
import packFile from "../dashboard/dist/dashboard.pack" with { type: "file" };
import { openEmbeddedAssets, packedResponse } from "./embedded-assets.ts";

export const DASHBOARD_PATHS = ["/app", "/app/"] as const;

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' blob:",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

const SECURITY_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "microphone=(self), camera=(), geolocation=()",
} as const;

const assets = openEmbeddedAssets(packFile);

const notFound = () =>
  new Response("File not found.", {
    status: 404,
    headers: { ...SECURITY_HEADERS, "content-type": "text/plain; charset=utf-8" },
  });

async function page(request: Request): Promise<Response> {
  const index = (await assets()).get("index.html");
  return index
    ? packedResponse(index, request, { ...SECURITY_HEADERS, "cache-control": "no-cache" })
    : notFound();
}

async function assetOf(request: Request, name: string): Promise<Response> {
  const asset = (await assets()).get(name);
  return asset && name !== "index.html"
    ? packedResponse(asset, request, {
        ...SECURITY_HEADERS,
        "cache-control": "public, max-age=31536000, immutable",
      })
    : notFound();
}

const redirect = (location: string) => new Response(null, { status: 302, headers: { location } });

/** `otherwise` handles `/` for clients that are not browsers. */
export function dashboardApp(app: Elysia, otherwise: (request: Request) => Response): void {
  for (const method of ["GET", "HEAD"]) {
    app.route(method, "/", ({ request }) =>
      (request.headers.get("accept") ?? "").includes("text/html")
        ? redirect("/app/")
        : otherwise(request),
    );
    app.route(method, "/app", ({ request }) => {
      const { pathname, search } = new URL(request.url);
      return pathname.endsWith("/") ? page(request) : redirect(`/app/${search}`);
    });
    app.route(method, "/app/assets/:name", ({ request, params }) =>
      assetOf(request, (params as { name: string }).name),
    );
    app.route(method, "/app/*", ({ request }) => page(request));
  }
}
