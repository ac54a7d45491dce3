/**
 * Numbers as carriers write them → E.164. Carriers name the called number as `+370…`, `370…`,
 * `00370…` or in the national form of their country (`0 5 212 3456`, `861234567`); a SIP URI may
 * wrap it. Metadata: libphonenumber.
 */
import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import { type E164, isE164 } from "../../core/e164.ts";

export type Country = CountryCode;

export const isCountry = (text: string | undefined): text is Country =>
  text !== undefined && isSupportedCountry(text);

/** ISO 3166 country of an E.164 number; null for shared and international codes. */
export function countryOf(number: E164): CountryCode | null {
  return parsePhoneNumberFromString(number)?.country ?? null;
}

/** What is left of a URI or a number when scheme, host, parameters and visual separators are gone. */
const dialledDigits = (written: string): string =>
  written
    .replace(/^(sips?|tel):/i, "")
    .replace(/[@;].*$/s, "")
    .replace(/[ ().-]/g, "");

/** Numbers of a network's own: extensions and services. ITU-T E.164 numbers are longer. */
const SHORT_NUMBER = /^\d{2,6}$/;

/**
 * A number as a network shows it (decisions.md 12): E.164, or a short number as it came (`1001`, `1588`).
 * null: withheld, unknown, or no number at all, such as `unavailable`. `country` reads national forms.
 */
export function networkNumber(written: string, country: CountryCode | null): string | null {
  const digits = dialledDigits(written);
  const readings = e164Candidates(digits, country);
  const valid = readings.find((reading) => parsePhoneNumberFromString(reading)?.isValid());
  if (valid !== undefined) return valid;
  if (SHORT_NUMBER.test(digits)) return digits;
  const possible = readings.find((reading) => parsePhoneNumberFromString(reading)?.isPossible());
  return possible ?? (digits.startsWith("+") ? (readings[0] ?? null) : null);
}

/** Every E.164 number that `written` can mean, the likeliest first. Empty: it is no number. */
export function e164Candidates(written: string, country: CountryCode | null): E164[] {
  const digits = dialledDigits(written);
  if (!/^\+?\d{3,18}$/.test(digits)) return [];
  const found = new Set<E164>();
  const add = (text: string) => {
    if (isE164(text)) found.add(text);
  };
  if (digits.startsWith("+")) add(digits);
  else {
    if (digits.startsWith("00")) add(`+${digits.slice(2)}`);
    if (country) add(parsePhoneNumberFromString(digits, country)?.number ?? "");
    if (!digits.startsWith("0")) add(`+${digits}`);
  }
  return [...found];
}
