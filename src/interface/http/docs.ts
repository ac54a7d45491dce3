/**
 * What the appliance says about itself: the OpenAPI document with its viewer (Swagger UI), the
 * documentation site (built from docs/ by scripts/docs-site.ts), `llms.txt` and `security.txt`.
 * Everything is inside the binary; the Content-Security-Policy allows this origin only.
 */
import { createHash } from "node:crypto";
import type { Elysia } from "elysia";
import viewerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import viewerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import type { Clock } from "../../core/clock.ts";
import sitePack from "../../dashboard/dist/docs.pack" with { type: "file" };
import { openPack, packedResponse } from "./pack.ts";

export const DOCUMENT_PATHS = [
  "/openapi.json",
  "/api/v1/openapi.json",
  "/v1/openapi.json",
] as const;
export const DOCS_PATHS = [
  "/docs",
  "/docs/viewer",
  "/docs/viewer/start.js",
  "/docs/viewer/swagger-ui.css",
  "/docs/viewer/swagger-ui-bundle.js",
  "/llms.txt",
  "/.well-known/security.txt",
] as const;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page must set a class to enable the viewer's dark theme. */
const DARK_STYLE = `:root{color-scheme:light dark}body{margin:0}
html.dark-mode,html.dark-mode body{background:#101413}`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Linevoice API</title>
<link rel="stylesheet" href="/docs/viewer/swagger-ui.css">
<style>${DARK_STYLE}</style>
</head>
<body>
<div id="api"></div>
<script src="/docs/viewer/swagger-ui-bundle.js"></script>
<script src="/docs/viewer/start.js"></script>
</body>
</html>
`;

const START = `const dark = matchMedia("(prefers-color-scheme: dark)");
const chosen = localStorage.getItem("linevoice.theme");
const show = () =>
  document.documentElement.classList.toggle(
    "dark-mode",
    chosen === "dark" || (chosen !== "light" && dark.matches),
  );
show();
dark.addEventListener("change", show);
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  validatorUrl: null,
  supportedSubmitMethods: ["get", "post", "patch", "delete"],
});
`;

interface Asset {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

function assetOf(type: string, plain: Uint8Array<ArrayBuffer>): Asset {
  const digest = createHash("sha256").update(plain).digest("hex").slice(0, 32);
  return { type, plain, gzip: Bun.gzipSync(plain), etag: `"${digest}"` };
}

const textAsset = (type: string, text: string) => assetOf(type, new TextEncoder().encode(text));

/** Each of the six files is compressed when first requested, then kept. */
function lazy(make: () => Promise<Asset>): () => Promise<Asset> {
  let made: Promise<Asset> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-cache",
  "x-content-type-options": "nosniff",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
};

function answer(asset: Asset, request: Request): Response {
  const headers: Record<string, string> = {
    ...HEADERS,
    "content-type": asset.type,
    etag: asset.etag,
    vary: "Accept-Encoding",
  };
  if (request.headers.get("if-none-match") === asset.etag)
    return new Response(null, { status: 304, headers });
  const packed = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (packed) headers["content-encoding"] = "gzip";
  return new Response(packed ? asset.gzip : asset.plain, { headers });
}

const REPOSITORY = "https://github.com/linevoice/linevoice";
const SECURITY_TXT_DAYS = 180;

/** RFC 9116. It expires, so that a copy of it is not believed for ever. */
function securityText(clock: Clock): Response {
  const expires = new Date(clock.now() + SECURITY_TXT_DAYS * 86_400_000);
  const lines = [
    `Contact: ${REPOSITORY}/security/advisories/new`,
    `Expires: ${expires.toISOString().slice(0, 10)}T00:00:00Z`,
    "Preferred-Languages: en, lt, lv, ru",
    `Policy: ${REPOSITORY}/security/policy`,
  ];
  return new Response(`${lines.join("\n")}\n`, {
    headers: { ...HEADERS, "content-type": "text/plain; charset=utf-8" },
  });
}

const site = openPack(sitePack);

/** A page by its address without an extension, or another file by its name. */
async function siteFile(name: string, request: Request): Promise<Response> {
  const files = await site();
  const file = files.get(name === "" ? "index.html" : name) ?? files.get(`${name}.html`);
  return file
    ? packedResponse(file, request, HEADERS)
    : new Response("There is no such page. All pages are listed at /docs/.", {
        status: 404,
        headers: { ...HEADERS, "content-type": "text/plain; charset=utf-8" },
      });
}

function siteRoutes(app: Elysia, clock: Clock): void {
  for (const method of ["GET", "HEAD"]) {
    app.route(method, "/docs", ({ request }) =>
      new URL(request.url).pathname.endsWith("/")
        ? siteFile("", request)
        : new Response(null, { status: 302, headers: { location: "/docs/" } }),
    );
    app.route(method, "/docs/*", ({ request, params }) =>
      siteFile((params as { "*": string })["*"], request),
    );
    app.route(method, "/llms.txt", ({ request }) => siteFile("llms.txt", request));
    app.route(method, "/.well-known/security.txt", () => securityText(clock));
  }
}

/** `document` makes the OpenAPI document. It is called once, at the first request. */
export function docsRoutes(app: Elysia, document: () => object, clock: Clock): void {
  const fileAsset = (type: string, path: string) =>
    lazy(async () => assetOf(type, new Uint8Array(await Bun.file(path).arrayBuffer())));
  const json = lazy(async () => textAsset("application/json", JSON.stringify(document())));
  const script = "text/javascript; charset=utf-8";
  const assets: readonly (readonly [string, () => Promise<Asset>])[] = [
    ...DOCUMENT_PATHS.map((path) => [path, json] as const),
    ["/docs/viewer", lazy(async () => textAsset("text/html; charset=utf-8", PAGE))],
    ["/docs/viewer/start.js", lazy(async () => textAsset(script, START))],
    ["/docs/viewer/swagger-ui.css", fileAsset("text/css; charset=utf-8", viewerStyle)],
    ["/docs/viewer/swagger-ui-bundle.js", fileAsset(script, viewerScript)],
  ];
  for (const [path, asset] of assets)
    for (const method of ["GET", "HEAD"])
      app.route(method, path, async ({ request }) => answer(await asset(), request));
  siteRoutes(app, clock);
}
