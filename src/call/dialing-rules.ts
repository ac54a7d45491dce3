/**
 * Protection against toll fraud (decisions.md 9): which destinations a tenant may dial. Pure; the
 * caps on calls a minute and money a day need the store and live in admission.ts.
 */
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { type E164, isE164 } from "../core/e164.ts";
import { AppError } from "../core/errors.ts";

/** Satellite and other global networks: dear, and never what a receptionist dials. */
const GLOBAL_NETWORKS = ["+870", "+878", "+881", "+882", "+883", "+888", "+979"];
const REFUSED_TYPES = new Set(["PREMIUM_RATE", "SHARED_COST", "PERSONAL_NUMBER", "UAN"]);

export interface DialingRules {
  /** Country calling prefixes such as `+370`; empty: the country of `callerId` alone. */
  readonly allowedPrefixes: readonly string[];
  readonly callerId: string | null;
}

function refused(publicMessage: string): AppError {
  return new AppError({ code: "destination_not_allowed", publicMessage, field: "to_number" });
}

function prefixesOf(rules: DialingRules): readonly string[] {
  if (rules.allowedPrefixes.length > 0) return rules.allowedPrefixes;
  const own = rules.callerId ? parsePhoneNumberFromString(rules.callerId) : undefined;
  return own ? [`+${own.countryCallingCode}`] : [];
}

/** Throws destination_not_allowed with the rule that forbids it. */
export function checkDestination(to: E164, rules: DialingRules): void {
  if (GLOBAL_NETWORKS.some((prefix) => to.startsWith(prefix)))
    throw refused("Satellite and international network numbers cannot be dialled.");
  const type = parsePhoneNumberFromString(to)?.getType();
  if (type && REFUSED_TYPES.has(type))
    throw refused("Premium-rate and shared-cost numbers cannot be dialled.");
  const allowed = prefixesOf(rules);
  if (!allowed.some((prefix) => to.startsWith(prefix)))
    throw refused(
      `Only numbers that begin with ${allowed.join(", ") || "(nothing: set a caller id first)"} may be dialled. Ask the operator to allow more countries.`,
    );
}

/**
 * A transfer target: an E.164 number, or a SIP URI. What reads like a telephone number in a URI is held to
 * the same rules however it is written, because carriers dial it.
 */
export function checkTransferTarget(to: string, rules: DialingRules): void {
  if (isE164(to)) {
    checkDestination(to, rules);
    return;
  }
  if (/^sips:/i.test(to))
    throw invalidTarget(
      "`to` cannot be a sips: URI. Write sip: instead; over a TLS trunk it is encrypted all the same.",
    );
  const user = /^sip:([^\s@<>?",]+)@[^\s@<>;?",]+$/i.exec(to)?.[1];
  const dialled = user === undefined ? null : dialledBy(user);
  if (dialled === null)
    throw invalidTarget(
      "`to` must be an E.164 number such as +37060000000, or a SIP URI such as sip:desk@example.com.",
    );
  if (!LIKE_A_NUMBER.test(dialled) || SHORT_NUMBER.test(dialled)) return;
  const number = dialled.replace(/^(?:00|011)(?=[1-9])/, "+").replace(/^(?!\+)/, "+");
  if (!isE164(number))
    throw refused("Write a telephone number in a SIP URI in full: sip:+37060000000@example.com.");
  checkDestination(number, rules);
}

const LIKE_A_NUMBER = /^\+?[\d*#]+$/;
/** An extension of a switchboard. */
const SHORT_NUMBER = /^[\d*#]{1,6}$/;

/** What a carrier reads in the user part (RFC 3261 19.1.1, RFC 3966 5.1.1); null: it cannot be read. */
function dialledBy(user: string): string | null {
  try {
    const [number = ""] = decodeURIComponent(user).split(/[;:]/);
    return number.replace(/[-.()\s]/g, "");
  } catch {
    return null;
  }
}

const invalidTarget = (publicMessage: string) =>
  new AppError({ code: "valid_to_required", field: "to", publicMessage });
