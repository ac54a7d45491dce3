/** Checks that a file's content matches its extension (decisions 4). Errors include the line number. */
import { invalidField } from "../../core/errors.ts";

const FILE_FORMATS = ["txt", "md", "csv", "json"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Expects a name with a checked extension. */
export function formatOf(filename: string): FileFormat {
  const extension = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase();
  const format = FILE_FORMATS.find((known) => known === extension);
  if (!format) throw invalidField("filename", "`filename` must end in .txt, .md, .csv or .json.");
  return format;
}

/** Throws valid_content_required with the line number. */
export function checkContent(format: FileFormat, content: string): void {
  const broken = brokenCharacter(content);
  if (broken !== null) throw badLine(content, broken, "is not valid UTF-8");
  // Binary files such as pictures, with the extension of a text file.
  const binary = content.indexOf("\0");
  if (binary >= 0) throw badLine(content, binary, "is not text");
  // Editors may add a byte order mark.
  if (format === "json") checkJson(content.replace(/^\uFEFF/, ""));
  if (format === "csv") checkCsv(content);
}

/** Position of an unpaired surrogate, which UTF-8 cannot encode; null if none. */
function brokenCharacter(content: string): number | null {
  if (content.isWellFormed()) return null;
  const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
  return lone.exec(content)?.index ?? 0;
}

function checkJson(content: string): void {
  try {
    JSON.parse(content);
  } catch (error) {
    throw badLine(content, jsonErrorAt(content), `is not valid JSON (${reasonOf(error)})`);
  }
}

const reasonOf = (error: unknown) =>
  error instanceof SyntaxError ? error.message.replace(/^JSON Parse error: /, "") : "too deep";

/**
 * Position of the first JSON error. The parser reports no position, so this walks the tokens of RFC 8259 2 and
 * stops at the first invalid one.
 */
function jsonErrorAt(content: string): number {
  const token =
    /[\s]*(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{},:])/y;
  const open: string[] = [];
  let expects: "value" | "key" | "colon" | "next" = "value";
  let mayClose = false;
  for (;;) {
    const start = token.lastIndex;
    const match = token.exec(content);
    if (!match) return skipSpace(content, start);
    const text = match[0].trimStart();
    const at = start + match[0].length - text.length;
    const inside = open.at(-1);
    if (text === "}" || text === "]") {
      const matches = (text === "}") === (inside === "{") && inside !== undefined;
      if (!matches || !(expects === "next" || mayClose)) return at;
      open.pop();
      expects = "next";
      mayClose = false;
    } else if (expects === "next") {
      if (text !== "," || inside === undefined) return at;
      expects = inside === "{" ? "key" : "value";
      mayClose = false;
    } else if (expects === "key") {
      if (!text.startsWith('"')) return at;
      expects = "colon";
      mayClose = false;
    } else if (expects === "colon") {
      if (text !== ":") return at;
      expects = "value";
    } else {
      if (text === "," || text === ":") return at;
      mayClose = text === "{" || text === "[";
      if (mayClose) open.push(text);
      expects = text === "{" ? "key" : text === "[" ? "value" : "next";
    }
  }
}

const skipSpace = (content: string, from: number) =>
  from + (content.slice(from).length - content.slice(from).trimStart().length);

/** RFC 4180: a header row with named columns; closed quotes. */
function checkCsv(content: string): void {
  const first = content.search(/\S/);
  if (first < 0) throw badLine(content, 0, "is empty and needs a header row");
  const header = content.slice(first).split(/\r?\n/, 1)[0] ?? "";
  const names = header.split(/[,;\t]/).map((name) => name.trim().replace(/^"|"$/g, "").trim());
  if (names.some((name) => name === ""))
    throw badLine(content, first, "has a column without a name and needs a header row");
  if (names.every((name) => /^[-+]?\d+([.,]\d+)?$/.test(name)))
    throw badLine(content, first, "contains only numbers and needs a header row");
  const open = openQuote(content);
  if (open !== null)
    throw badLine(content, open, "contains a quotation mark without a closing one");
}

function openQuote(content: string): number | null {
  let openedAt: number | null = null;
  for (let at = content.indexOf('"'); at >= 0; at = content.indexOf('"', at + 1)) {
    const startsField = at === 0 || /[,;\t\r\n]/.test(content[at - 1] ?? "");
    if (openedAt !== null) openedAt = null;
    else if (startsField || content[at - 1] === '"') openedAt = at;
  }
  return openedAt;
}

function badLine(content: string, at: number, what: string) {
  const line = content.slice(0, at).split("\n").length;
  return invalidField("content", `\`content\` ${what} (line ${line}).`, { params: { line } });
}
