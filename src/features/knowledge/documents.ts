/** Port for reading documents that become knowledge, with the error message of each problem. */
import { AppError, invalidField } from "../../core/errors.ts";
import type { FieldReason } from "../../core/message-reasons.ts";

export interface ReadDocument {
  /** Empty if the document has no title. */
  readonly title: string;
  readonly markdown: string;
  /** Footer of a web page, as Markdown. */
  readonly footer: string;
  /** Pages of a PDF without text, such as scanned ones. */
  readonly emptyPages: number;
  /** Links of a web page as written, and the base URL that they are relative to. */
  readonly links: readonly string[];
  readonly base: string | null;
  /** Further sitemaps listed in a sitemap. */
  readonly sitemaps: readonly string[];
  /** False if the page forbids indexing (`listed`) or following its links (`follows`). */
  readonly listed: boolean;
  readonly follows: boolean;
}

export type DocumentProblem =
  | "broken"
  | "empty"
  | "encrypted"
  | "no_text"
  | "old_word"
  | "swells"
  | "too_long"
  | "too_many_pages"
  | "too_slow"
  | "unsupported";

/** Implemented by features/knowledge/index. */
export interface DocumentReader {
  /** Rejects with an AppError whose message contains the remedy. */
  read(tenantId: number, bytes: Uint8Array<ArrayBuffer>, hint: DocumentHint): Promise<ReadDocument>;
}

/** Links with a longer address are skipped. */
export const ADDRESS_CHARACTERS_MAX = 2_048;

export const SITEMAP_TYPE = "application/xml";

export interface DocumentHint {
  readonly filename: string;
  /** Content type from the web server; empty if unknown. `SITEMAP_TYPE`: read the addresses of a sitemap. */
  readonly contentType: string;
}

const SENTENCES: Readonly<Record<DocumentProblem, string>> = {
  broken:
    "The file is damaged. Open it in the program that created it, save it again, then add the new file.",
  empty: "The document has no text.",
  encrypted: "The document is encrypted. Save it without a password and add it again.",
  no_text:
    "The PDF has no text: its pages are images, such as scans. Use a text recognition program (OCR) and add the result.",
  old_word:
    "This is an old Word file (.doc), or an encrypted one. Save it as .docx without a password.",
  swells: "The content of the document is too large. Save it without images, or as PDF.",
  too_long: "The document has too much text. Split it and add the parts.",
  too_many_pages: "The PDF has more than 2,000 pages. Split it and add the parts.",
  too_slow: "Reading the document took too long or too much memory. Split it and add the parts.",
  unsupported:
    "Only PDF, Word (.docx), HTML, .txt, .md, .csv and .json files can be read. Save it as one of them.",
};

const REASONS: Readonly<Record<DocumentProblem, FieldReason>> = {
  broken: "document_broken",
  empty: "document_empty",
  encrypted: "document_encrypted",
  no_text: "document_no_text",
  old_word: "document_old_word",
  swells: "document_swells",
  too_long: "document_too_long",
  too_many_pages: "document_too_long",
  too_slow: "document_too_slow",
  unsupported: "document_unsupported",
};

export const documentRefused = (problem: DocumentProblem): AppError =>
  invalidField("content_base64", SENTENCES[problem], { reason: REASONS[problem] });

export const readerBusy = (): AppError =>
  new AppError({
    code: "unavailable",
    publicMessage: "Other documents are being read. Try again in a minute.",
    retryable: true,
  });
