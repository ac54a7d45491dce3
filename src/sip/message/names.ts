/**
 * Names of SIP header fields (RFC 3261 7.3): compact forms (7.3.3), spelling on the wire, and which
 * fields may have several comma-separated values in one line. Internally a name is always the long
 * form in lower case.
 */
const COMPACT_FORMS: ReadonlyMap<string, string> = new Map([
  ["a", "accept-contact"],
  ["b", "referred-by"],
  ["c", "content-type"],
  ["d", "request-disposition"],
  ["e", "content-encoding"],
  ["f", "from"],
  ["i", "call-id"],
  ["j", "reject-contact"],
  ["k", "supported"],
  ["l", "content-length"],
  ["m", "contact"],
  ["o", "event"],
  ["r", "refer-to"],
  ["s", "subject"],
  ["t", "to"],
  ["u", "allow-events"],
  ["v", "via"],
  ["x", "session-expires"],
  ["y", "identity"],
]);

/** Names not written Each-Word-Capitalised on the wire. */
const IRREGULAR_WIRE_NAMES: ReadonlyMap<string, string> = new Map([
  ["call-id", "Call-ID"],
  ["cseq", "CSeq"],
  ["www-authenticate", "WWW-Authenticate"],
  ["mime-version", "MIME-Version"],
  ["rack", "RAck"],
  ["rseq", "RSeq"],
  ["sip-etag", "SIP-ETag"],
  ["sip-if-match", "SIP-If-Match"],
  ["p-called-party-id", "P-Called-Party-ID"],
  ["min-se", "Min-SE"],
]);

/** Fields in which commas separate values (RFC 3261 7.3.1). Challenges and dates are not. */
const LIST_FIELDS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "alert-info",
  "allow",
  "allow-events",
  "call-info",
  "contact",
  "content-encoding",
  "content-language",
  "diversion",
  "error-info",
  "history-info",
  "in-reply-to",
  "p-asserted-identity",
  "path",
  "proxy-require",
  "record-route",
  "require",
  "route",
  "service-route",
  "supported",
  "unsupported",
  "via",
  "warning",
]);

/**
 * List fields that determine the destination of a message or whether it may be accepted. If one is
 * unreadable, the message is malformed; other unreadable fields are ignored (RFC 3261 16.3).
 */
const VITAL_FIELDS: ReadonlySet<string> = new Set([
  "contact",
  "proxy-require",
  "record-route",
  "require",
  "route",
  "via",
]);

/**
 * Fields that may occur only once in a message; a second one makes it ambiguous (RFC 4475 3.3.8).
 */
const SINGLE_FIELDS: ReadonlySet<string> = new Set([
  "call-id",
  "content-length",
  "content-type",
  "cseq",
  "event",
  "expires",
  "from",
  "max-forwards",
  "min-expires",
  "rack",
  "refer-to",
  "rseq",
  "session-expires",
  "to",
]);

/** The long form in lower case of a header name in any spelling. */
export function normaliseName(name: string): string {
  const lower = name.toLowerCase();
  return COMPACT_FORMS.get(lower) ?? lower;
}

/** Spelling of a normalised name on the wire. */
export function wireName(normalised: string): string {
  const irregular = IRREGULAR_WIRE_NAMES.get(normalised);
  if (irregular !== undefined) return irregular;
  return normalised.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => {
    return dash + letter.toUpperCase();
  });
}

export const isListField = (normalised: string): boolean => LIST_FIELDS.has(normalised);
export const isVitalField = (normalised: string): boolean => VITAL_FIELDS.has(normalised);
export const isSingleField = (normalised: string): boolean => SINGLE_FIELDS.has(normalised);
