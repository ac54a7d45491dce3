/**
 * Text of an HTML page, as Markdown. Scripts, styles, form fields and navigation are dropped;
 * nothing is executed or loaded. If a page marks its main part, only that and the page's footer are
 * used. Elements may be nested to any depth: the parser reports them one by one.
 */
import { Parser } from "htmlparser2";
import { decodeText } from "../../../core/text-encoding.ts";
import { ADDRESS_CHARACTERS_MAX } from "../documents.ts";
import { footerBegin } from "../footers.ts";
import { MarkdownWriter } from "./markdown.ts";

interface HtmlPage {
  readonly title: string;
  readonly markdown: string;
  readonly footer: string;
  /** Link addresses as written in the page. */
  readonly links: readonly string[];
  /** Base of relative links, if the page has one. */
  readonly base: string | null;
  /** False if the page asks not to be listed (`noindex`). */
  readonly listed: boolean;
  readonly follows: boolean;
}

const DROPPED = new Set(
  "script style noscript template svg math iframe object embed canvas audio video nav aside button label select textarea dialog menu".split(
    " ",
  ),
);
const BLOCKS = new Set(
  "p div section article main header form address blockquote figure figcaption ul ol dl dt dd hr fieldset details summary caption center body".split(
    " ",
  ),
);
const TITLE_CHARACTERS_MAX = 200;
const LINKS_MAX = 5_000;

export function readHtml(html: string): HtmlPage {
  const reader = new HtmlReader();
  const parser = new Parser(reader, { decodeEntities: true, lowerCaseTags: true });
  parser.write(html);
  parser.end();
  return reader.page();
}

type Attributes = Readonly<Record<string, string>>;

class HtmlReader {
  readonly #body = new MarkdownWriter();
  readonly #foot = new MarkdownWriter();
  readonly #links: string[] = [];
  #title = "";
  #firstHeading = "";
  #inTitle = false;
  #heading: "none" | "open" | "done" = "none";
  #base: string | null = null;
  #robots = "";
  /** Number of open elements inside a dropped one, including itself; 0 outside. */
  #dropped = 0;
  /** Likewise for the main part. */
  #main = 0;
  #hasMain = false;
  /** Likewise for the page's footer. The footer of an article is not the page's. */
  #footer = 0;
  #article = 0;

  onopentag(name: string, attributes: Attributes): void {
    this.#note(name, attributes);
    const isFoot = isFooter(name, attributes);
    const isOfArticle = isFoot && this.#article > 0;
    if (this.#dropped > 0 || DROPPED.has(name) || isHidden(attributes) || isOfArticle) {
      if (!VOID.has(name)) this.#dropped++;
      return;
    }
    if (!VOID.has(name)) {
      if (this.#footer > 0 || isFoot) this.#footer++;
      if (this.#article > 0 || name === "article") this.#article++;
    }
    if (this.#main > 0 && !VOID.has(name)) this.#main++;
    else if (!this.#hasMain && (name === "main" || attributes.role === "main")) {
      this.#body.restart();
      this.#hasMain = true;
      this.#main = 1;
    }
    this.#open(name, attributes);
  }

  ontext(text: string): void {
    if (this.#inTitle) this.#title += text;
    if (this.#dropped > 0 || this.#inTitle || this.#isBeside) return;
    if (this.#heading === "open") this.#firstHeading += text;
    this.#writer.text(text);
  }

  onclosetag(name: string): void {
    if (name === "title") this.#inTitle = false;
    if (VOID.has(name)) return;
    if (this.#dropped > 0) {
      this.#dropped--;
      return;
    }
    if (name === "h1" && this.#heading === "open") this.#heading = "done";
    if (name === "table") this.#writer.endTable();
    else if (BLOCKS.has(name) || name === "li" || /^h[1-6]$/.test(name)) this.#writer.block();
    if (this.#main > 0) this.#main--;
    if (this.#footer > 0) this.#footer--;
    if (this.#article > 0) this.#article--;
  }

  page(): HtmlPage {
    const title = (this.#title.trim() || this.#firstHeading).replace(/\s+/g, " ").trim();
    return {
      title: title.slice(0, TITLE_CHARACTERS_MAX),
      markdown: this.#body.toString(),
      footer: footerBegin(this.#foot.toString()),
      links: this.#links,
      base: this.#base,
      listed: !/\b(?:noindex|(?<!:\s*)none)\b/i.test(this.#robots),
      follows: !/\b(?:nofollow|(?<!:\s*)none)\b/i.test(this.#robots),
    };
  }

  get #writer(): MarkdownWriter {
    return this.#footer > 0 ? this.#foot : this.#body;
  }

  /** Outside the main part of a page that has one. */
  get #isBeside(): boolean {
    return this.#hasMain && this.#main === 0 && this.#footer === 0;
  }

  /** Handles elements that count anywhere in the page. */
  #note(name: string, { href = "", rel = "", content = "", ...more }: Attributes): void {
    if (name === "title" && this.#title === "") this.#inTitle = true;
    const isAddress = href !== "" && href.length <= ADDRESS_CHARACTERS_MAX;
    if (name === "base" && isAddress) this.#base ??= href;
    if (name === "meta" && /^robots$/i.test(more.name ?? "")) this.#robots += ` ${content}`;
    const isLink = (name === "a" || name === "area") && isAddress && !/nofollow/i.test(rel);
    if (isLink && this.#links.length < LINKS_MAX) this.#links.push(href);
  }

  #open(name: string, { colspan = "1", rowspan = "1" }: Attributes): void {
    const writer = this.#writer;
    if (this.#isBeside) return;
    if (/^h[1-6]$/.test(name)) {
      writer.heading(Number(name[1]));
      if (name === "h1" && this.#heading === "none") this.#heading = "open";
    } else if (name === "li") writer.listItem();
    else if (name === "br") writer.lineBreak();
    else if (name === "table") writer.startTable();
    else if (name === "tr") writer.startRow();
    else if (name === "td" || name === "th")
      writer.startCell(Number.parseInt(colspan, 10) || 1, Number.parseInt(rowspan, 10) || 1);
    else if (BLOCKS.has(name)) writer.block();
  }
}

const VOID = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

const isHidden = ({ hidden, style = "", ...more }: Attributes): boolean =>
  hidden !== undefined ||
  more["aria-hidden"] === "true" ||
  /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);

const FOOTER_NAME = /(?:^|\s)(?:site-|page-)?footer(?:\s|$)/i;

const isFooter = (name: string, { role, id = "", class: classes = "" }: Attributes): boolean =>
  name === "footer" ||
  role === "contentinfo" ||
  (/^(?:div|section)$/.test(name) && (FOOTER_NAME.test(id) || FOOTER_NAME.test(classes)));

const SAID = /charset\s*=\s*["']?([\w-]+)/i;

export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 2_048));
  return decodeText(bytes, SAID.exec(contentType)?.[1] ?? SAID.exec(head)?.[1] ?? null);
}
