/**
 * Public information about the appliance: the OpenAPI document, the documentation site with Swagger UI (built
 * from docs/ by scripts/docs-site.ts), `llms.txt` and `security.txt`. All files are inside the binary. The
 * Content-Security-Policy allows this origin only.
 */
import type { Elysia } from "elysia";
import type { Clock } from "../core/clock.ts";
import sitePack from "../dashboard/dist/docs.pack" with { type: "file" };
import {
  openEmbeddedAssets,
  type PackedAsset,
  packedResponse,
  packedText,
} from "./embedded-assets.ts";

export const DOCUMENT_PATHS = [
  "/openapi.json",
  "/api/v1/openapi.json",
  "/v1/openapi.json",
] as const;
export const DOCS_PATHS = ["/docs", "/llms.txt", "/.well-known/security.txt"] as const;

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

const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-cache",
  "x-content-type-options": "nosniff",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
};

const REPOSITORY = "https://github.com/linevoice/linevoice";
const SECURITY_TXT_DAYS = 180;

/** RFC 9116. It expires, so that old copies become invalid. */
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

const site = openEmbeddedAssets(sitePack);

/** Returns a page by its path without extension, or another file by its name. */
async function siteFile(name: string, request: Request): Promise<Response> {
  const files = await site();
  const file = files.get(name === "" ? "index.html" : name) ?? files.get(`${name}.html`);
  return file
    ? packedResponse(file, request, HEADERS)
    : new Response("Page not found. See the list of pages at /docs/.", {
        status: 404,
        headers: { ...HEADERS, "content-type": "text/plain; charset=utf-8" },
      });
}

function siteRoutes(app: Elysia, clock: Clock): void {
  for (const method of ["GET", "HEAD"]) {
    app.route(method, "/docs", async ({ request }) =>
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

/** `document` generates the OpenAPI document at the first request. */
export function docsRoutes(app: Elysia, document: () => Promise<object>, clock: Clock): void {
  let made: PackedAsset | null = null;
  for (const path of DOCUMENT_PATHS)
    for (const method of ["GET", "HEAD"])
      app.route(method, path, async ({ request }) => {
        made ??= packedText("application/json", JSON.stringify(await document()));
        return packedResponse(made, request, HEADERS);
      });
  siteRoutes(app, clock);
}
