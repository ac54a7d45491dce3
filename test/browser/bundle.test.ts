/** Size and delivery of the dashboard, and completeness of its texts in every language. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import type { PackEntry } from "../../scripts/pack.ts";
import { type ApiServer, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const GZIP_BYTES_MAX = 280 * 1024;
/** Fonts are not code: they are cached, and a page loads only the files with its letters. */
const FONT_BYTES_MAX = 60 * 1024;
const FIRST_LOAD_BYTES_MAX = 150 * 1024;
const CATALOGUES = await messageCatalogues();
const { en } = CATALOGUES;
const PACK = new URL("../../src/dashboard/dist/dashboard.pack", import.meta.url).pathname;

const isFont = (name: string) => name.endsWith(".woff2");

let server: ApiServer;
/** `gzip`: bytes for a browser without TLS. */
interface Entry extends PackEntry {
  readonly gzip: number;
}
let entries: Entry[];
let text: (name: string) => Promise<string>;

beforeAll(async () => {
  await buildDashboard();
  const bytes = await Bun.file(PACK).bytes();
  let at = bytes.indexOf(10) + 1;
  const index: PackEntry[] = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at)));
  entries = index.map((entry) => {
    at += entry.brotli;
    const plain = brotliDecompressSync(bytes.subarray(at - entry.brotli, at));
    return { ...entry, gzip: gzipSync(plain).length };
  });
  server = await startApiServer({ directory: tempDir() });
  text = async (name) => await (await fetch(`${server.base}/app/assets/${name}`)).text();
}, 60_000);
afterAll(() => server.stop());

/** The chunks with catalogues. A reader loads only the one of their language. */
async function catalogueChunks(): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  for (const [language, catalogue] of Object.entries(CATALOGUES)) {
    const mark = catalogue["home.lead"];
    for (const entry of entries)
      if (entry.name.endsWith(".js") && (await text(entry.name)).includes(mark))
        found.set(language, entry);
  }
  return found;
}

test("the whole dashboard with all pages in one language is at most 280 KB gzipped", async () => {
  const chunks = await catalogueChunks();
  expect(new Set([...chunks.values()].map(({ name }) => name)).size).toBe(4);
  const catalogues = [...chunks.values()].map(({ gzip }) => gzip);
  const all = entries.filter(({ name }) => !isFont(name)).reduce((sum, { gzip }) => sum + gzip, 0);
  const oneLanguage =
    all - catalogues.reduce((sum, gzip) => sum + gzip, 0) + Math.max(...catalogues);
  console.info(`dashboard: ${all} bytes gzipped in all, ${oneLanguage} in one language`);
  expect(oneLanguage).toBeLessThanOrEqual(GZIP_BYTES_MAX);
});

test("the fonts are at most 60 KB, cacheable forever, and have the letters of the four languages", async () => {
  const fonts = entries.filter(({ name }) => isFont(name));
  expect(fonts.map(({ name }) => name.replace(/-\w{8}\.woff2$/, ""))).toEqual([
    ...["inter-cyrillic", "inter-latin", "inter-latin-ext"],
  ]);
  expect(fonts.reduce((sum, { plain }) => sum + plain, 0)).toBeLessThanOrEqual(FONT_BYTES_MAX);
  const style = await text(entries.find(({ name }) => name.endsWith(".css"))?.name ?? "");
  const page = await (await fetch(`${server.base}/app/`)).text();
  for (const { name } of fonts) {
    const { status, headers } = await fetch(`${server.base}/app/assets/${name}`);
    expect([status, headers.get("content-type")]).toEqual([200, "font/woff2"]);
    expect(headers.get("cache-control")).toContain("immutable");
    expect(style).toContain(`url(/app/assets/${name})`);
    expect(page.includes(name)).toBe(!name.includes("cyrillic"));
  }
  const ranges = [...style.matchAll(/U\+([0-9a-f]+)(?:-([0-9a-f]+))?/gi)].map(
    ([, first = "", last = first]) => [Number.parseInt(first, 16), Number.parseInt(last, 16)],
  );
  const letters = new Set(
    Object.values(CATALOGUES).flatMap((one) => Object.values(one).join("").replaceAll("\n", "")),
  );
  const missing = [...letters].filter((letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return !ranges.some(([first = 0, last = 0]) => code >= first && code <= last);
  });
  expect(missing).toEqual([]);
});

test("the code for the first render is a fraction of the app, and pages are loaded when they are visited", async () => {
  const page = await (await fetch(`${server.base}/app/`)).text();
  const named = [...page.matchAll(/\/app\/assets\/([^"]+)"/g)].map((match) => match[1]);
  const first = entries.filter(({ name }) => named.includes(name) && !isFont(name));
  expect(first.reduce((sum, { gzip }) => sum + gzip, 0)).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  expect(entries.length - first.length).toBeGreaterThan(20);
});

test("the page has no inline script and no inline style, and loads nothing from other servers", async () => {
  const response = await fetch(`${server.base}/app/`);
  const page = await response.text();
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\son\w+=/);
  expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "")).toSatisfy(
    (addresses: string[]) => addresses.every((address) => address.startsWith("/app/assets/")),
  );
  expect(response.headers.get("content-security-policy")).toBe(
    "default-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self' blob:; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  );
  expect(response.headers.get("cache-control")).toBe("no-cache");
});

test("files are cacheable forever by their hash, and compressed for clients that accept it", async () => {
  const { name, brotli, gzip, plain } = entries.find((entry) => entry.name.endsWith(".css")) ?? {
    name: "",
    brotli: 0,
    gzip: 0,
    plain: 0,
  };
  const lengthWith = async (encoding: string) => {
    const response = await fetch(`${server.base}/app/assets/${name}`, {
      headers: { "accept-encoding": encoding },
      decompress: false,
    });
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    return (await response.arrayBuffer()).byteLength;
  };
  expect(await lengthWith("gzip, br")).toBe(brotli);
  expect(await lengthWith("gzip")).toBe(gzip);
  expect(await lengthWith("identity")).toBe(plain);
});

test("a browser is redirected to the app, deep URLs return the page, and an unknown file returns 404", async () => {
  const html = { headers: { accept: "text/html" }, redirect: "manual" } as const;
  const root = await fetch(`${server.base}/`, html);
  expect([root.status, root.headers.get("location")]).toEqual([302, "/app/"]);
  const bare = await fetch(`${server.base}/app`, html);
  expect([bare.status, bare.headers.get("location")]).toEqual([302, "/app/"]);
  expect((await fetch(`${server.base}/app/calls/1234?tab=cost`, html)).status).toBe(200);
  expect((await fetch(`${server.base}/app/assets/nothing.js`)).status).toBe(404);
  expect((await fetch(`${server.base}/`)).status).toBe(404);
});

const placeholders = (message: string) => [...message.matchAll(/\{\w+\}|#/g)].map(String).sort();

test("every language has every text, with the same placeholders", () => {
  for (const catalogue of Object.values(CATALOGUES)) {
    expect(Object.keys(catalogue)).toEqual(Object.keys(en));
    for (const [key, message] of Object.entries(catalogue)) {
      const original = en[key as keyof typeof en];
      expect({ key, text: message.trim() !== "" }).toEqual({ key, text: true });
      expect({ key, blanks: new Set(placeholders(message)) }).toEqual({
        key,
        blanks: new Set(placeholders(original)),
      });
    }
  }
});

test("a counted text has a form for every plural category of its language", () => {
  for (const [language, catalogue] of Object.entries(CATALOGUES)) {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, message] of Object.entries(catalogue)) {
      if (!/^\w+=/.test(en[key as keyof typeof en])) continue;
      const forms = message.split(";").map((form) => form.slice(0, form.indexOf("=")));
      expect({ language, key, forms: forms.sort() }).toEqual({
        language,
        key,
        forms: [...categories].sort(),
      });
    }
  }
});
