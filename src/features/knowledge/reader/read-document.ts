/**
 * Reads a document of any supported kind. Its first bytes determine the kind; its name counts only
 * if they don't.
 */
import { decodeText } from "../../../core/text-encoding.ts";
import { type DocumentHint, type ReadDocument, SITEMAP_TYPE } from "../documents.ts";
import { DocumentError } from "./document-error.ts";
import { readDocx } from "./docx.ts";
import { decodeHtml, readHtml } from "./html.ts";
import { readPdf } from "./pdf.ts";
import { readSitemap } from "./sitemap.ts";

const NOTHING_MORE = {
  title: "",
  markdown: "",
  footer: "",
  emptyPages: 0,
  links: [],
  sitemaps: [],
  base: null,
  listed: true,
  follows: true,
};

/** Throws DocumentError. */
export async function readDocument(
  bytes: Uint8Array<ArrayBuffer>,
  hint: DocumentHint,
): Promise<ReadDocument> {
  const document = await read(bytes, hint);
  const isSitemap = hint.contentType === SITEMAP_TYPE;
  const text = document.markdown + document.footer;
  if (text.trim() === "" && document.links.length === 0 && !isSitemap)
    throw new DocumentError("empty");
  return document;
}

async function read(bytes: Uint8Array<ArrayBuffer>, hint: DocumentHint): Promise<ReadDocument> {
  if (hint.contentType === SITEMAP_TYPE)
    return { ...NOTHING_MORE, ...readSitemap(decodeText(bytes)) };
  const beginning = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  if (beginning.includes("%PDF-")) return { ...NOTHING_MORE, ...(await readPdf(bytes)) };
  if (beginning.startsWith("PK\x03\x04")) return { ...NOTHING_MORE, ...readDocx(bytes) };
  if (beginning.startsWith("\xd0\xcf\x11\xe0")) throw new DocumentError("old_word");
  if (bytes.length === 0) throw new DocumentError("empty");
  if (!isHtml(beginning, hint)) throw new DocumentError("unsupported");
  const html = decodeHtml(bytes, hint.contentType);
  // A picture or a program, whatever type the server states.
  if (html.includes("\0")) throw new DocumentError("unsupported");
  return { ...NOTHING_MORE, ...readHtml(html) };
}

function isHtml(beginning: string, { filename, contentType }: DocumentHint): boolean {
  if (/^(text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return true;
  if (contentType !== "") return false;
  const isMarked = /^[\s\xef\xbb\xbf]*<(?:!doctype\s+html|html|\?xml|!--)/i.test(beginning);
  return isMarked || /\.x?html?$/i.test(filename);
}
