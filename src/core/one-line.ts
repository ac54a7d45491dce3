/**
 * A text on one line. Format characters (`Cf`) are invisible or change the visible order of a text.
 * Only the two joiners are part of words and emoji.
 */
export const ONE_LINE = /^(?:[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}][\u200c\u200d]*)*$/u;

/**
 * Puts foreign text on one line: control and format characters, line ends and runs of white space
 * each become one space. At most `charactersMax` characters.
 */
export const oneLine = (text: string, charactersMax: number): string =>
  text
    .normalize("NFC")
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, charactersMax);
