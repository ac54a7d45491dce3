/** Writes responses to in-dialog requests that SIP.js does not support, or only in part. */
import { ACCEPT, ALLOW, SUPPORTED } from "../capabilities.ts";
import {
  buildResponse,
  type HeaderInit,
  parseOwnMessage,
  type ResponseParts,
  type SipRequest,
  type SipResponse,
} from "../message/index.ts";

/** In-dialog requests answered without SIP.js. */
export const HANDLED_OUTSIDE_SIP_JS: ReadonlySet<string> = new Set(["UPDATE", "OPTIONS", "PRACK"]);

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
  const response = parseOwnMessage(text);
  if (response.kind !== "response") throw new Error("we wrote no response");
  return { response, text };
}
