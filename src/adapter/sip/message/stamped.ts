/** The request with `received` and `rport` in its topmost Via (RFC 3261 18.2.1, RFC 3581 4). */
import type { SipRequest } from "./message.ts";
import { formatVia, stampSource } from "./via.ts";

export function stamped(
  request: SipRequest,
  source: { readonly host: string; readonly port: number },
): SipRequest {
  const via = stampSource(request.via, source);
  const headers = request.headers.clone();
  headers.setFirst("via", formatVia(via));
  return { ...request, via, headers };
}
