/** E.164 numbers: `+`, then 7 to 15 digits; the first digit is not 0 (ITU-T E.164 6). */
declare const brand: unique symbol;
export type E164 = string & { readonly [brand]: true };

const PATTERN = /^\+[1-9]\d{6,14}$/;

export const isE164 = (text: string): text is E164 => PATTERN.test(text);

export function e164(text: string): E164 {
  if (!isE164(text)) throw new RangeError(`not an E.164 number: ${text}`);
  return text;
}

/** Whether its digits stand in the text, however they are grouped. */
export const mentionsNumber = (text: string, number: string): boolean =>
  text.replace(/(?<=\d)[\s().-]+(?=\d)/g, "").includes(number.replace(/\D/g, ""));
