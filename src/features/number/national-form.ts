/**
 * Converts numbers in carriers' formats to E.164. Carriers write the called number as `+370…`, `370…`,
 * `00370…` or in their national form (`0 5 212 3456`, `861234567`), possibly in a SIP URI. Metadata:
 * libphonenumber.
 */
import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import { type E164, isE164, isShortNumber } from "../../core/e164.ts";

export type Country = CountryCode;

export const isCountry = (text: string | undefined): text is Country =>
  text !== undefined && isSupportedCountry(text);

/** ISO 3166 country of an E.164 number; null for shared and international codes. */
export function countryOf(number: E164): CountryCode | null {
  return parsePhoneNumberFromString(number)?.country ?? null;
}

/** The digits of a URI or number, without scheme, host, parameters and visual separators. */
const dialledDigits = (written: string): string =>
  written
    .replace(/^(sips?|tel):/i, "")
    .replace(/[@;].*$/s, "")
    .replace(/[ ().-]/g, "");

/**
 * A number in network format (decisions 12): E.164, or a short number unchanged (`1001`, `1588`). Null if
 * withheld, unknown, or not a number, such as `unavailable`. National forms are read in `country`.
 */
export function networkNumber(written: string, country: CountryCode | null): string | null {
  const digits = dialledDigits(written);
  const readings = e164Candidates(digits, country);
  const valid = readings.find((reading) => parsePhoneNumberFromString(reading)?.isValid());
  if (valid !== undefined) return valid;
  if (isShortNumber(digits)) return digits;
  const possible = readings.find((reading) => parsePhoneNumberFromString(reading)?.isPossible());
  return possible ?? (digits.startsWith("+") ? (readings[0] ?? null) : null);
}

/**
 * Converts a number that a person wrote to E.164. National forms are read in `country`; without a country the
 * number needs its country code (`+` or `00`). Undefined: not a number, or an extension such as `1001`.
 */
export function numberIn(written: string, country: CountryCode | null): E164 | undefined {
  const compact = written.normalize("NFKC").replace(/[\s().\p{Pd}\u2212\p{Cf}]/gu, "");
  if (isE164(compact)) return compact;
  if (country === null && !compact.startsWith("00")) return undefined;
  const number = networkNumber(compact, country) ?? "";
  return isE164(number) ? number : undefined;
}

/** Every E.164 number that `written` can mean, most likely first. Empty: not a number. */
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
