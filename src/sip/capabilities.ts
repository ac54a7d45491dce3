/** Our values of Allow, Accept and Supported, and the option tags that we accept in Require. */

export const ALLOW = "INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, NOTIFY, PRACK, UPDATE, REFER";
export const ACCEPT = "application/sdp, application/dtmf-relay, application/dtmf";
/** Option tags: RFC 3262, RFC 4028, RFC 3891. */
export const OPTION_TAGS: ReadonlySet<string> = new Set(["100rel", "timer", "replaces"]);
export const SUPPORTED = [...OPTION_TAGS].join(", ");
