/**
 * The documentation site served by the binary: pages, links, the search index, `llms.txt`, `security.txt`.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { EXAMPLES } from "../../scripts/api-examples.ts";
import { type ApiServer, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const YEAR_MS = 366 * 86_400_000;
let server: ApiServer;
/** Every page by its address. */
const pages = new Map<string, string>();

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
  const files = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.replace(/\.md$/, "").replace(/(^|\/)README$/, ""));
  for (const path of ["api-reference", ...files]) {
    const response = await fetch(`${server.base}/docs/${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    pages.set(`/docs/${path}`, await response.text());
  }
});
afterAll(() => server.stop());

const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

test("every link leads to an existing page or heading, or to a file of the repository", async () => {
  const lost: string[] = [];
  for (const [address, html] of pages)
    for (const [, href = ""] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const inRepository = /github\.com\/linevoice\/linevoice\/blob\/main\/([^#]+)/.exec(href);
      if (inRepository && !existsSync(join(ROOT, inRepository[1] ?? "")))
        lost.push(`${address}: ${href}`);
      if (/^(?:https?:|mailto:|\/app\/)/.test(href)) continue;
      const [path = "", anchor] = href.startsWith("#") ? [address, href.slice(1)] : href.split("#");
      const target = pages.get(path);
      if (anchor !== undefined && target && !idsOf(target).has(anchor))
        lost.push(`${address}: ${href}`);
      if (!target && (await fetch(server.base + path)).status !== 200)
        lost.push(`${address}: ${href}`);
    }
  expect(lost).toEqual([]);
});

test("every page also exists as Markdown, equal to the file", async () => {
  for (const [address, file] of [
    ["/docs/index.md", "docs/README.md"],
    ["/docs/trunks.md", "docs/trunks.md"],
    ["/docs/decisions/02-errors.md", "docs/decisions/02-errors.md"],
  ] as const) {
    const response = await fetch(server.base + address, {
      headers: { "accept-encoding": "identity" },
    });
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await response.text()).toBe(readFileSync(join(ROOT, file), "utf8"));
  }
});

test("a page is the same in each encoding, in repeated requests", async () => {
  const page = readFileSync(join(ROOT, "docs/trunks.md"), "utf8");
  for (const [encoding, unpacked] of [
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
    ["gzip", gunzipSync],
    [null, (body: Uint8Array) => body],
  ] as const) {
    const response = await fetch(`${server.base}/docs/trunks.md`, {
      headers: { "accept-encoding": encoding ?? "identity" },
      decompress: false,
    });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(Buffer.from(unpacked(await response.bytes())).toString()).toBe(page);
  }
});

test("an address without a page says where the pages are", async () => {
  const response = await fetch(`${server.base}/docs/no-such-page`);
  expect([response.status, await response.text()]).toEqual([
    404,
    "Page not found. See the list of pages at /docs/.",
  ]);
  const short = await fetch(`${server.base}/docs`, { redirect: "manual" });
  expect([short.status, short.headers.get("location")]).toEqual([302, "/docs/"]);
});

test("the search index has every heading, with a valid address", async () => {
  const response = await fetch(`${server.base}/docs/search.json`);
  const entries: { url: string; heading: string; text: string }[] = await response.json();
  const lost = entries.filter(({ url }) => {
    const [path = "", anchor = ""] = url.split("#");
    return !idsOf(pages.get(path) ?? "").has(anchor);
  });
  expect(lost).toEqual([]);
  expect(entries.some(({ text }) => text.includes("kamailio"))).toBe(true);
});

test("llms.txt lists every page of the index with its Markdown", async () => {
  const text = await (await fetch(`${server.base}/llms.txt`)).text();
  expect(text).toStartWith("# Linevoice\n\n> ");
  const named = [...text.matchAll(/^- \[[^\]]+\]\((\/docs\/[^)]+\.md)\): .+$/gm)].map(
    ([, url]) => url,
  );
  const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  expect(named).toHaveLength(index.match(/^\| \[/gm)?.length ?? 0);
  for (const url of named) expect((await fetch(server.base + url)).status).toBe(200);
});

test("security.txt has a contact, and expires within a year (RFC 9116)", async () => {
  const text = await (await fetch(`${server.base}/.well-known/security.txt`)).text();
  expect(text).toMatch(/^Contact: https:\/\/\S+$/m);
  const expiresAt = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? "");
  expect(expiresAt).toBeGreaterThan(Date.now());
  expect(expiresAt).toBeLessThan(Date.now() + YEAR_MS);
});

test("the API reference has every operation in four languages", () => {
  const html = pages.get("/docs/api-reference") ?? "";
  for (const { method, path } of EXAMPLES) expect(html).toContain(`<code>${method} ${path}</code>`);
  for (const language of ["curl", "TypeScript", "Python", "PHP"])
    expect(html.split(`<summary>${language}</summary>`)).toHaveLength(EXAMPLES.length + 1);
});
