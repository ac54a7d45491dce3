/** E.164 numbers: `+`, then 7 to 15 digits; the first digit is not 0 (ITU-T E.164 6). */
declare const brand: unique symbol;
export type E164 = string & { readonly [brand]: true };

const PATTERN = /^\+[1-9]\d{6,14}$/;

export const isE164 = (text: string): text is E164 => PATTERN.test(text);

export function e164(text: string): E164 {
  if (!isE164(text)) throw new RangeError(`not an E.164 number: ${text}`);
  return text;
}

/** A network's own numbers: extensions and services (`1001`, `1588`). E.164 numbers are longer. */
export const isShortNumber = (text: string): boolean => /^\d{2,6}$/.test(text);

/** Whether a call can have the number as its caller (decisions 12). */
export const isCallersNumber = (text: string): boolean => isE164(text) || isShortNumber(text);

/**
 * Whether a text contains the E.164 number, however its digits are grouped. A short number is never
 * found, because the same digits occur in prices and times.
 */
export function mentionsNumber(text: string, number: string): boolean {
  if (!isE164(number)) return false;
  const digits = number.slice(1).split("").join("[\\s().-]*");
  return new RegExp(`(?<!\\d)(?:00)?${digits}(?!\\d)`).test(text);
}
