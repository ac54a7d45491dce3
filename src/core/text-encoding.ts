/**
 * Decodes bytes with an unreliable encoding name: servers, pages and spreadsheets often state a
 * wrong one, or none. Valid UTF-8 is UTF-8. Otherwise the stated encoding is used. Without one, it
 * is that of Windows programs in the four languages: windows-1251 for Cyrillic letters,
 * windows-1257 otherwise.
 */

/** `said`: the encoding stated by the sender, or null. Never throws. */
export function decodeText(bytes: Uint8Array, said: string | null = null): string {
  const wide = markOf(bytes) ?? wideOf(bytes);
  if (wide !== null) return new TextDecoder(wide).decode(bytes);
  const text = new TextDecoder().decode(bytes);
  if (!text.includes("\ufffd")) return text;
  const other = said === null || /^utf-?(8|16)/i.test(said) ? null : decoderOf(said);
  if (other) return other.decode(bytes);
  // Fewer broken letters than valid ones: the text is UTF-8.
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const good = text.match(/[^\x00-\x7f\ufffd]/g)?.length ?? 0;
  if (broken <= good) return text;
  return new TextDecoder(isCyrillic(bytes) ? "windows-1251" : "windows-1257").decode(bytes);
}

type Wide = "utf-16le" | "utf-16be";

function markOf([first, second]: Uint8Array): Wide | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/**
 * Two bytes per letter without a byte order mark: in text that begins with ASCII, every second byte
 * is zero.
 */
function wideOf(bytes: Uint8Array): Wide | null {
  const beginning = bytes.subarray(0, 16);
  if (beginning.length < 16) return null;
  const isZero = (odd: number) => beginning.every((byte, at) => (at % 2 === odd) === (byte === 0));
  if (isZero(1)) return "utf-16le";
  return isZero(0) ? "utf-16be" : null;
}

function decoderOf(name: string): TextDecoder | null {
  try {
    return new TextDecoder(name as "utf-8");
  } catch {
    return null;
  }
}

const CYRILLIC_RUN = 3;

/** In Cyrillic text, letters beyond ASCII follow each other; in Latin script they are single. */
function isCyrillic(bytes: Uint8Array): boolean {
  let run = 0;
  let [inRuns, alone] = [0, 0];
  for (const byte of [...bytes.subarray(0, 65_536), 0]) {
    if (byte >= 0x80) run++;
    else {
      if (run >= CYRILLIC_RUN) inRuns += run;
      else alone += run;
      run = 0;
    }
  }
  return inRuns > alone;
}
