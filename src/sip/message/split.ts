/**
 * Splits header values in linear time, with respect to quoted strings (RFC 3261 25.1) and `<…>`.
 */

/**
 * The parts between `separator`s outside quotes and angle brackets; undefined if one is not closed.
 */
export function splitOutsideQuotes(text: string, separator: string): string[] | undefined {
  const parts: string[] = [];
  let quoted = false;
  let bracketed = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') {
      quoted = true;
    } else if (bracketed) {
      if (character === ">") bracketed = false;
    } else if (character === "<") {
      bracketed = true;
    } else if (character === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (quoted || bracketed) return undefined;
  parts.push(text.slice(start));
  return parts;
}

/**
 * Index after the closing quote of a quoted string that starts at 0; undefined if it is not closed.
 */
export function quotedStringEnd(text: string): number | undefined {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}

/** Content of a quoted string, or the text itself if it is a token. */
export function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  return text.slice(1, -1).replace(/\\(.)/g, "$1");
}

export function quote(text: string): string {
  return `"${text.replace(/(["\\])/g, "\\$1")}"`;
}
