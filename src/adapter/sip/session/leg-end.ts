/**
 * Why a leg ended: from the SIP code and, where that is vague, from the telephone network's cause
 * (Q.850, RFC 3326), with one sentence for the user (RFC 3261 21).
 */
import type { LegEnd } from "../../../domain/call/sip-port.ts";

type Meaning = Pick<LegEnd, "kind" | "fault" | "explanation">;

const BUSY: Meaning = { kind: "busy", fault: null, explanation: "The called number is busy." };
const UNKNOWN_NUMBER: Meaning = {
  kind: "invalid_number",
  fault: "caller",
  explanation: "The number does not exist or is incomplete. Check it and dial again.",
};
const DECLINED: Meaning = {
  kind: "declined",
  fault: null,
  explanation: "The called party declined the call.",
};
const NO_ANSWER: Meaning = {
  kind: "no_answer",
  fault: null,
  explanation: "Nobody answered the call.",
};
const NO_COMMON_CODEC: Meaning = {
  kind: "no_common_codec",
  fault: "carrier",
  explanation:
    "The far end supports none of the configured audio codecs, or not the encryption asked for. Allow PCMA or PCMU in [sip] codecs, and check [sip] srtp.",
};
const UNAUTHORISED: Meaning = {
  kind: "forbidden",
  fault: "us",
  explanation: "The provider refused the trunk's user name or password. Check both, and the realm.",
};
const UNPAID: Meaning = {
  kind: "forbidden",
  fault: "us",
  explanation: "The provider wants to be paid first. Top up the account at the provider.",
};
const FORBIDDEN: Meaning = {
  kind: "forbidden",
  fault: "us",
  explanation:
    "The provider forbids the call. Check whether the account may call this destination, and whether the caller id is one of its numbers.",
};
const TEMPORARILY_UNAVAILABLE: Meaning = {
  kind: "unavailable",
  fault: "callee",
  explanation: "The called phone is switched off or out of reach. Try again later.",
};

const REDIRECTED: Meaning = {
  kind: "rejected",
  fault: "carrier",
  explanation:
    "The provider sent the call on to an address that the trunk does not follow: another server, or a number that may not be dialled. Ask the provider to route the call itself.",
};
const BAD_REQUEST: Meaning = {
  kind: "rejected",
  fault: "us",
  explanation:
    "The provider calls our request malformed. Check whether it wants numbers in another form, and send it the call's SIP messages.",
};
const SERVER_ERROR: Meaning = {
  kind: "unavailable",
  fault: "carrier",
  explanation:
    "The provider's server failed with an error of its own. Try again later; if it lasts, ask the provider, with the time of the call.",
};
const NETWORK_FAULT: Meaning = {
  kind: "unavailable",
  fault: "carrier",
  explanation: "The telephone network could not connect the call. Try again later.",
};
const MISUNDERSTOOD: Meaning = {
  kind: "rejected",
  fault: "carrier",
  explanation:
    "The provider's server did not understand the call's request. Ask the provider, with the time of the call.",
};
const LOOPED: Meaning = {
  kind: "unavailable",
  fault: "carrier",
  explanation:
    "The call went round in circles in the provider's network. Ask the provider how the number is routed.",
};
const ANONYMITY_REJECTED: Meaning = {
  kind: "forbidden",
  fault: "us",
  explanation:
    "The called party takes no calls without a caller id. Set the trunk's caller id to a number of your own.",
};
const IDENTITY_REJECTED: Meaning = {
  kind: "forbidden",
  fault: "us",
  explanation:
    "The caller id was not accepted. Set the trunk's caller id to a number that the provider has given you.",
};
const UNWANTED: Meaning = {
  kind: "declined",
  fault: "callee",
  explanation:
    "The called party or its network refuses calls of this kind. Do not call this number again without its consent.",
};
const OVERLOADED: Meaning = {
  kind: "unavailable",
  fault: "carrier",
  explanation:
    "The provider is overloaded, or all lines of the trunk are in use. Try again later, or ask the provider for more lines.",
};

const BY_CODE: ReadonlyMap<number, Meaning> = new Map([
  ...[300, 301, 302, 305, 380].map((code) => [code, REDIRECTED] as const),
  [400, BAD_REQUEST],
  ...[405, 406, 413, 414, 416, 420, 421, 422, 423, 481, 493].map(
    (code) => [code, MISUNDERSTOOD] as const,
  ),
  ...[482, 483].map((code) => [code, LOOPED] as const),
  ...[428, 436, 437, 438].map((code) => [code, IDENTITY_REJECTED] as const),
  [433, ANONYMITY_REJECTED],
  [485, UNKNOWN_NUMBER],
  [503, OVERLOADED],
  [580, NO_COMMON_CODEC],
  ...[607, 608].map((code) => [code, UNWANTED] as const),
  [401, UNAUTHORISED],
  [402, UNPAID],
  [403, FORBIDDEN],
  [404, UNKNOWN_NUMBER],
  [407, UNAUTHORISED],
  [408, NO_ANSWER],
  [410, UNKNOWN_NUMBER],
  [415, NO_COMMON_CODEC],
  [480, TEMPORARILY_UNAVAILABLE],
  [484, UNKNOWN_NUMBER],
  [486, BUSY],
  [487, NO_ANSWER],
  [488, NO_COMMON_CODEC],
  [500, SERVER_ERROR],
  [600, BUSY],
  [603, DECLINED],
  [604, UNKNOWN_NUMBER],
  [606, NO_COMMON_CODEC],
]);

/**
 * Causes that are more specific than the SIP code they come with (Q.850 table 1, RFC 3398 7.2.4.1).
 */
const BY_CAUSE: ReadonlyMap<number, Meaning> = new Map([
  ...[1, 2, 3, 22, 28].map((cause) => [cause, UNKNOWN_NUMBER] as const),
  [17, BUSY],
  ...[18, 19].map((cause) => [cause, NO_ANSWER] as const),
  ...[20, 27].map((cause) => [cause, TEMPORARILY_UNAVAILABLE] as const),
  [21, DECLINED],
  ...[34, 42, 44, 47].map((cause) => [cause, OVERLOADED] as const),
  ...[38, 41].map((cause) => [cause, NETWORK_FAULT] as const),
  ...[58, 65, 88].map((cause) => [cause, NO_COMMON_CODEC] as const),
]);
/** SIP codes that gateways use when no other fits. */
const isVague = (sipCode: number): boolean =>
  sipCode === 400 || sipCode === 403 || sipCode === 480 || (sipCode >= 500 && sipCode < 600);

/** The remote party's final response to our INVITE; `reasons`: its Reason headers (RFC 3326). */
export function endOfRejectedCall(sipCode: number, reasons: readonly string[] = []): LegEnd {
  const known = isVague(sipCode) ? BY_CAUSE.get(causeIn(reasons)) : undefined;
  const meaning = known ?? BY_CODE.get(sipCode) ?? unlistedMeaning(sipCode);
  return { by: "callee", sipCode, ...meaning };
}

/** The Q.850 cause; NaN: none. */
function causeIn(reasons: readonly string[]): number {
  const reason = reasons.find((value) => /^\s*Q\.850\s*;/i.test(value));
  return Number(/;\s*cause\s*=\s*(\d{1,3})\b/i.exec(reason ?? "")?.[1] ?? Number.NaN);
}

function unlistedMeaning(sipCode: number): Meaning {
  if (sipCode >= 500 && sipCode < 600) {
    return {
      kind: "unavailable",
      fault: "carrier",
      explanation: `The provider could not connect the call (code ${sipCode}). Try again later.`,
    };
  }
  return {
    kind: "rejected",
    fault: "callee",
    explanation: `The call was refused with code ${sipCode}.`,
  };
}

/** Our own final response to an incoming INVITE. */
export function endOfRejectedCaller(sipCode: number): LegEnd {
  const kind = BY_CODE.get(sipCode)?.kind ?? (sipCode === 503 ? "unavailable" : "rejected");
  return {
    by: "us",
    kind,
    sipCode,
    fault: null,
    explanation: `The call was not taken; the caller was told code ${sipCode}.`,
  };
}

/** `sipCode` 200: the remote party answered, but with media that we cannot use. */
export const noCommonCodec = (by: LegEnd["by"], sipCode: 200 | 488 = 488): LegEnd => ({
  by,
  sipCode,
  ...NO_COMMON_CODEC,
});

export const hungUp = (by: LegEnd["by"]): LegEnd => ({
  by,
  kind: "bye",
  sipCode: null,
  fault: null,
  explanation: by === "us" ? "The call was ended from our side." : `The ${by} hung up.`,
});

export const cancelled = (by: LegEnd["by"], sipCode: number | null): LegEnd => ({
  by,
  kind: "cancelled",
  sipCode,
  fault: null,
  explanation:
    by === "us" ? "The call was cancelled before it was answered." : "The caller gave up.",
});

export const ringTimedOut = (sipCode: number | null): LegEnd => ({
  by: "us",
  sipCode,
  ...NO_ANSWER,
});

export const transportFailed = (): LegEnd => ({
  by: "us",
  kind: "transport_failed",
  sipCode: null,
  fault: "carrier",
  explanation:
    "The provider's server did not answer. Check the trunk's server name, port and firewall.",
});

export const sessionExpired = (): LegEnd => ({
  by: "us",
  kind: "session_expired",
  sipCode: null,
  fault: "carrier",
  explanation:
    "The far end stopped confirming that the call still stands, so it was ended. Check the network between us and the provider.",
});

export const ackMissing = (): LegEnd => ({
  by: "us",
  kind: "ack_missing",
  sipCode: 200,
  fault: "carrier",
  explanation:
    "The call was answered, but the provider never confirmed it. Check the public address and NAT.",
});
