/** Documents for tests: a PDF with text at given positions, and a Word file from XML. */
import { type Zippable, zipSync } from "fflate";
import { type DocumentReader, documentRefused } from "../../src/features/knowledge/documents.ts";
import { DocumentError } from "../../src/features/knowledge/reader/document-error.ts";
import { readDocument } from "../../src/features/knowledge/reader/read-document.ts";

/** The document reader without its thread. */
export const readDocumentHere: DocumentReader["read"] = (_tenantId, bytes, hint) =>
  readDocument(bytes, hint).catch((error) => {
    throw error instanceof DocumentError ? documentRefused(error.problem) : error;
  });

interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
}

/**
 * The smallest PDF that readers accept: Helvetica, one content stream per page. `encrypted`: needs
 * a password.
 */
export function pdfOf(
  pages: readonly (readonly PlacedText[])[],
  { encrypted = false } = {},
): Uint8Array<ArrayBuffer> {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  for (const [at, texts] of pages.entries()) {
    const shown = texts.map(({ text, x, y, size = 12 }) => {
      const escaped = text.replace(/[\\()]/g, "\\$&");
      return `BT /F1 ${size} Tf ${x} ${y} Td (${escaped}) Tj ET`;
    });
    const stream = shown.join("\n");
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    );
  }
  const key = "00".repeat(32);
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00><00>]`;
  return pdfObjects(objects, encrypted ? lock : "");
}

/** A PDF of these objects; the first one is its root. One byte per character. */
export function pdfObjects(objects: readonly string[], trailer = ""): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  file += `trailer << /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\n`;
  return Uint8Array.from(Buffer.from(`${file}startxref\n${table}\n%%EOF\n`, "latin1"));
}

/** Places lines below each other. */
export const pdfPage = (lines: readonly string[], top = 780): PlacedText[] =>
  lines.map((text, at) => ({ text, x: 72, y: top - 14 * at }));

const SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const documentXml = (body: string) =>
  `<?xml version="1.0"?><w:document ${SPACE}><w:body>${body}</w:body></w:document>`;
const stylesXml = (styles: string) => `<w:styles ${SPACE}>${styles}</w:styles>`;

/** `body`: content of `w:body`. */
export function docxOf(body: string, styles = ""): Uint8Array<ArrayBuffer> {
  const parts: Zippable = {
    "[Content_Types].xml": bytesOf("<Types/>"),
    "word/document.xml": bytesOf(documentXml(body)),
    "word/styles.xml": bytesOf(stylesXml(styles)),
  };
  return Uint8Array.from(zipSync(parts));
}

/** Size in bytes of the document's uncompressed parts. */
export const insideDocx = (body: string): number =>
  bytesOf(documentXml(body)).length + bytesOf(stylesXml("")).length;

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(new TextEncoder().encode(text));
