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
