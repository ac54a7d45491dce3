/** Splits the specification's text into statements: rows of tables and sentences. */

export interface Statement {
  /** Heading of its section. */
  readonly section: string;
  /** One line; the cells of a row are joined by " · ". */
  readonly text: string;
}

const HEADING = /^#+\s*/;
const TABLE_RULE = /^\|[\s|:-]+\|$/;
const LIST_MARK = /^(-|\d+\.)\s+/;
const SENTENCE_END = /(?<=\.)\s+(?=[A-Z])/;

const rowOf = (line: string): string =>
  line
    .replace(/^\|\s*|\s*\|$/g, "")
    .split(/\s*\|\s*/)
    .filter(Boolean)
    .join(" · ");

/** In the order of the text, without the headers of tables. */
export function statementsOf(markdown: string): Statement[] {
  const found: Statement[] = [];
  let section = "";
  let isInTable = false;
  for (const raw of markdown.split("\n")) {
    const line = raw.trim();
    if (HEADING.test(line)) section = line.replace(HEADING, "");
    else if (line.startsWith("|")) {
      if (isInTable && !TABLE_RULE.test(line)) found.push({ section, text: rowOf(line) });
      isInTable = true;
      continue;
    } else if (line !== "")
      for (const text of line.replace(LIST_MARK, "").split(SENTENCE_END))
        found.push({ section, text });
    isInTable = false;
  }
  return found;
}
