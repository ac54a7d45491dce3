/** Which certificate authorities a request or socket of the runtime trusts. */
import { getCACertificates } from "node:tls";

/** Options of `fetch` and `WebSocket`. Empty: what the runtime trusts by itself. */
export interface Trust {
  readonly tls?: { readonly ca: string[] };
}

let last: { readonly caPem: string; readonly trust: Trust } | null = null;

/**
 * `caPem`: of `[http_client] ca_file`; trusted beside the built-in roots and `NODE_EXTRA_CA_CERTS`. Null: nothing
 * more.
 */
export function trusting(caPem: string | null): Trust {
  if (caPem === null) return {};
  if (last?.caPem !== caPem)
    last = { caPem, trust: { tls: { ca: [...getCACertificates("default"), caPem] } } };
  return last.trust;
}
