/** Malicious and unusual documents: each is read, or refused with an instruction. */
import { expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { zipSync } from "fflate";
import { MarkdownWriter } from "../../../../src/features/knowledge/reader/markdown.ts";
import { readDocument } from "../../../../src/features/knowledge/reader/read-document.ts";
import { bytesOf, docxOf, pdfObjects, pdfOf, pdfPage } from "../../../support/documents.ts";

const PROSE = "We are open from nine to five on weekdays and from ten to two on Saturdays.";

const said = (bytes: Uint8Array, contentType = "", filename = "") =>
  readDocument(Uint8Array.from(bytes), { filename, contentType }).then(
    ({ markdown }) => markdown,
    (error) => error.problem,
  );

const PAGE = `BT /F1 12 Tf 72 700 Td (${PROSE}) Tj ET`;
const stream = (data: string, more = "") =>
  `<< /Length ${data.length} ${more} >>\nstream\n${data}\nendstream`;
const packed = (text: string) => deflateSync(text).toString("latin1");

/** A PDF of one page; `changes` replaces its parts. */
const pdf = (changes: Readonly<Record<number, string>>, trailer = "") =>
  pdfObjects(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
      stream(PAGE),
    ].map((object, at) => changes[at + 1] ?? object),
    trailer,
  );
const whole = pdfOf([pdfPage([PROSE]), pdfPage([PROSE])]);
const javaScript = "<< /S /JavaScript /JS (while\\(1\\){}) >>";

test.each([
  ["is plain", pdf({}), PROSE],
  [
    "runs a script when opened",
    pdf({ 1: `<< /Type /Catalog /Pages 2 0 R /OpenAction ${javaScript} >>` }),
    PROSE,
  ],
  ["says that it has no pages", pdf({ 2: "<< /Type /Pages /Count -1 /Kids [4 0 R] >>" }), "broken"],
  [
    "says that it has three billion pages",
    pdf({ 2: "<< /Type /Pages /Count 3000000000 /Kids [4 0 R] >>" }),
    PROSE,
  ],
  [
    "has 2,001 pages",
    pdf({ 2: `<< /Type /Pages /Count 2001 /Kids [${"4 0 R ".repeat(2_001)}] >>` }),
    "too_many_pages",
  ],
  [
    "has pages that are their own parents",
    pdf({ 2: "<< /Type /Pages /Count 5 /Kids [2 0 R 2 0 R] >>" }),
    "broken",
  ],
  ["was cut in its middle", whole.slice(0, whole.length / 2), "broken"],
  ["was cut before its end", whole.slice(0, -60), "broken"],
  [
    "is locked by a certificate",
    pdf({}, "/Encrypt << /Filter /Adobe.PubSec /V 4 >> /ID [<00><00>]"),
    "encrypted",
  ],
  ["is packed", pdf({ 5: stream(packed(PAGE), "/Filter /FlateDecode") }), PROSE],
  [
    "nests a million brackets",
    pdf({ 1: `<< /Type /Catalog /Pages 2 0 R /Foo ${"[".repeat(1e6)} >>` }),
    "broken",
  ],
  ["is a picture", pdf({ 5: stream("q 1 0 0 1 0 0 cm /Im0 Do Q") }), "no_text"],
])("a PDF that %s", async (_, bytes, expected) => {
  expect(await said(bytes)).toBe(expected);
});

test("a PDF whose pages all have the same text keeps it", async () => {
  const same = pdfPage([PROSE]);
  expect(await said(pdfOf([same, same, same, same]))).toContain(PROSE);
});

const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const zip = (parts: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, bytesOf(text)])));
const xml = (body: string, before = "") =>
  `<?xml version="1.0"?>${before}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
const entities = Array.from(
  { length: 9 },
  (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`,
);
const laughs = `<!DOCTYPE d [<!ENTITY a0 "lol">${entities.join("")}]>`;

/** States a wrong size, in both places. */
function lying(bytes: Uint8Array, size: number): Uint8Array {
  const lie = Uint8Array.from(bytes);
  const view = new DataView(lie.buffer);
  const central = Buffer.from(lie).lastIndexOf("PK\x01\x02");
  view.setUint32(22, size, true);
  view.setUint32(central + 24, size, true);
  return lie;
}

test.each([
  [
    "names a file of the host",
    zip({
      "word/document.xml": xml(
        p("A &x; B"),
        '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      ),
    }),
    "A &x; B",
  ],
  ["multiplies its entities", zip({ "word/document.xml": xml(p("&a9;"), laughs) }), "&a9;"],
  [
    "has names that lead elsewhere",
    zip({
      "../../etc/x": "x",
      "/etc/y": "y",
      "word/../word/document.xml": "z",
      "word/document.xml": xml(p("Nine")),
    }),
    "Nine",
  ],
  ["is a table of another program", zip({ "xl/workbook.xml": "<x/>" }), "unsupported"],
  ["is by Word on the web", zip({ "word/document2.xml": xml(p("Nine")) }), "Nine"],
  ["swells to 65 MB", zip({ "word/document.xml": " ".repeat(65 * 1024 * 1024) }), "swells"],
  [
    "is larger than it says",
    lying(zip({ "word/document.xml": xml(p("word ".repeat(1_000))) }), 400),
    "broken",
  ],
  ["ends too early", zip({ "word/document.xml": xml(p("Nine")).slice(0, -20) }), "broken"],
  [
    "nests deeply",
    zip({
      "word/document.xml": xml(`${"<w:p>".repeat(10_000)}${p("Nine")}${"</w:p>".repeat(10_000)}`),
    }),
    "Nine",
  ],
  [
    "is in UTF-16",
    zipSync({ "word/document.xml": Buffer.from(`\ufeff${xml(p("Žąsys"))}`, "utf16le") }),
    "Žąsys",
  ],
])("a Word file that %s", async (_, bytes, expected) => {
  expect(await said(bytes)).toBe(expected);
});

const cell = (text: string, properties = "") =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${p(text)}</w:tc>`;
const wordTable = [
  `<w:tr>${cell("Service")}${cell("Price")}${cell("Time")}</w:tr>`,
  `<w:tr>${cell("Whitening", '<w:vMerge w:val="restart"/>')}${cell("90 EUR")}${cell("1 h")}</w:tr>`,
  `<w:tr>${cell("", "<w:vMerge/>")}${cell("120 EUR")}${cell("2 h")}</w:tr>`,
  `<w:tr>${cell("Children: free", '<w:gridSpan w:val="2"/>')}${cell("1 h")}</w:tr>`,
].join("");
const htmlTable = `<tr><th>Service<th>Price<th>Time
  <tr><td rowspan=2>Whitening<td>90 EUR<td>1 h<tr><td>120 EUR<td>2 h
  <tr><td colspan=2>Children: free<td>1 h`;

test("cells that span rows or columns leave a table readable", async () => {
  const table = [
    "| Service | Price | Time |",
    "| --- | --- | --- |",
    "| Whitening | 90 EUR | 1 h |",
    "| Whitening | 120 EUR | 2 h |",
    "| Children: free |  | 1 h |",
  ].join("\n");
  expect(await said(docxOf(`<w:tbl>${wordTable}</w:tbl>`))).toBe(table);
  expect(await said(bytesOf(`<html><table>${htmlTable}</table>`))).toBe(table);
});

test("a long cell that spans rows is written once", async () => {
  const rows = (text: string) =>
    `<html><table><tr><td rowspan=3>${text}<td>1<tr><td>2<tr><td>3</table>`;
  const count = async (length: number) =>
    (await said(bytesOf(rows("a".repeat(length))))).split("a".repeat(length)).length - 1;
  expect([await count(199), await count(200), await count(201)]).toEqual([3, 3, 1]);
});

test.each([
  ["text", 999, (writer: MarkdownWriter) => writer.text("a".repeat(998))],
  [
    "cells, spanned ones too",
    303,
    (writer: MarkdownWriter) => {
      writer.startTable();
      for (let row = 0; row < 2; row++) {
        writer.startRow();
        writer.startCell(50);
        writer.text("a");
      }
      writer.endTable();
    },
  ],
])("written text is limited, %s: below, at and above", (_, most, write) => {
  const isTooLong = (limit: number) => {
    const writer = new MarkdownWriter(limit);
    try {
      write(writer);
      writer.text("b");
      writer.toString();
      return false;
    } catch (error) {
      expect(String(error)).toContain("too_long");
      return true;
    }
  };
  expect([isTooLong(most + 1), isTooLong(most), isTooLong(most - 1)]).toEqual([false, false, true]);
});

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82]);

test.each([
  [
    "a form around all of it",
    "<html><form><h1>Clinic</h1><label>Name</label><input><p>Nine</p><button>Send</button></form>",
    "# Clinic\n\nNine",
  ],
  [
    "a preview that it does not want",
    '<html><meta name="robots" content="index, max-image-preview:none"><p>Nine',
    "Nine",
  ],
  ["a script that never ends", `<html><p>Nine</p><script>${"</scrip".repeat(10_000)}`, "Nine"],
  ["a comment that never ends", `<html><p>Nine</p><!--${"-".repeat(1e6)}`, "Nine"],
  ["20,000 open elements", `<html>${"<b><i>".repeat(10_000)}Nine`, "Nine"],
])("a page with %s", async (_, html, expected) => {
  expect(await said(bytesOf(html), "text/html")).toBe(expected);
});

test.each([
  ["a picture, said to be a page", PNG, "text/html; charset=utf-8", "unsupported"],
  ["a PDF, said to be a page", pdf({}), "text/html", PROSE],
  ["a page, said to be a PDF", bytesOf("<!DOCTYPE html><p>Nine"), "", "Nine"],
  [
    "a program, said to be a page",
    bytesOf("MZ\u0000\u0001\u0002 program"),
    "text/html",
    "unsupported",
  ],
  ["UTF-16 with its mark", Buffer.from("\ufeff<html><p>Šiauliai", "utf16le"), "", "Šiauliai"],
  [
    "UTF-16, said to be UTF-8",
    Buffer.from("<html><p>Nine o'clock", "utf16le"),
    "text/html; charset=utf-8",
    "Nine o'clock",
  ],
])("%s", async (_, bytes, contentType, expected) => {
  expect(await said(bytes, contentType, contentType === "" ? "a.html" : "")).toBe(expected);
});

test("a table of 200,000 rows is read, and one with endless cells is refused", async () => {
  const rows = await said(bytesOf(`<html><table>${"<tr><td>a<td>b".repeat(200_000)}</table>`));
  expect(rows.split("\n")).toHaveLength(200_001);
  const cell = `<tr><td rowspan=1000 colspan=50>${"x".repeat(200)}`;
  expect(await said(bytesOf(`<html><table>${cell.repeat(30_000)}</table>`))).toBe("too_long");
});

test("of an endless footer 4,000 characters leave the reading thread", async () => {
  const { footer } = await readDocument(bytesOf(`<html><footer>${"ab ".repeat(500_000)}`), {
    filename: "",
    contentType: "text/html",
  });
  expect(footer).toHaveLength(3_998);
});
