/** Trusted certificate authorities of a request or socket of the runtime. */
import { getCACertificates } from "node:tls";

/** Options of `fetch` and `WebSocket`. Empty: the runtime's certificates. */
export interface Trust {
  readonly tls?: { readonly ca: string[] };
}

let last: { readonly caPem: string; readonly trust: Trust } | null = null;

/**
 * `caPem`: from `[http_client] ca_file`; trusted in addition to the built-in roots and
 * `NODE_EXTRA_CA_CERTS`. Null: no further ones.
 */
export function trusting(caPem: string | null): Trust {
  if (caPem === null) return {};
  if (last?.caPem !== caPem)
    last = { caPem, trust: { tls: { ca: [...getCACertificates("default"), caPem] } } };
  return last.trust;
}
