/**
 * Reads the called and calling numbers from the headers of an INVITE. Pure. The remote party
 * controls all of it; number/national-form.ts interprets numbers for storage and display.
 */
import { type NameAddr, parseNameAddr, type SipRequest, userOf } from "../message/index.ts";

/** Names of the trunk itself that a request may contain instead of a telephone number. */
export interface AccountNames {
  readonly contactUser: string;
  /** Empty if there is none. */
  readonly username: string;
}

/** Maximum entries read from a header with earlier targets. */
const HISTORY_MAX = 16;

const CALLED_MAX = 12;

const named = (request: SipRequest, header: string): NameAddr[] =>
  request.headers
    .all(header)
    .slice(-HISTORY_MAX)
    .map(parseNameAddr)
    .filter((value): value is NameAddr => value !== undefined);

/** Users that the carrier delivers the call to: Request-URI, To, P-Called-Party-ID (RFC 7315 4.2). */
const deliveredTo = (request: SipRequest): (string | null)[] => [
  userOf(request.uri),
  userOf(request.to.uri),
  ...named(request, "p-called-party-id").map(({ uri }) => userOf(uri)),
];

/** Without diverting parties: their numbers are not the trunk's. As received. */
export const deliveredNumbersOf = (request: SipRequest): string[] =>
  deliveredTo(request).filter((user) => user !== null);

/**
 * Called numbers in order of trust: Request-URI, To, P-Called-Party-ID (RFC 7315 4.2), the latest
 * of History-Info (RFC 7044), Diversion (RFC 5806). As received, without duplicates and without our
 * Contact user.
 */
export function calledNumbersOf(request: SipRequest, contactUser: string): string[] {
  const users = [
    ...deliveredTo(request),
    ...named(request, "history-info")
      .reverse()
      .map(({ uri }) => userOf(uri)),
    ...named(request, "diversion").map(({ uri }) => userOf(uri)),
  ];
  const numbers = users.filter((user): user is string => user !== null && user !== contactUser);
  return [...new Set(numbers)].slice(0, CALLED_MAX);
}

/**
 * True if the Request-URI names our Contact or the account, as PBXs do: this means the trunk's own
 * number.
 */
export function isForAccount(request: SipRequest, names: AccountNames): boolean {
  const user = userOf(request.uri) ?? userOf(request.to.uri);
  return user === names.contactUser || (names.username !== "" && user === names.username);
}

/** `Remote-Party-ID` (draft-ietf-sip-privacy-04): true for the calling party. */
const isCalling = ({ parameters }: NameAddr): boolean =>
  (parameters.get("party") ?? "calling").toLowerCase() === "calling";

/**
 * The caller's number as received: the first of P-Asserted-Identity, Remote-Party-ID and From that
 * consists of digits. Null if none does, or if the caller requested privacy (RFC 3323, RFC 3325).
 * An anonymous From hides the others too, unless a header explicitly requests no privacy.
 */
export function callerNumberOf(request: SipRequest): string | null {
  const remote = named(request, "remote-party-id").filter(isCalling);
  const privacy = new Set([
    ...(request.headers.get("privacy") ?? "").toLowerCase().split(/[;,\s]+/),
    ...remote.map(({ parameters }) => (parameters.get("privacy") ?? "").toLowerCase()),
  ]);
  if (["id", "user", "full", "uri"].some((level) => privacy.has(level))) return null;
  const from = userOf(request.from.uri);
  const isOpen = privacy.has("none") || privacy.has("off");
  if (from?.toLowerCase() === "anonymous" && !isOpen) return null;
  const users = [
    ...named(request, "p-asserted-identity").map(({ uri }) => userOf(uri)),
    ...remote.map(({ uri }) => userOf(uri)),
    from,
  ];
  return users.find((user) => user !== null && LIKE_A_NUMBER.test(user)) ?? null;
}

/** Digits with visual separators and parameters (`;phone-context=…`). */
const LIKE_A_NUMBER = /^\+?[\d ().-]{1,32}(;[^\s<>"]{0,64})?$/;
