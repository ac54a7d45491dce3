/** A site is read within its limits, whatever its links and redirects. */
import { expect, test } from "bun:test";
import { readSite } from "../../../src/features/knowledge/site-crawl.ts";
import { bytesOf, readDocumentHere } from "../../support/documents.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type Answer = string | { readonly to: string } | { readonly status: number };
const START = "https://shop.example/help/";

function siteOf(answers: Readonly<Record<string, Answer>>) {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    const answer = answers[url] ?? { status: 404 };
    const body = new Uint8Array();
    if (typeof answer === "string") {
      const type = url.endsWith(".xml") ? "application/xml" : "text/html; charset=utf-8";
      return { status: 200, headers: { "content-type": type }, body: bytesOf(answer) };
    }
    if ("to" in answer) return { status: 302, headers: { location: answer.to }, body };
    return { status: answer.status, headers: {}, body };
  };
  const read = (bounds = {}, known: readonly string[] = []) =>
    readSite(
      START,
      { depthMax: 3, pagesMax: 50, ...bounds },
      { tenantId: 1, fetch, reader: { read: readDocumentHere }, clock: fakeClock(), known },
    );
  return { asked, read };
}

const page = (text: string, ...links: string[]) =>
  `<html><title>${text}</title><p>${text}</p>${links.map((link) => `<a href="${link}">x</a>`).join("")}</html>`;
const titles = ({ pages }: { pages: readonly { title: string }[] }) =>
  pages.map(({ title }) => title).sort();

test("links and the sitemap are followed on the host and below the folder, each page once", async () => {
  const { asked, read } = siteOf({
    [START]: page(
      "Start",
      "a",
      "./a#top",
      "/shop",
      "https://other.example/help/x",
      "pic.jpg",
      "mailto:x@y",
    ),
    [`${START}a`]: page("A", START, "b"),
    [`${START}b`]: page("B", "a"),
    "https://shop.example/sitemap.xml": `<urlset><url><loc>${START}c</loc></url><url><loc>https://evil.example/help/</loc></url></urlset>`,
    [`${START}c`]: page("C"),
  });
  expect(titles(await read())).toEqual(["A", "B", "C", "Start"]);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.every((url) => url.startsWith("https://shop.example/"))).toBeTrue();
});

test("links above 2,048 characters are left out, also after a long base URL", async () => {
  const long = "x".repeat(2_048 - START.length);
  const { asked, read } = siteOf({
    [START]: page("Start", "a", long, `${long}x`, `/${"x".repeat(3_000_000)}`),
    [`${START}a`]: `<base href="${START}${"x".repeat(3_000_000)}/"><p>A</p><a href="b">x</a>`,
    [`${START}b`]: `<base href="${START}${"x".repeat(2_000)}/"><p>B</p><a href="${"x".repeat(50)}">x</a>`,
    [`${START}${long}`]: page("Long"),
  });
  const { pages, problems } = await read();
  expect(pages.map(({ url }) => url)).toEqual([START, `${START}a`, `${START}${long}`, `${START}b`]);
  expect(problems).toEqual([]);
  expect(asked.every(({ length }) => length <= 2_048)).toBeTrue();
});

test("depth is limited: at the limit, below and above", async () => {
  const { read } = siteOf({
    [START]: page("0", "1"),
    [`${START}1`]: page("1", "2"),
    [`${START}2`]: page("2", "3"),
    [`${START}3`]: page("3"),
  });
  expect(titles(await read({ depthMax: 0 }))).toEqual(["0"]);
  expect(titles(await read({ depthMax: 2 }))).toEqual(["0", "1", "2"]);
  expect(titles(await read({ depthMax: 3 }))).toEqual(["0", "1", "2", "3"]);
});

test("the number of pages is limited, and a cut is reported only above it", async () => {
  const { read } = siteOf({
    [START]: page("0", "1", "2"),
    [`${START}1`]: page("1"),
    [`${START}2`]: page("2"),
  });
  const cutAt = async (pagesMax: number) => {
    const { pages, problems } = await read({ pagesMax });
    return [pages.length, problems.map(({ message }) => message)];
  };
  expect(await cutAt(2)).toEqual([
    2,
    ["Only 2 pages were read, because the site exceeds the maximum."],
  ]);
  expect(await cutAt(3)).toEqual([3, []]);
  expect(await cutAt(4)).toEqual([3, []]);
});

test("redirect cycles and links to other sites are skipped, and the rest is read", async () => {
  const { read } = siteOf({
    [START]: page("Start", "loop", "away", "moved", "gone"),
    [`${START}loop`]: { to: "loop2" },
    [`${START}loop2`]: { to: "loop" },
    [`${START}away`]: { to: "http://169.254.169.254/latest/meta-data" },
    [`${START}moved`]: { to: "new" },
    [`${START}new`]: page("New"),
  });
  const { problems, ...reading } = await read();
  expect(titles(reading)).toEqual(["New", "Start"]);
  expect(problems.map(({ url, reason }) => `${url?.slice(START.length)}: ${reason}`)).toEqual([
    "loop: site_circle",
    "gone: site_gone",
  ]);
});

test("pages with robots meta tags are not listed, or their links not followed", async () => {
  const { read } = siteOf({
    [START]: page("Start", "hidden", "leaf"),
    [`${START}hidden`]: `<html><meta name="robots" content="noindex">${page("Hidden", "behind")}`,
    [`${START}behind`]: page("Behind"),
    [`${START}leaf`]: `<html><meta name="robots" content="nofollow">${page("Leaf", "no")}`,
    [`${START}no`]: page("No"),
  });
  expect(titles(await read())).toEqual(["Behind", "Leaf", "Start"]);
});

test("a footer repeated on every page is kept once; a line of one page's footer stays with that page", async () => {
  const foot = (own: string) =>
    `<footer><p>Open 9–17</p><h3>Where</h3><p>Garden Street 12</p><p>${own}</p></footer>`;
  const { read } = siteOf({
    [START]: page("Start", "a", "b") + foot(""),
    [`${START}a`]: page("A") + foot("Room 3"),
    [`${START}b`]: page("B"),
  });
  const { pages } = await read();
  expect(pages.map(({ markdown }) => markdown)).toEqual([
    "Start\n\nxx\n\n# Start\n\nOpen 9–17\n\n### Where\n\nGarden Street 12",
    "A\n\n# A\n\n### Where\n\nRoom 3",
    "B",
  ]);
});

test("a page without text is no problem if others have text", async () => {
  const { read } = siteOf({ [START]: page("Start", "a"), [`${START}a`]: "<html><img src=a.png>" });
  expect((await read()).problems).toEqual([]);
  const again = await read({}, [`${START}a`]);
  expect([again.unread, again.problems.map(({ reason }) => reason)]).toEqual([
    [`${START}a`],
    ["document_empty"],
  ]);
});

test("a site with an unreadable first page reports why", async () => {
  const { read } = siteOf({});
  expect(read()).rejects.toThrow("There is no such page: the server answered 404.");
});

test.each([
  ["", `${START}a`],
  ['<base href="/help/sub/">', `${START}sub/a`],
  ['<base href="http://[">', `${START}a`],
])("links of a page with %p are relative to it: %s", async (base, link) => {
  const { asked, read } = siteOf({
    [START]: page("Start", "a").replace("<title>", `${base}<title>`),
  });
  await read();
  expect(asked).toContain(link);
});

const ROBOTS = "https://shop.example/robots.txt";
const MAP = "https://shop.example/sitemap.xml";
const map = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>${START}${path}</loc></url>`).join("")}</urlset>`;

test("addresses forbidden by robots.txt are not requested; its sitemaps are read", async () => {
  const { asked, read } = siteOf({
    [ROBOTS]:
      "User-agent: *\nDisallow: /help/no\nSitemap: https://shop.example/own.xml\nSitemap: https://evil.example/map.xml",
    [START]: page("Start", "no", "yes"),
    [`${START}yes`]: page("Yes"),
    "https://shop.example/own.xml": map("own", "no/2"),
    [`${START}own`]: page("Own"),
  });
  expect(titles(await read())).toEqual(["Own", "Start", "Yes"]);
  expect(asked.filter((url) => url.includes("/no") || url.includes("evil"))).toEqual([]);
});

test.each([
  [404, "reads"],
  [403, "reads"],
  [500, `${ROBOTS} site_fails 500`],
  [503, `${ROBOTS} site_fails 503`],
])("a robots.txt with status %d: %s", async (status, expected) => {
  const { read } = siteOf({ [ROBOTS]: { status }, [START]: page("Start") });
  const said = await read().then(
    () => "reads",
    ({ problem: { url, reason, params } }) => `${url} ${reason} ${params.status}`,
  );
  expect(said).toEndWith(expected);
});

test("a site whose robots.txt forbids its first page reports what to do", async () => {
  const { read } = siteOf({ [ROBOTS]: "User-agent: *\nDisallow: /", [START]: page("Start") });
  await expect(read()).rejects.toThrow("robots.txt forbids it. Allow the user agent Linevoice");
});

test("a sitemap may be redirected on the host, list itself, and be an index", async () => {
  const index = (...urls: string[]) =>
    `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;
  const { asked, read } = siteOf({
    [START]: page("Start"),
    [MAP]: { to: "/wp-sitemap.xml" },
    "https://shop.example/wp-sitemap.xml": index(MAP, "https://www.shop.example/pages.xml"),
    "https://www.shop.example/pages.xml": map("a"),
    [`${START}a`]: page("A"),
  });
  expect(titles(await read())).toEqual(["A", "Start"]);
  expect(asked.filter((url) => url === MAP)).toHaveLength(1);
});

test("pages that differ only in their query are one page if their text is equal", async () => {
  const { read } = siteOf({
    [START]: page("Start", "a?ref=1", "a?ref=2", "a?id=3"),
    [`${START}a?ref=1`]: page("A"),
    [`${START}a?ref=2`]: page("A"),
    [`${START}a?id=3`]: page("Other"),
  });
  expect(titles(await read())).toEqual(["A", "Other", "Start"]);
});

const KNOWN = ["a", "b", "c"].map((path) => `${START}${path}`);

test.each([
  ["404 is gone", { status: 404 }, []],
  ["410 is gone", { status: 410 }, []],
  ["500 is unread", { status: 500 }, [`${START}a`]],
  ["429 is unread", { status: 429 }, [`${START}a`]],
  ["403 is unread", { status: 403 }, [`${START}a`]],
])("a known page that answers %s", async (_, answer, unread) => {
  const { read } = siteOf({ [START]: page("Start", "a"), [`${START}a`]: answer });
  expect((await read({}, KNOWN.slice(0, 1))).unread).toEqual(unread);
});

test("known pages linked from an unreachable page are requested directly", async () => {
  const { read } = siteOf({
    [START]: page("Start", "a"),
    [`${START}a`]: { status: 503 },
    [`${START}b`]: page("B"),
  });
  const reading = await read({}, KNOWN);
  expect([titles(reading), reading.unread]).toEqual([["B", "Start"], [`${START}a`]]);
});

test.each([
  ["no longer there", { status: 404 }, ["Start"]],
  ["away", { status: 502 }, ["A", "Start"]],
])("if the sitemap is %s, the read pages are %p", async (_, answer, read) => {
  const { read: readAll } = siteOf({
    [START]: page("Start"),
    [MAP]: answer,
    [`${START}a`]: page("A"),
  });
  expect(titles(await readAll({}, KNOWN))).toEqual(read);
});

test("if the first page does not answer, nothing else is requested", async () => {
  const { asked, read } = siteOf({ [START]: { status: 500 } });
  await expect(read({}, KNOWN)).rejects.toThrow(
    "The server answered 500: it is overloaded or out of order.",
  );
  expect(asked).toEqual([ROBOTS, START, MAP]);
});

test.each([
  ["made by scripts alone", `<html><a href="a"></a><script>draw()</script>`],
  ["one without links", "<html><script>draw()</script>"],
  ["not to be listed", `<html><meta name="robots" content="noindex"><p>Start`],
])("a site whose pages are %s is not read, and reports that", async (_, start) => {
  const { read } = siteOf({ [START]: start });
  await expect(read()).rejects.toThrow("No page with text was found.");
});
