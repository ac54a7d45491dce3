/** The text of an answer to a request that SIP.js does not know (UPDATE, OPTIONS) in a dialog. */
import { ACCEPT, ALLOW, SUPPORTED } from "../capabilities.ts";
import {
  buildResponse,
  type HeaderInit,
  parseMessage,
  type ResponseParts,
  type SipRequest,
  type SipResponse,
} from "../message/index.ts";

/** In-dialog requests that are answered beside SIP.js. */
export const HANDLED_OUTSIDE_SIP_JS: ReadonlySet<string> = new Set(["UPDATE", "OPTIONS"]);

export function inDialogAnswer(
  request: SipRequest,
  parts: ResponseParts,
  contactUri: string,
): { readonly response: SipResponse; readonly text: string } {
  const headers: HeaderInit = [
    ["Contact", `<${contactUri}>`],
    ["Allow", ALLOW],
    ["Supported", SUPPORTED],
    ...(request.method === "OPTIONS" ? ([["Accept", ACCEPT]] as const) : []),
    ...(parts.headers ?? []),
  ];
  const text = buildResponse(request, { ...parts, headers });
  const response = parseMessage(text);
  if (response.kind !== "response") throw new Error("we wrote no response");
  return { response, text };
}
