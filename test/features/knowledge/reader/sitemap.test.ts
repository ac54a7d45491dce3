/** The addresses of sitemaps, whatever else they contain. */
import { expect, test } from "bun:test";
import { systemClock } from "../../../../src/core/clock.ts";
import { readSitemap } from "../../../../src/features/knowledge/reader/sitemap.ts";

const url = (address: string) => `<url><loc>${address}</loc></url>`;

test.each([
  [
    "plain",
    url("https://a.example/1") + url("https://a.example/2"),
    ["https://a.example/1", "https://a.example/2"],
  ],
  [
    "with entities and space",
    url(" \n https://a.example/?a=1&amp;b=2 "),
    ["https://a.example/?a=1&b=2"],
  ],
  ["in CDATA", url("<![CDATA[https://a.example/?a&b]]>"), ["https://a.example/?a&b"]],
  [
    "in another order",
    "<url><lastmod>2026</lastmod><loc>https://a.example/</loc></url>",
    ["https://a.example/"],
  ],
  [
    "beside pictures",
    "<url><image:image><image:loc>https://a.example/x.png</image:loc></image:image><loc>https://a.example/</loc></url>",
    ["https://a.example/"],
  ],
  ["cut", `${url("https://a.example/1")}<url><loc>https://a.exa`, ["https://a.example/1"]],
  ["outside of a page", "<loc>https://a.example/</loc>", []],
  ["in a page that is none", "<html><p>Not found", []],
])("%s", (_, xml, links) => {
  expect(readSitemap(`<?xml version="1.0"?><urlset>${xml}</urlset>`).links).toEqual(links);
});

test("an index lists sitemaps", () => {
  const index =
    "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>";
  expect(readSitemap(index)).toEqual({ links: [], sitemaps: ["https://a.example/1.xml"] });
});

test.each([
  ["pages", "url", "links", 20_000],
  ["sitemaps", "sitemap", "sitemaps", 100],
] as const)("%s are limited: below, at and above", (_, tag, list, most) => {
  const count = (n: number) => readSitemap(`<${tag}><loc>/</loc></${tag}>`.repeat(n))[list].length;
  expect([count(most - 1), count(most), count(most + 1)]).toEqual([most - 1, most, most]);
});

test("an address has at most 2,048 characters", () => {
  const links = (length: number) => readSitemap(url("a".repeat(length))).links.length;
  expect([links(2_047), links(2_048), links(2_049)]).toEqual([1, 1, 0]);
});

test("endless space costs only linear time", () => {
  const startedAt = systemClock.monotonic();
  expect(readSitemap(`<url><loc>${" ".repeat(4_000_000)}<x`).links).toEqual([]);
  expect(systemClock.monotonic() - startedAt).toBeLessThan(5_000);
});
