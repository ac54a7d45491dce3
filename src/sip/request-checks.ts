/** What a request is refused for before a session sees it (RFC 3261 8.2, 16.3). */
import { ACCEPT, ALLOW, OPTION_TAGS, SUPPORTED } from "./capabilities.ts";
import { type ResponseParts, type SipRequest, tagOf } from "./message/index.ts";
import { isIntervalTooSmall, MIN_SE_SEC } from "./session/session-timer.ts";

/** Undefined: let it through. */
export function refusalOf(request: SipRequest): ResponseParts | undefined {
  const { method, headers } = request;
  if (method === "ACK" || method === "CANCEL") return undefined;
  if (headers.get("max-forwards") === "0" && method !== "OPTIONS") return { statusCode: 483 };
  if (request.uri.scheme === "other") return { statusCode: 416 };
  const unsupported = headers
    .all("require")
    .filter((option) => !OPTION_TAGS.has(option.toLowerCase()));
  if (unsupported.length > 0) {
    return { statusCode: 420, headers: [["Unsupported", unsupported.join(", ")]] };
  }
  if (isIntervalTooSmall(request)) return { statusCode: 422, headers: [["Min-SE", MIN_SE_SEC]] };
  if (tagOf(request.to) !== null) return undefined;
  return refusalOutsideDialog(request);
}

function refusalOutsideDialog(request: SipRequest): ResponseParts | undefined {
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
      return request.headers.has("contact") ? undefined : { statusCode: 400 };
    case "BYE":
    case "PRACK":
    case "UPDATE":
    case "INFO":
      return { statusCode: 481 };
    default:
      return { statusCode: 405, headers: [["Allow", ALLOW]] };
  }
}
