/**
 * Last safeguard for text that leaves the appliance: masks anything that looks like a telephone number, a
 * mailbox, a SIP user, a key or a bearer token. Timestamps, ports and counts are not masked.
 */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\b(lv_(?:live|test)_)[\w-]+/g, "$1…"],
  [/\b(sk|rk|whsec|pk)_[\w-]{6,}/g, "$1_…"],
  [/\b(Bearer|Basic|Digest)\s+[\w+/=.-]{8,}/gi, "$1 …"],
  [/\b(sips?:)[^@\s"<>]+@/gi, "$1…@"],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, "…@…"],
  [/\+[1-9]\d{6,14}\b/g, "+…"],
  [/\bv1\.[\w-]{16}\.[\w-]{20,}/g, "v1.…"],
];

export const masked = (text: string): string =>
  RULES.reduce((result, [pattern, instead]) => result.replace(pattern, instead), text);
