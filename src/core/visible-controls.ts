/**
 * Makes control characters visible (`\u001b`), so that what tenants, callers and servers wrote commands no terminal.
 * Line ends and tabs stay. Inside JSON the text means the same.
 */
export const visibleControls = (text: string): string =>
  text.replace(
    /(?!\r?\n|\t)\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
