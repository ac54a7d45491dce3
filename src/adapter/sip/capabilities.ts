/** Our values of Allow, Accept and Supported, and the option tags that we accept in Require. */

const METHODS = [
  ...["INVITE", "ACK", "CANCEL", "BYE", "OPTIONS", "INFO", "NOTIFY", "PRACK", "UPDATE", "REFER"],
] as const;
export const ALLOW = METHODS.join(", ");
export const ACCEPT = "application/sdp, application/dtmf-relay, application/dtmf";
/** Option tags: RFC 3262, RFC 4028, RFC 3891. */
export const OPTION_TAGS: ReadonlySet<string> = new Set(["100rel", "timer", "replaces"]);
export const SUPPORTED = [...OPTION_TAGS].join(", ");
