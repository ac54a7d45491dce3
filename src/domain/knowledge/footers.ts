/**
 * What stands at the foot of web pages: opening hours, addresses, telephone numbers. Callers ask for just that, and
 * a site repeats it on every page: what several pages say is kept once, with the first of them.
 */
interface FooterBlock {
  /** Above it in the footer, as Markdown; empty: none. */
  readonly heading: string;
  readonly text: string;
}

interface PageText {
  readonly title: string;
  readonly markdown: string;
}

/** Of one page, and of what the pages of a site have in common. */
export const FOOTER_CHARACTERS_MAX = 4_000;

/** A page's text with its footer below, as Markdown; `title` heads it. */
export const withFooter = (page: PageText, footer: string): string =>
  joined(page, blocksOf(footer));

/** Likewise of a site's pages. */
export function withFooters<Page extends PageText>(
  pages: readonly { readonly page: Page; readonly footer: string }[],
): Page[] {
  const footers = pages.map(({ footer }) => blocksOf(footer));
  const counts = new Map<string, number>();
  for (const { text } of footers.flat()) counts.set(text, (counts.get(text) ?? 0) + 1);
  const isShared = ({ text }: FooterBlock) => (counts.get(text) ?? 0) > 1;
  const shared = new Map(
    footers.flat().flatMap((block) => (isShared(block) ? [[block.text, block]] : [])),
  );
  return pages.map(({ page }, at) => {
    const own = (footers[at] ?? []).filter((block) => !isShared(block));
    const blocks = at === 0 ? [...shared.values(), ...own] : own;
    return { ...page, markdown: joined(page, blocks) };
  });
}

/** Each once. */
function blocksOf(footer: string): FooterBlock[] {
  const blocks = new Map<string, FooterBlock>();
  let heading = "";
  for (const text of footer.split(/\n{2,}/)) {
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
    const fitting = part.length <= room ? part : part.slice(0, room + 1).replace(/\s*\S*$/, "");
    if (fitting !== "") parts.push(fitting);
    if (part.length > room) break;
  }
  if (parts.length === 0) return markdown;
  const foot = [...(title === "" ? [] : [`# ${title}`]), ...parts];
  return [...(markdown === "" ? [] : [markdown]), ...foot].join("\n\n");
}
