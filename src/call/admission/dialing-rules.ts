/**
 * Protection against toll fraud (decisions 9, 12): destinations that a tenant may dial. Pure. The caps on calls
 * per minute, money per day and new destinations need the store (admission.ts, dialing-burst.ts).
 *
 * A target is checked by its digits, however it is written. Carriers and PBXs ignore punctuation, escapes and
 * letters that we might not ignore.
 */
import { type PhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { type E164, e164, isE164 } from "../../core/e164.ts";
import { AppError, invalidField } from "../../core/errors.ts";
import { countryOf } from "../../features/number/national-form.ts";

/** Satellite and other global networks: expensive, and no receptionist needs them. */
const GLOBAL_NETWORKS = ["+870", "+878", "+881", "+882", "+883", "+888", "+979"];
const REJECTED_TYPES = new Set(["PREMIUM_RATE", "SHARED_COST", "PERSONAL_NUMBER", "UAN"]);
/** Toll-free in every country of the North American plan. The metadata assigns them to the USA. */
const TOLL_FREE_NORTH_AMERICA = /^\+18(?:00|33|44|55|66|77|88)/;

export interface DialingRules {
  /** Prefixes such as `+370`; empty: only the country of `callerId`. */
  readonly allowedPrefixes: readonly string[];
  /** Short numbers that the operator allowed: digits, `*` and `#`. An `x` matches any one digit. */
  readonly shortNumbers: readonly string[];
  readonly callerId: string | null;
}

/** Request field with the number: of a call, or of a transfer. */
export type DialedField = "to_number" | "to";

function rejected(publicMessage: string, field: DialedField): AppError {
  return new AppError({ code: "destination_not_allowed", publicMessage, field });
}

/** Compares countries, not calling codes: +1 876 is Jamaica, +44 7624 the Isle of Man, +7 701 Kazakhstan. */
function isOwnCountry(to: E164, number: PhoneNumber | undefined, callerId: string | null): boolean {
  const own = callerId ? parsePhoneNumberFromString(callerId) : undefined;
  if (!own?.country) return false;
  if (number?.country === own.country) return true;
  return own.countryCallingCode === "1" && TOLL_FREE_NORTH_AMERICA.test(to);
}

/** Throws destination_not_allowed, naming the violated rule. */
export function checkDestination(
  to: E164,
  rules: DialingRules,
  field: DialedField = "to_number",
): void {
  if (GLOBAL_NETWORKS.some((prefix) => to.startsWith(prefix)))
    throw rejected("Satellite and international network numbers cannot be dialled.", field);
  const number = parsePhoneNumberFromString(to);
  const type = number?.getType();
  if (type && REJECTED_TYPES.has(type))
    throw rejected("Premium-rate and shared-cost numbers cannot be dialled.", field);
  if (!number?.isPossible())
    throw rejected(
      "This telephone number is not complete. Write it in full, like +37060000000.",
      field,
    );
  if (rules.allowedPrefixes.length === 0) {
    if (isOwnCountry(to, number, rules.callerId)) return;
    const own = rules.callerId && isE164(rules.callerId) ? countryOf(rules.callerId) : null;
    throw rejected(
      own
        ? `Only numbers in the country of the caller ID (${own}) can be called. Ask the operator to allow more countries: Settings, Dialling rules.`
        : "The trunk has no caller ID of a country, so no number can be called. Set a caller ID, or ask the operator to allow countries: Settings, Dialling rules.",
      field,
    );
  }
  if (!rules.allowedPrefixes.some((prefix) => to.startsWith(prefix)))
    throw rejected(
      `Only numbers that start with ${rules.allowedPrefixes.join(", ")} can be called. Ask the operator to allow more countries: Settings, Dialling rules.`,
      field,
    );
}

/** Why a number may not be dialled, in words; null: it may be. */
export function destinationRefusal(number: string, rules: DialingRules): string | null {
  try {
    checkDestination(e164(number), rules);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.publicMessage;
    throw error;
  }
}

/**
 * Checks a transfer target: an E.164 number or a SIP URI. Returns the number to dial.
 * Returns null for a name or a short number that the operator allowed.
 * Throws destination_not_allowed, valid_to_required.
 */
export function checkTransferTarget(to: string, rules: DialingRules): E164 | null {
  if (isE164(to)) {
    checkDestination(to, rules, "to");
    return to;
  }
  if (/^sips:/i.test(to))
    throw invalidTarget(
      "`to` cannot be a sips: URI. Use sip: instead. A TLS trunk encrypts it too.",
    );
  const user = /^sip:([^\s@<>?",]+)@[^\s@<>;?",]+$/i.exec(to)?.[1];
  const dialled = user === undefined ? null : dialledBy(user);
  if (dialled === null)
    throw invalidTarget(
      "`to` must be an E.164 number such as +37060000000, or a SIP URI such as sip:desk@example.com.",
    );
  const keys = dialled.replace(/[^\d*#]/g, "");
  if (keys === "" || isName(dialled, keys)) return null;
  if (keys.length <= SHORT_DIGITS_MAX || /[*#]/.test(keys)) {
    checkShortNumber(keys, rules);
    return null;
  }
  const international = dialled.includes("+") ? keys : keys.replace(/^(?:00|011)(?=[1-9])/, "");
  const number = `+${international}`;
  if (!isE164(number))
    throw rejected(
      "Write a telephone number in a SIP URI in full: sip:+37060000000@example.com.",
      "to",
    );
  checkDestination(number, rules, "to");
  return number;
}

export function isTransferTarget(to: string, rules: DialingRules): boolean {
  try {
    checkTransferTarget(to, rules);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const SHORT_DIGITS_MAX = 6;

/** `desk`, `reception2`: words with one or two digits, which no network reads as a number. */
const isName = (dialled: string, keys: string): boolean =>
  /[a-z]/i.test(dialled) && /^\d{1,2}$/.test(keys);

/** Rejects short codes, star codes, emergency numbers and extensions, except those that the operator allowed. */
function checkShortNumber(keys: string, { shortNumbers }: DialingRules): void {
  const matches = (listed: string) =>
    listed.length === keys.length &&
    [...listed].every((key, at) => key === keys[at] || (key === "x" && /\d/.test(keys[at] ?? "")));
  if (shortNumbers.some(matches)) return;
  throw rejected(
    "Short numbers, star codes and emergency numbers cannot be dialled. Ask the operator to allow this one.",
    "to",
  );
}

const ESCAPES_MAX = 3;

/**
 * The dialled part of the user part (RFC 3261 19.1.1, RFC 3966 5.1.1), with nested escapes resolved.
 * Null if it is unreadable, or if its parameters or password contain digits.
 */
function dialledBy(user: string): string | null {
  let text = user;
  try {
    for (let times = 0; text.includes("%"); times++) {
      if (times === ESCAPES_MAX) return null;
      text = decodeURIComponent(text);
    }
  } catch {
    return null;
  }
  if (!/^[\x21-\x7e ]*$/.test(text)) return null;
  const [number = "", ...parameters] = text.split(/[;:]/);
  return /\d{3}/.test(parameters.join("").replace(/[^\w*#]/g, "")) ? null : number;
}

const invalidTarget = (publicMessage: string) =>
  invalidField("to", publicMessage, { reason: "transfer_to" });
