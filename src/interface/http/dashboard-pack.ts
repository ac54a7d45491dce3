/**
 * Serves the dashboard from inside the binary: `/app/assets/*` for ever (names carry a hash), every
 * other address below `/app/` is the page, because its router takes it from there. `/` sends a
 * browser to `/app/`.
 *
 * The Content-Security-Policy allows this origin only: no inline script, no inline style.
 */
import type { Elysia } from "elysia";
import packFile from "../../dashboard/dist/dashboard.pack" with { type: "file" };

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

interface PackEntry {
  readonly name: string;
  readonly type: string;
  readonly plain: number;
  readonly gzip: number;
  readonly brotli: number;
}

interface Asset {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer>;
}

const NEWLINE = 10;

async function unpack(): Promise<ReadonlyMap<string, Asset>> {
  const bytes = new Uint8Array(await Bun.file(packFile).arrayBuffer());
  const end = bytes.indexOf(NEWLINE);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as PackEntry[];
  let at = end + 1;
  const next = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  return new Map(
    index.map((entry) => [
      entry.name,
      {
        type: entry.type,
        plain: next(entry.plain),
        gzip: next(entry.gzip),
        brotli: next(entry.brotli),
      },
    ]),
  );
}

/** Files are read when first requested and then kept in memory: under 2 MB. */
let unpacked: Promise<ReadonlyMap<string, Asset>> | null = null;
function assets(): Promise<ReadonlyMap<string, Asset>> {
  unpacked ??= unpack();
  return unpacked;
}

function answer(asset: Asset, request: Request, cacheControl: string): Response {
  const accepted = request.headers.get("accept-encoding") ?? "";
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    "content-type": asset.type,
    "cache-control": cacheControl,
    vary: "Accept-Encoding",
  };
  if (/\bbr\b/.test(accepted))
    return new Response(asset.brotli, { headers: { ...headers, "content-encoding": "br" } });
  if (/\bgzip\b/.test(accepted))
    return new Response(asset.gzip, { headers: { ...headers, "content-encoding": "gzip" } });
  return new Response(asset.plain, { headers });
}

const notFound = () =>
  new Response("File not found.", {
    status: 404,
    headers: { ...SECURITY_HEADERS, "content-type": "text/plain; charset=utf-8" },
  });

async function page(request: Request): Promise<Response> {
  const index = (await assets()).get("index.html");
  return index ? answer(index, request, "no-cache") : notFound();
}

async function assetOf(request: Request, name: string): Promise<Response> {
  const asset = (await assets()).get(name);
  return asset && name !== "index.html"
    ? answer(asset, request, "public, max-age=31536000, immutable")
    : notFound();
}

const redirect = (location: string) => new Response(null, { status: 302, headers: { location } });

/** `otherwise` answers `/` for clients that are not browsers. */
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
