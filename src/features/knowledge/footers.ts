/**
 * Footers of web pages: opening hours, addresses, telephone numbers. Callers ask for these, and a site repeats
 * them on every page. A block on several pages is kept once, with the first page.
 */
import { yieldToEventLoop } from "../../core/clock.ts";

interface FooterBlock {
  /** Heading above the block, as Markdown; empty if none. */
  readonly heading: string;
  readonly text: string;
}

interface PageText {
  readonly title: string;
  readonly markdown: string;
}

/** Maximum length of a page's footer, and of the blocks shared by a site's pages. */
export const FOOTER_CHARACTERS_MAX = 4_000;
const BLOCKS_MAX = 100;
const PAGES_A_TURN = 50;

/** The beginning of a footer, cut between words. */
export const footerBegin = (text: string, charactersMax = FOOTER_CHARACTERS_MAX): string =>
  text.length <= charactersMax ? text : text.slice(0, charactersMax + 1).replace(/\s*\S*$/, "");

/** The page's text with its footer below, as Markdown, under the heading `title`. */
export const withFooter = (page: PageText, footer: string): string =>
  joined(page, blocksOf(footer));

/** Adds footers to all pages of a site; shared blocks go to the first page. Yields to the event loop. */
export async function withFooters<Page extends PageText>(
  pages: readonly { readonly page: Page; readonly footer: string }[],
): Promise<Page[]> {
  const footers: FooterBlock[][] = [];
  const seen = new Set<string>();
  const shared = new Map<string, FooterBlock>();
  for (const { footer } of pages) {
    const blocks = blocksOf(footer);
    for (const block of blocks) {
      if (seen.has(block.text)) shared.set(block.text, block);
      seen.add(block.text);
    }
    footers.push(blocks);
    if (footers.length % PAGES_A_TURN === 0) await yieldToEventLoop();
  }
  const made: Page[] = [];
  for (const { page } of pages) {
    const own = (footers[made.length] ?? []).filter(({ text }) => !shared.has(text));
    const blocks = made.length === 0 ? [...shared.values(), ...own] : own;
    made.push({ ...page, markdown: joined(page, blocks) });
    if (made.length % PAGES_A_TURN === 0) await yieldToEventLoop();
  }
  return made;
}

/** The different blocks of a footer. */
function blocksOf(footer: string): FooterBlock[] {
  const blocks = new Map<string, FooterBlock>();
  let heading = "";
  for (const text of footerBegin(footer).split(/\n{2,}/, 2 * BLOCKS_MAX)) {
    if (blocks.size === BLOCKS_MAX) break;
    if (/^#{1,6} /.test(text)) heading = text;
    else if (text !== "" && !blocks.has(text)) blocks.set(text, { heading, text });
  }
  return [...blocks.values()];
}

function joined({ title, markdown }: PageText, blocks: readonly FooterBlock[]): string {
  const parts: string[] = [];
  let above = "";
  let length = 0;
  for (const { heading, text } of blocks) {
    const part = heading === above ? text : `${heading}\n\n${text}`.trim();
    const room = FOOTER_CHARACTERS_MAX - length;
    above = heading;
    length += part.length;
    const fitting = footerBegin(part, room);
    if (fitting !== "") parts.push(fitting);
    if (part.length > room) break;
  }
  if (parts.length === 0) return markdown;
  const foot = [...(title === "" ? [] : [`# ${title}`]), ...parts];
  return [...(markdown === "" ? [] : [markdown]), ...foot].join("\n\n");
}
