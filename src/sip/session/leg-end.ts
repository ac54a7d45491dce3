/**
 * Reason for the end of a leg: from the SIP code or, if that is vague, from the telephone network's
 * cause (Q.850, RFC 3326). Adds one sentence for the user (RFC 3261 21).
 */
import type { LegEnd } from "../../call/sip-port.ts";
import { splitOutsideQuotes } from "../message/split.ts";

type Meaning = Pick<LegEnd, "kind" | "fault" | "explanation">;

const because =
  (kind: LegEnd["kind"], fault: LegEnd["fault"]) =>
  (explanation: string): Meaning => ({ kind, fault, explanation });
const forbidden = because("forbidden", "us");
const unavailable = because("unavailable", "carrier");
const rejected = because("rejected", "carrier");
const calleeUnavailable = because("unavailable", "callee");
const ourRequestRejected = because("rejected", "us");
const withoutCodec = because("no_common_codec", "carrier");
const misdialled = because("invalid_number", "caller");
const declinedByCallee = because("declined", "callee");
const unreached = because("transport_failed", "carrier");
const expired = because("session_expired", "carrier");
const unconfirmed = because("ack_missing", "carrier");

const BUSY = because("busy", null)("The called number is busy.");
const UNKNOWN_NUMBER = misdialled(
  "The number does not exist or is incomplete. Check it and dial again.",
);
const DECLINED = because("declined", null)("The called party declined the call.");
const NO_ANSWER = because("no_answer", null)("Nobody answered the call.");
const NO_COMMON_CODEC = withoutCodec(
  "The far end supports none of the configured audio codecs, or not the encryption asked for. Allow PCMA or PCMU in [sip] codecs, and check [sip] srtp.",
);
const UNAUTHORISED = forbidden(
  "The provider refused the trunk's user name or password. Check both, and the realm.",
);
const UNPAID = forbidden("The provider requires payment. Top up your account at the provider.");
const FORBIDDEN = forbidden(
  "The provider forbids the call. Check whether the account can call this destination, and whether the caller ID is one of its numbers.",
);
const TEMPORARILY_UNAVAILABLE = calleeUnavailable(
  "The called phone is switched off or not reachable. Try again later.",
);
const REDIRECTED = rejected(
  "The provider redirected the call to another server, a forbidden number or an address already tried. The trunk does not follow such redirects. Ask the provider to route the call itself.",
);
const BAD_REQUEST = ourRequestRejected(
  "The provider rejected our request as malformed. Check whether it requires another number format, and send it the call's SIP messages.",
);
const SERVER_ERROR = unavailable(
  "The provider's server had an internal error. Try again later. If the problem continues, ask the provider and give the time of the call.",
);
const NETWORK_FAULT = unavailable(
  "The telephone network could not connect the call. Try again later.",
);
const MISUNDERSTOOD = rejected(
  "The provider's server did not understand the request. Ask the provider and give the time of the call.",
);
const LOOPED = unavailable(
  "The call went in a loop in the provider's network. Ask the provider how the number is routed.",
);
const ANONYMITY_REJECTED = forbidden(
  "The called party rejects calls without a caller ID. Set the trunk's caller ID to one of your numbers.",
);
const IDENTITY_REJECTED = forbidden(
  "The caller ID was not accepted. Set the trunk's caller ID to a number from your provider.",
);
const UNWANTED = declinedByCallee(
  "The called party or its network rejects calls of this kind. Do not call this number again without its consent.",
);
const OVERLOADED = unavailable(
  "The provider is overloaded, or all lines of the trunk are in use. Try again later, or ask the provider for more lines.",
);
const TRANSPORT_FAILED = unreached(
  "The provider's server did not answer. Check the trunk's server name, port and firewall.",
);
const SESSION_EXPIRED = expired(
  "The far end stopped refreshing the session, so the call was ended. Check the network between us and the provider.",
);
const ACK_MISSING = unconfirmed(
  "The call was answered, but the provider never confirmed it. Check the public address and NAT.",
);

/** Meanings with their SIP codes, and with the causes that are more specific (Q.850 table 1, RFC 3398 7.2.4.1). */
const TABLE: readonly (readonly [Meaning, codes: readonly number[], causes: readonly number[]])[] =
  [
    [BUSY, [486, 600], [17]],
    [UNKNOWN_NUMBER, [404, 410, 484, 485, 604], [1, 2, 3, 22, 28]],
    [DECLINED, [603], [21]],
    [NO_ANSWER, [408, 487], [18, 19]],
    [NO_COMMON_CODEC, [415, 488, 580, 606], [58, 65, 88]],
    [TEMPORARILY_UNAVAILABLE, [480], [20, 27]],
    [OVERLOADED, [503], [34, 42, 44, 47]],
    [NETWORK_FAULT, [], [38, 41]],
    [UNAUTHORISED, [401, 407], []],
    [UNPAID, [402], []],
    [FORBIDDEN, [403], []],
    [ANONYMITY_REJECTED, [433], []],
    [IDENTITY_REJECTED, [428, 436, 437, 438], []],
    [UNWANTED, [607, 608], []],
    [REDIRECTED, [300, 301, 302, 305, 380], []],
    [BAD_REQUEST, [400], []],
    [MISUNDERSTOOD, [405, 406, 413, 414, 416, 420, 421, 422, 423, 481, 493], []],
    [LOOPED, [482, 483], []],
    [SERVER_ERROR, [500], []],
  ];
const BY_CODE = new Map(TABLE.flatMap(([known, codes]) => codes.map((code) => [code, known])));
const BY_CAUSE = new Map(TABLE.flatMap(([known, , causes]) => causes.map((each) => [each, known])));

/** SIP codes that gateways use if no other fits. */
const isVague = (sipCode: number): boolean =>
  sipCode === 400 || sipCode === 403 || sipCode === 480 || (sipCode >= 500 && sipCode < 600);

/** The remote party's final response to our INVITE; `reasons`: its Reason headers (RFC 3326). */
export function endOfRejectedCall(sipCode: number, reasons: readonly string[] = []): LegEnd {
  const known = isVague(sipCode) ? BY_CAUSE.get(causeIn(reasons)) : undefined;
  const meaning = known ?? BY_CODE.get(sipCode) ?? unlistedMeaning(sipCode);
  return end("callee", meaning, sipCode);
}

/** The Q.850 cause, or NaN. */
function causeIn(reasons: readonly string[]): number {
  const values = reasons.flatMap((line) => splitOutsideQuotes(line, ",") ?? [line]);
  const reason = values.find((value) => /^\s*Q\.850\s*;/i.test(value));
  return Number(/;\s*cause\s*=\s*(\d{1,3})\b/i.exec(reason ?? "")?.[1] ?? Number.NaN);
}

function unlistedMeaning(sipCode: number): Meaning {
  return sipCode >= 500 && sipCode < 600
    ? unavailable(`The provider could not connect the call (code ${sipCode}). Try again later.`)
    : because("rejected", "callee")(`The call was rejected with code ${sipCode}.`);
}

const end = (by: LegEnd["by"], meaning: Meaning, sipCode: number | null = null): LegEnd => ({
  by,
  sipCode,
  ...meaning,
});

/** Our own final response to an incoming INVITE. */
export function endOfRejectedCaller(sipCode: number): LegEnd {
  const kind = BY_CODE.get(sipCode)?.kind ?? "rejected";
  const explanation = `The call was not accepted. The caller got code ${sipCode}.`;
  return end("us", because(kind, null)(explanation), sipCode);
}

/** `sipCode` 200: the remote party answered, but with unusable media. */
export const noCommonCodec = (by: LegEnd["by"], sipCode: 200 | 488 = 488): LegEnd =>
  end(by, NO_COMMON_CODEC, sipCode);

export function hungUp(by: LegEnd["by"]): LegEnd {
  const explanation = by === "us" ? "The call was ended from our side." : `The ${by} hung up.`;
  return end(by, because("bye", null)(explanation));
}

export function cancelled(by: LegEnd["by"], sipCode: number | null): LegEnd {
  const explanation =
    by === "us" ? "The call was cancelled before it was answered." : "The caller gave up.";
  return end(by, because("cancelled", null)(explanation), sipCode);
}

export const ringTimedOut = (sipCode: number | null): LegEnd => end("us", NO_ANSWER, sipCode);

export const transportFailed = (): LegEnd => end("us", TRANSPORT_FAILED);

export const sessionExpired = (): LegEnd => end("us", SESSION_EXPIRED);

export const ackMissing = (): LegEnd => end("us", ACK_MISSING, 200);
