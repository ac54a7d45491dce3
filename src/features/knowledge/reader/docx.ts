/**
 * Text of a Word document (.docx, ECMA-376), as Markdown. Only two parts of its archive are opened,
 * and none whose stated size exceeds the limit. So a decompression bomb is never unpacked.
 */
import { unzipSync } from "fflate";
import { Parser } from "htmlparser2";
import { decodeText } from "../../../core/text-encoding.ts";
import { DocumentError } from "./document-error.ts";
import { MarkdownWriter } from "./markdown.ts";

/** Word on the web adds a number. */
const DOCUMENT = /^word\/document\d*\.xml$/;
/** A part without its end was cut: the archive states a wrong size. */
const DOCUMENT_END = /<\/w:document>\s*(?:<!--.*)?$/s;
const STYLES = "word/styles.xml";
const INFLATED_BYTES_MAX = 64 * 1024 * 1024;
const STYLES_INHERITED_MAX = 10;
/** Deleted or moved text, and the copy for older programs. */
const DROPPED = new Set(["w:del", "w:moveFrom", "mc:Fallback", "w:instrText", "w:delText"]);

interface WordDocument {
  readonly title: string;
  readonly markdown: string;
}

/** Throws DocumentError. */
export function readDocx(bytes: Uint8Array, inflatedMax = INFLATED_BYTES_MAX): WordDocument {
  const parts = opened(bytes, inflatedMax);
  const name = Object.keys(parts).find((part) => DOCUMENT.test(part));
  if (name === undefined) throw new DocumentError("unsupported");
  const document = decodeText(parts[name] ?? new Uint8Array());
  if (!DOCUMENT_END.test(document.slice(-1_000))) throw new DocumentError("broken");
  const reader = new WordReader(headingsOf(decodeText(parts[STYLES] ?? new Uint8Array())));
  parseXml(document, reader);
  return reader.document();
}

function opened(bytes: Uint8Array, inflatedMax: number): Record<string, Uint8Array> {
  let total = 0;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!DOCUMENT.test(name) && name !== STYLES) return false;
        total += originalSize;
        // The library drops data beyond the stated size; the missing end is detected below.
        if (total > inflatedMax) throw new DocumentError("swells");
        return true;
      },
    });
  } catch (error) {
    throw error instanceof DocumentError ? error : new DocumentError("broken");
  }
}

type Attributes = Readonly<Record<string, string>>;
type Handler = Pick<WordReader, "onopentag"> & Partial<Pick<WordReader, "ontext" | "onclosetag">>;

function parseXml(xml: string, handler: Handler): void {
  const parser = new Parser(handler, { xmlMode: true, decodeEntities: true });
  parser.write(xml);
  parser.end();
}

/** Heading level of each style, also if it is based on a heading style. */
function headingsOf(styles: string): (style: string) => number {
  const levels = new Map<string, number>();
  const bases = new Map<string, string>();
  let style = "";
  parseXml(styles, {
    onopentag(name: string, { "w:val": value = "", "w:styleId": id = "" }: Attributes) {
      if (name === "w:style") style = id;
      else if (name === "w:basedOn") bases.set(style, value);
      else if (name === "w:outlineLvl" && /^[0-8]$/.test(value))
        levels.set(style, Number(value) + 1);
      else if (name === "w:name") {
        const level = /^heading (\d)$/i.exec(value)?.[1] ?? (/^title$/i.test(value) ? "1" : null);
        if (level !== null) levels.set(style, Number(level));
      }
    },
  });
  return (asked) => {
    let id = asked;
    for (let step = 0; step < STYLES_INHERITED_MAX; step++) {
      const level = levels.get(id) ?? /^Heading(\d)$/.exec(id)?.[1];
      if (level !== undefined) return Number(level);
      id = bases.get(id) ?? "";
    }
    return 0;
  };
}

class WordReader {
  readonly #writer = new MarkdownWriter();
  #title = "";
  #level = 0;
  #isText = false;
  #isHidden = false;
  #dropped = 0;

  constructor(private readonly headingOf: (style: string) => number) {}

  onopentag(name: string, attributes: Attributes): void {
    if (this.#dropped > 0 || DROPPED.has(name)) {
      this.#dropped++;
      return;
    }
    const value = attributes["w:val"] ?? "";
    const writer = this.#writer;
    if (name === "w:p") {
      this.#level = 0;
      writer.block();
    } else if (name === "w:pStyle") this.#heading(this.headingOf(value));
    else if (name === "w:outlineLvl" && /^[0-8]$/.test(value)) this.#heading(Number(value) + 1);
    else if (name === "w:numPr" && this.#level === 0) writer.listItem();
    else if (name === "w:r") this.#isHidden = false;
    else if (name === "w:vanish") this.#isHidden = !/^(0|false|off)$/.test(value);
    else if (name === "w:t") this.#isText = true;
    else if (name === "w:tab") writer.text(" ");
    else if (name === "w:br" || name === "w:cr") writer.lineBreak();
    else if (name === "w:noBreakHyphen") writer.text("-");
    else if (name === "w:tbl") writer.startTable();
    else if (name === "w:tr") writer.startRow();
    else if (name === "w:tc") writer.startCell();
    else if (name === "w:gridSpan") writer.spanColumns(Number(value) || 1);
    else if (name === "w:vMerge" && value !== "restart") writer.continueCell();
  }

  ontext(text: string): void {
    if (this.#dropped > 0 || !this.#isText || this.#isHidden) return;
    if (this.#level === 1 && !this.#title.endsWith("\n")) this.#title += text;
    this.#writer.text(text);
  }

  onclosetag(name: string): void {
    if (this.#dropped > 0) {
      this.#dropped--;
      return;
    }
    if (name === "w:t") this.#isText = false;
    else if (name === "w:tbl") this.#writer.endTable();
    else if (name === "w:p") {
      if (this.#level === 1 && this.#title !== "") this.#title += "\n";
      this.#writer.block();
    }
  }

  document(): WordDocument {
    const [title = ""] = this.#title.split("\n");
    return { title: title.trim(), markdown: this.#writer.toString() };
  }

  #heading(level: number): void {
    if (level === 0) return;
    this.#level = level;
    this.#writer.heading(level);
  }
}
