/** Limits of reading a site, and which addresses belong to it (docs/knowledge.md), with plain-text pages. */
import { expect, test } from "bun:test";
import { type DocumentHint, SITEMAP_TYPE } from "../../../src/features/knowledge/documents.ts";
import { readSite, type SiteReading } from "../../../src/features/knowledge/site-crawl.ts";
import { readDocumentHere } from "../../support/documents.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const START = "https://shop.example/help/";
const MB = 1024 * 1024;

type Answer = string | { readonly status: number; readonly to?: string; readonly bytes?: number };

/** A page is its title, then its links; the sitemaps are real XML. */
function site(answers: Readonly<Record<string, Answer>>, start = START) {
  const asked: string[] = [];
  const clock = fakeClock();
  const contentTypes: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    const answer = answers[url] ?? { status: 404 };
    const text = typeof answer === "string" ? answer : "";
    const { status, to, bytes = 0 } = typeof answer === "string" ? { status: 200 } : answer;
    const headers = { location: to, "content-type": bytes > 0 ? "image/png" : undefined };
    return { status, headers, body: bytes > 0 ? new Uint8Array(bytes) : Buffer.from(text) };
  };
  const reader = {
    async read(tenantId: number, bytes: Uint8Array<ArrayBuffer>, hint: DocumentHint) {
      const { contentType } = hint;
      if (contentType === SITEMAP_TYPE) return await readDocumentHere(tenantId, bytes, hint);
      contentTypes.push(contentType);
      const [title = "", ...links] = new TextDecoder().decode(bytes).split(" ");
      const rest = {
        footer: "",
        emptyPages: 0,
        base: null,
        sitemaps: [],
        listed: true,
        follows: true,
      };
      return { title, markdown: title, links, ...rest };
    },
  };
  const read = (bounds = {}, signal?: AbortSignal, onFetch = (_: FakeClock, __: string) => {}) =>
    readSite(
      start,
      { depthMax: 3, pagesMax: 50, ...bounds },
      {
        tenantId: 1,
        reader,
        clock,
        ...(signal ? { signal } : {}),
        fetch(url) {
          onFetch(clock, url);
          return fetch(url);
        },
      },
    );
  return { asked, contentTypes, read };
}
const titles = ({ pages }: { readonly pages: readonly { readonly title: string }[] }) =>
  pages.map(({ title }) => title).join(" ");
const isCut = ({ problems }: Pick<SiteReading, "problems">) =>
  problems.some(({ reason }) => reason === "site_cut");

test.each([
  [5, "Start Page", []],
  [6, "Start", ["site_redirects"]],
])("%d redirects in a row lead to %p", async (count, read, problems) => {
  const answers: Record<string, Answer> = { [START]: "Start 1", [`${START}${count + 1}`]: "Page" };
  for (let at = 1; at <= count; at++)
    answers[`${START}${at}`] = { status: 302, to: `${START}${at + 1}` };
  const reading = await site(answers).read();
  expect([titles(reading), reading.problems.map(({ reason }) => reason)]).toEqual([read, problems]);
});

test.each([
  [299, "The server answered 299 instead of the page."],
  [300, null],
  [399, null],
  [400, "The server answered 400 instead of the page."],
])("an answer %d with a Location: %p", async (status, problem) => {
  const answers = { [START]: "Start a", [`${START}a`]: { status, to: "b" }, [`${START}b`]: "B" };
  const reading = await site(answers).read();
  expect([titles(reading), reading.problems[0]?.message ?? null]).toEqual([
    ...[problem === null ? "Start B" : "Start", problem],
  ]);
});

test.each([
  [-1, "Start Next", false],
  [0, "Start", true],
])("after 50 MB and %d bytes, the read pages are %p", async (more, read, cut) => {
  const home = "Start big next";
  const big = { status: 200, bytes: 50 * MB + more - home.length };
  const { read: readAll } = site({ [START]: home, [`${START}big`]: big, [`${START}next`]: "Next" });
  const reading = await readAll({ depthMax: 1 });
  expect([titles(reading), isCut(reading)]).toEqual([read, cut]);
});

test("the bytes of a sitemap count too", async () => {
  const { read } = site({
    [START]: "Start next",
    "https://shop.example/sitemap.xml": { status: 200, bytes: 50 * MB },
    [`${START}next`]: "Next",
  });
  expect(titles(await read())).toBe("Start");
});

test("slow sitemaps share the same ten minutes", async () => {
  const names = Array.from({ length: 10 }, (_, at) => `https://shop.example/map${at}.xml`);
  const { asked, read } = site({
    [START]: "Start next",
    "https://shop.example/robots.txt": names.map((name) => `Sitemap: ${name}`).join("\n"),
  });
  const reading = await read({}, undefined, (clock, url) => {
    if (url.endsWith(".xml")) void clock.advance(4 * 60_000);
  });
  expect(asked.filter((url) => url.endsWith(".xml"))).toEqual(names.slice(0, 3));
  expect([titles(reading), isCut(reading)]).toEqual(["Start", true]);
});

test.each([
  [-1, "Start Next", false],
  [0, "Start", true],
])("after ten minutes and %d ms the read pages are %p", async (more, read, cut) => {
  const { read: readAll } = site({ [START]: "Start next", [`${START}next`]: "Next" });
  const reading = await readAll({ depthMax: 0 + 1 }, undefined, (clock, url) => {
    if (url === START) void clock.advance(10 * 60_000 + more);
  });
  expect([titles(reading), isCut(reading)]).toEqual([read, cut]);
});

test("ten sitemaps are read, each once, of this host only; their pages count as links", async () => {
  const map = (name: string) => `https://shop.example/${name}.xml`;
  const names = Array.from({ length: 12 }, (_, at) => map(`map${at}`));
  const others = [map("sitemap"), "https://other.example/map.xml", "no address", ...names];
  const listed = others.map((url) => `<sitemap><loc> ${url} </loc></sitemap>`).join("");
  const answers: Record<string, Answer> = { [START]: "Start", [map("sitemap")]: listed };
  for (const [at, name] of names.entries()) {
    answers[name] = `<url><loc>${START}p${at}?a=1&amp;b</loc></url><url><loc>nowhere</loc></url>`;
    answers[`${START}p${at}?a=1&b`] = `P${at}`;
  }
  const { read, asked } = site(answers);
  const reading = await read({ depthMax: 1 });
  expect(titles(reading)).toBe("Start P0 P1 P2 P3 P4 P5 P6 P7 P8");
  expect(asked.filter((url) => url.endsWith(".xml"))).toHaveLength(10);
  expect(new Set(asked).size).toBe(asked.length);
});

test("a site of one page has no sitemap", async () => {
  const { read, asked } = site({ [START]: "Start a" });
  await read({ depthMax: 0 });
  expect(asked).toEqual([START]);
});

test.each([
  [19_999, false],
  [20_000, true],
])(
  "%d sitemap addresses plus the start page: cut is %p; 50 failures are reported",
  async (count, cut) => {
    const urls = Array.from({ length: count }, (_, at) => `<url><loc>${START}${at}</loc></url>`);
    const { read, asked } = site({
      [START]: "Start",
      "https://shop.example/sitemap.xml": urls.join(""),
    });
    const reading = await read();
    expect([asked.length, isCut(reading), reading.problems.length]).toEqual([
      ...[20_002, cut, 50 + Number(cut)],
    ]);
  },
);

test.each([
  ["https://shop.example/help/a", true],
  ["https://www.shop.example/help/a", true],
  ["https://shop.example/", false],
  ["https://shop.example:8443/help/a", false],
  ["https://other.example/help/a", false],
  ["http://shop.example/help/a", false],
  ["https://shop.example/help/a.pdf", true],
  ["https://shop.example/help/a.zip", false],
])("%s belongs to the site: %p", async (link, belongs) => {
  const { asked, read } = site({ [START]: `Start ${link}` });
  await read();
  expect(asked.includes(link)).toBe(belongs);
});

test("a site on plain http may link to https", async () => {
  const start = "http://shop.example/help/";
  const { asked, read } = site({ [start]: `Start ${START}a http://shop.example/help/b` }, start);
  await read();
  expect(asked.slice(-2)).toEqual([`${START}a`, `${start}b`]);
});

test("the first page may redirect to another host; pages already read are not read again", async () => {
  const home = "https://www.shop.example/en/help/";
  const { asked, read } = site({
    [START]: { status: 301, to: home },
    [home]: `Start ${START}a`,
    [`${START}a`]: { status: 302, to: "b" },
    [`${START}b`]: "B a",
  });
  expect(titles(await read())).toBe("Start B");
  expect(asked.filter((url) => url === `${START}b`)).toHaveLength(1);
});

test("pages with equal words are one page, and pages without words none", async () => {
  const { read } = site({
    [START]: "Start a b c",
    [`${START}a`]: "Same",
    [`${START}b`]: "Same",
    [`${START}c`]: " d",
    [`${START}d`]: "D",
  });
  expect(titles(await read())).toBe("Start Same D");
});

test("reading a site stops when the appliance stops", async () => {
  const stopping = new AbortController();
  const { asked, read } = site({ [START]: "Start a", [`${START}a`]: "A" });
  const reading = read({}, stopping.signal, (_, url) => {
    if (url === START) stopping.abort();
  });
  await expect(reading).rejects.toThrow("the appliance is stopping");
  expect(asked).not.toContain(`${START}a`);
});

test("a PDF is detected by its content, a page by its Content-Type", async () => {
  const { contentTypes, read } = site({ [START]: "Start" });
  await read();
  expect(contentTypes).toEqual(["text/html"]);
});
