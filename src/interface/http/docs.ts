/**
 * The document and its viewer (Swagger UI, from npm, inside the binary). Nothing is loaded from
 * elsewhere: the Content-Security-Policy allows this origin only.
 */
import { createHash } from "node:crypto";
import type { Elysia } from "elysia";
import viewerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import viewerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };

export const DOCUMENT_PATHS = [
  "/openapi.json",
  "/api/v1/openapi.json",
  "/v1/openapi.json",
] as const;
export const DOCS_PATHS = [
  "/docs",
  "/docs/start.js",
  "/docs/swagger-ui.css",
  "/docs/swagger-ui-bundle.js",
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
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>${DARK_STYLE}</style>
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
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

function answer(asset: Asset, request: Request): Response {
  const headers: Record<string, string> = {
    "content-type": asset.type,
    etag: asset.etag,
    "cache-control": "no-cache",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "referrer-policy": "no-referrer",
  };
  if (request.headers.get("if-none-match") === asset.etag)
    return new Response(null, { status: 304, headers });
  const packed = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (packed) headers["content-encoding"] = "gzip";
  return new Response(packed ? asset.gzip : asset.plain, { headers });
}

/** `document` makes the OpenAPI document. It is called once, at the first request. */
export function docsRoutes(app: Elysia, document: () => object): void {
  const fileAsset = (type: string, path: string) =>
    lazy(async () => assetOf(type, new Uint8Array(await Bun.file(path).arrayBuffer())));
  const json = lazy(async () => textAsset("application/json", JSON.stringify(document())));
  const script = "text/javascript; charset=utf-8";
  const assets: readonly (readonly [string, () => Promise<Asset>])[] = [
    ...DOCUMENT_PATHS.map((path) => [path, json] as const),
    ["/docs", lazy(async () => textAsset("text/html; charset=utf-8", PAGE))],
    ["/docs/start.js", lazy(async () => textAsset(script, START))],
    ["/docs/swagger-ui.css", fileAsset("text/css; charset=utf-8", viewerStyle)],
    ["/docs/swagger-ui-bundle.js", fileAsset(script, viewerScript)],
  ];
  for (const [path, asset] of assets)
    for (const method of ["GET", "HEAD"])
      app.route(method, path, async ({ request }) => answer(await asset(), request));
}
