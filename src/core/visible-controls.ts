/**
 * Makes control characters visible (`\u001b`), so that texts of tenants, callers and servers can't
 * control a terminal. Line ends and tabs stay. Inside JSON the text means the same.
 */
export const visibleControls = (text: string): string =>
  text.replace(
    /(?!\r?\n|\t)\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
