/** Documents become Markdown, and unreadable ones report why. */
import { expect, test } from "bun:test";
import type { DocumentProblem } from "../../../../src/features/knowledge/documents.ts";
import { readDocx } from "../../../../src/features/knowledge/reader/docx.ts";
import { readPdf } from "../../../../src/features/knowledge/reader/pdf.ts";
import { readDocument } from "../../../../src/features/knowledge/reader/read-document.ts";
import { bytesOf, docxOf, insideDocx, pdfOf, pdfPage } from "../../../support/documents.ts";

const read = (bytes: Uint8Array<ArrayBuffer>, filename = "") =>
  readDocument(bytes, { filename, contentType: "" });
const html = async (text: string) => (await read(bytesOf(text), "a.html")).markdown;

async function refused(reading: Promise<unknown>): Promise<DocumentProblem | null> {
  return reading.then(
    () => null,
    (error) => error.problem,
  );
}

const PROSE = "We are open from nine to five on weekdays and from ten to two on Saturdays.";

test("a PDF keeps headings, paragraphs and tables", async () => {
  const row = (y: number, cells: readonly string[]) =>
    cells.map((text, at) => ({ text, x: 72 + 150 * at, y }));
  const page = [
    { text: "Smile clinic", x: 72, y: 800, size: 24 },
    { text: "We are open from nine to five on week-", x: 72, y: 760 },
    { text: "days, and closed on Sundays.", x: 72, y: 746 },
    { text: "Come early.", x: 72, y: 710 },
    { text: "Prices", x: 72, y: 670, size: 16 },
    ...row(640, ["Service", "Price", "Minutes"]),
    ...row(624, ["Check-up", "40 EUR", "30"]),
    ...row(608, ["Whitening | home", "90 EUR", "60"]),
  ];
  const { title, markdown, emptyPages } = await read(pdfOf([page]));
  expect({ title, emptyPages }).toEqual({ title: "Smile clinic", emptyPages: 0 });
  expect(markdown.split("\n\n")).toEqual([
    "# Smile clinic",
    "We are open from nine to five on weekdays, and closed on Sundays.",
    "Come early.",
    "## Prices",
    "| Service | Price | Minutes |\n| --- | --- | --- |\n| Check-up | 40 EUR | 30 |\n| Whitening \\| home | 90 EUR | 60 |",
  ]);
});

test("a table stored column by column gets its rows", async () => {
  const column = (x: number, cells: readonly string[]) =>
    cells.map((text, at) => ({ text, x, y: 700 - 16 * at }));
  const page = [...column(72, ["Service", "Check-up"]), ...column(300, ["Price", "40 EUR"])];
  const { markdown } = await read(pdfOf([[{ text: PROSE, x: 72, y: 760 }, ...page]]));
  expect(markdown).toContain("| Service | Price |\n| --- | --- |\n| Check-up | 40 EUR |");
});

test("repeated lines at the edges of pages are dropped, and pages without text are counted", async () => {
  const pages = ["A", "B", "C", "D"].map((part, at) => [
    { text: "Smile clinic, price list", x: 72, y: 820 },
    ...pdfPage([`Part ${part}. ${PROSE}`]),
    { text: `Page ${at + 1} of 4`, x: 280, y: 30 },
  ]);
  const { markdown, emptyPages } = await read(pdfOf(pages));
  expect(markdown).not.toContain("price list");
  expect(markdown).not.toContain("of 4");
  expect(markdown).toContain("Part D.");
  expect(emptyPages).toBe(0);
  expect((await read(pdfOf([pdfPage([PROSE]), []]))).emptyPages).toBe(1);
});

test("pages of a PDF are limited: at the limit, and one above", async () => {
  const pages = (count: number) => pdfOf(Array.from({ length: count }, () => pdfPage([PROSE])));
  const limits = { pagesMax: 3, charactersMax: 1_000 };
  expect((await readPdf(pages(2), limits)).pages).toBe(2);
  expect((await readPdf(pages(3), limits)).pages).toBe(3);
  expect(await refused(readPdf(pages(4), limits))).toBe("too_many_pages");
  const tight = { pagesMax: 3, charactersMax: PROSE.length };
  expect((await readPdf(pages(1), tight)).pages).toBe(1);
  expect(await refused(readPdf(pages(2), tight))).toBe("too_long");
});

test("a Word file keeps headings by style, lists and tables, and drops deleted text", async () => {
  const p = (text: string, properties = "") =>
    `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
  const cell = (text: string) => `<w:tc>${p(text)}</w:tc>`;
  const body = [
    p("Smile clinic", '<w:pStyle w:val="Own"/>'),
    p("Prices &amp; times", '<w:pStyle w:val="Heading2"/>'),
    `<w:p><w:r><w:t>Open from </w:t></w:r><w:del><w:r><w:delText>eight</w:delText></w:r></w:del><w:r><w:t>nine.</w:t><w:br/><w:t>Closed on Sunday.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>`,
    p("Come early", '<w:numPr><w:numId w:val="1"/></w:numPr>'),
    p("Bring a card", '<w:numPr><w:numId w:val="1"/></w:numPr>'),
    `<w:tbl><w:tr>${cell("Service")}${cell("Price")}</w:tr><w:tr>${cell("Check-up")}<w:tc>${p("40")}${p("EUR")}</w:tc></w:tr></w:tbl>`,
  ].join("");
  const styles =
    '<w:style w:styleId="Base"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Own"><w:name w:val="Ours"/><w:basedOn w:val="Base"/></w:style>';
  const { title, markdown } = await read(docxOf(body, styles));
  expect(title).toBe("Smile clinic");
  expect(markdown.split("\n\n")).toEqual([
    "# Smile clinic",
    "## Prices & times",
    "Open from nine.\nClosed on Sunday.",
    "- Come early\n- Bring a card",
    "| Service | Price |\n| --- | --- |\n| Check-up | 40 EUR |",
  ]);
});

test("a Word file is read up to a size: at the limit, and one byte above", () => {
  const body = `<w:p><w:r><w:t>${"a ".repeat(2_000_000)}</w:t></w:r></w:p>`;
  const packed = docxOf(body);
  expect(packed.length).toBeLessThan(20_000);
  const inside = insideDocx(body);
  expect(readDocx(packed, inside).markdown.length).toBeGreaterThan(3_000_000);
  expect(() => readDocx(packed, inside - 1)).toThrow("swells");
});

test("an HTML page keeps its text; scripts, hidden parts and navigation are dropped", async () => {
  const page = await read(
    bytesOf(`<!DOCTYPE html><html><head><meta charset="utf-8"><title>Smile &amp; co</title>
      <script>document.write("EVIL")</script><style>p{}</style></head><body onload="evil()">
      <nav><a href="/prices">Prices</a></nav><h1>Kainos</h1>
      <p>Open <b>nine</b>&nbsp;to five.<br>Closed on Sunday.<p hidden>hidden<p style="display: none">none
      <ul><li>One<li>Two</ul><form><button>Send</button></form><noscript>no script</noscript>
      <table><tr><th>Service<th>Price<tr><td>Check|up<td>40 EUR</table>
      <svg><script>EVIL</script></svg><template>EVIL</template><a href="b.html" rel="nofollow">b</a></body>`),
  );
  expect(page.title).toBe("Smile & co");
  expect(page.links).toEqual(["/prices"]);
  expect(page.markdown).toBe(
    [
      "# Kainos",
      "Open nine to five.\nClosed on Sunday.",
      "- One\n- Two",
      "| Service | Price |\n| --- | --- |\n| Check\\|up | 40 EUR |",
      "b",
    ].join("\n\n"),
  );
});

test("of an HTML page only the main part is used if there is one, and it may be nested deeply", async () => {
  expect(await html("<div>menu</div><main><p>What matters</p></main><div>footer</div>")).toBe(
    "What matters",
  );
  const deep = 20_000;
  expect(await html(`<html>${"<div>".repeat(deep)}deep${"</div>".repeat(deep)}`)).toBe("deep");
});

test("a page is decoded in its declared encoding", async () => {
  const windows = Uint8Array.from([...bytesOf('<meta charset="windows-1257"><p>'), 0xd0, 0xeb]);
  expect((await read(windows, "a.html")).markdown).toBe("Šė");
  const robots = await read(bytesOf('<meta name="robots" content="noindex, nofollow">x'), "a.html");
  expect([robots.listed, robots.follows]).toEqual([false, false]);
});

test("an unreadable document reports why", async () => {
  const scanned = pdfOf([[], []]);
  expect(await refused(read(scanned))).toBe("no_text");
  expect(await refused(read(pdfOf([pdfPage([PROSE])], { encrypted: true })))).toBe("encrypted");
  expect(await refused(read(bytesOf("%PDF-1.7 and then nothing")))).toBe("broken");
  expect(await refused(read(docxOf("<w:p/>").slice(0, 200)))).toBe("broken");
  expect(await refused(read(docxOf("<w:p/>")))).toBe("empty");
  expect(await refused(read(bytesOf("<html><script>1</script></html>")))).toBe("empty");
  expect(await refused(read(Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0])))).toBe("old_word");
  expect(await refused(read(bytesOf("plain text"), "a.pages"))).toBe("unsupported");
  expect(await refused(read(bytesOf("")))).toBe("empty");
});

test.each([
  ["<footer>", "</footer>"],
  ['<div role="contentinfo">', "</div>"],
  ['<div id="footer">', "</div>"],
  ['<section class="dark site-footer">', "</section>"],
])("text in %s is the page's footer, next to its main part or without one", async (from, to) => {
  const foot = `${from}<nav>menu</nav><h4>Hours</h4><address>9–17<br>Garden Street</address>${to}`;
  for (const body of ["<main><p>Text</p></main>", "<p>Text</p>"])
    for (const page of [`${body}${foot}`, `${foot}${body}`, `<div>${foot}</div>${body}`]) {
      const { markdown, footer } = await read(bytesOf(`<html>${page}`), "a.html");
      expect([markdown, footer]).toEqual(["Text", "#### Hours\n\n9–17\nGarden Street"]);
    }
});

test("the footer of an article, of a card and of a hidden part is not the page's", async () => {
  const { markdown, footer } = await read(
    bytesOf(
      '<html><article><p>Text</p><footer>by us</footer></article><div class="card-footer">Card</div><div hidden><footer>no</footer></div><p>End',
    ),
    "a.html",
  );
  expect([markdown, footer]).toEqual(["Text\n\nCard\n\nEnd", ""]);
});

test("a page with text only in its footer is not empty", async () => {
  expect((await read(bytesOf("<html><footer>9–17</footer>"), "a.html")).footer).toBe("9–17");
});
