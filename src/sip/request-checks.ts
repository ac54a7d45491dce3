/** Reasons to reject a request before a session sees it (RFC 3261 8.2, 16.3). */
import { ACCEPT, ALLOW, OPTION_TAGS, SUPPORTED } from "./capabilities.ts";
import {
  isBodyOptional,
  isOfRfc2543,
  mediaTypeOf,
  parseNameAddr,
  type ResponseParts,
  type SipRequest,
  sessionIn,
  tagOf,
} from "./message/index.ts";
import { isIntervalTooSmall, MIN_SE_SECONDS } from "./session/session-timer.ts";

/** Undefined if the request is accepted. */
export function rejectionOf(request: SipRequest): ResponseParts | undefined {
  const { method, headers } = request;
  if (method === "ACK" || method === "CANCEL") return undefined;
  if (headers.get("max-forwards") === "0" && method !== "OPTIONS") return { statusCode: 483 };
  if (request.uri.scheme === "other") return { statusCode: 416 };
  if (isAmbiguous(request)) return { statusCode: 400 };
  const unsupported = headers
    .all("require")
    .filter((option) => !OPTION_TAGS.has(option.toLowerCase()));
  if (unsupported.length > 0) {
    return { statusCode: 420, headers: [["Unsupported", unsupported.join(", ")]] };
  }
  if (isIntervalTooSmall(request))
    return { statusCode: 422, headers: [["Min-SE", MIN_SE_SECONDS]] };
  if (tagOf(request.to) === null) return rejectionOutsideDialog(request);
  if (!METHODS.has(method)) return NOT_ALLOWED;
  if (method === "REFER" && !headers.has("refer-to")) return { statusCode: 400 };
  return method === "INVITE" ? rejectionOfBody(request) : undefined;
}

const METHODS: ReadonlySet<string> = new Set(ALLOW.split(", "));
const NOT_ALLOWED: ResponseParts = { statusCode: 405, headers: [["Allow", ALLOW]] };

/** Headers inside a Request-URI (RFC 3261 19.1.1) and unreadable Contacts. */
function isAmbiguous({ uri, headers }: SipRequest): boolean {
  if ((uri.scheme === "sip" || uri.scheme === "sips") && uri.headers !== null) return true;
  return headers.all("contact").some((value) => value !== "*" && !parseNameAddr(value));
}

/** The body of an INVITE must be uncompressed SDP of its session (RFC 3261 8.2.3). */
function rejectionOfBody(request: SipRequest): ResponseParts | undefined {
  const { headers, body } = request;
  if (body === "" || isBodyOptional(request)) return undefined;
  const encodings = headers.all("content-encoding").map((each) => each.trim().toLowerCase());
  if (encodings.some((each) => each !== "identity"))
    return { statusCode: 415, headers: [["Accept-Encoding", "identity"]] };
  if (sessionIn(request) !== undefined) return undefined;
  return { statusCode: 415, headers: [["Accept", ACCEPT]] };
}

/** The peer must also accept SDP as a response body (21.4.7). */
function rejectionOfContent(request: SipRequest): ResponseParts | undefined {
  const rejection = rejectionOfBody(request);
  if (rejection) return rejection;
  const { headers } = request;
  const accepted = headers.all("accept").map(mediaTypeOf);
  // Carriers forget SDP in long Accept lists. Only a list without any application type is a reason
  // to reject.
  const bearable = (type: string) => /^(application|multipart|\*)\//.test(type);
  if (accepted.length > 0 && !accepted.some(bearable)) return { statusCode: 406 };
  return undefined;
}

function rejectionOutsideDialog(request: SipRequest): ResponseParts | undefined {
  switch (request.method) {
    case "OPTIONS":
      return {
        statusCode: 200,
        headers: [
          ["Allow", ALLOW],
          ["Accept", ACCEPT],
          ["Supported", SUPPORTED],
        ],
      };
    case "INVITE":
      // RFC 2543 required no Contact (RFC 4475 3.4.1): From replaces it (session/convert.ts).
      return request.headers.has("contact") || isOfRfc2543(request)
        ? rejectionOfContent(request)
        : { statusCode: 400 };
    case "BYE":
    case "PRACK":
    case "UPDATE":
    case "INFO":
      return { statusCode: 481 };
    default:
      return NOT_ALLOWED;
  }
}
