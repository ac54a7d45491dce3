/**
 * SIP messages: parser, builders, typed header values. Pure, independent of SIP.js and of sockets;
 * used by the stack, the demo's carrier and the tests' phones.
 */

export {
  buildRequest,
  buildResponse,
  type RequestParts,
  type ResponseParts,
  serialise,
} from "./build.ts";
export { type HeaderInit, Headers } from "./headers.ts";
export {
  BEGINS_MESSAGE,
  BEGINS_REQUEST,
  headOf,
  LATER_MESSAGE,
} from "./line-ends.ts";
export {
  isOfRfc2543,
  type ParseFailure,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  stamped,
  transactionIdentity,
} from "./message.ts";
export {
  isBodyOptional,
  mediaTypeOf,
  sdpIn,
  sessionIn,
  withPlainSdp,
} from "./multipart.ts";
export { formatNameAddr, type NameAddr, parseNameAddr, tagOf } from "./name-addr.ts";
export { type Parameters, parseParameters } from "./parameters.ts";
export { MESSAGE_BYTES_MAX, parseMessage, parseOwnMessage } from "./parse.ts";
export { rejectMalformed } from "./rejection.ts";
export { retryAfterMs } from "./retry-after.ts";
export { formatUri, parseUri, type SipUri, type Uri, userOf } from "./uri.ts";
export {
  branchOf,
  formatVia,
  parseVia,
  plainHost,
  responseDestination,
  sourceHostOf,
  stampSource,
} from "./via.ts";
