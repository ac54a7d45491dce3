/** Reason for a failed connection, as text for the user. */

/** `code` as in node:net and node:tls; our own timeout is ETIMEDOUT. */
export class ConnectFailed extends Error {
  override readonly name = "ConnectFailed";
  constructor(
    /** One or two sentences for the user: the meaning, and what to check. */
    readonly explanation: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_UNTRUSTED",
]);

/** Further results of checking a certificate (X509_verify_cert). */
const UNUSABLE_CERTIFICATE =
  /^(CERT_|CRL_|ERROR_IN_C|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH|UNABLE_TO_)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

/** The server sent an alert, so it supports TLS. */
export const isAlert = (error: unknown): boolean => codeOf(error).includes("_ALERT_");

/** `server`: as the operator wrote it. */
export function connectFailed(error: unknown, server: string, port: number): ConnectFailed {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return new ConnectFailed(
    explanationOf(code, server, port),
    code ? `${code}: ${message}` : message,
  );
}

function explanationOf(code: string, server: string, port: number): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `The TLS certificate of ${server} is for another name, so nothing was sent to it. Use the server name in the certificate for the trunk.`;
  if (UNKNOWN_AUTHORITY.has(code))
    return `The TLS certificate of ${server} was signed by an unknown authority, so nothing was sent to it. Ask the provider for a certificate of a public authority, or ask the operator to add its authority with [sip] tls_ca_file.`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return `The TLS certificate of ${server} is not valid today. Check this machine's clock, and ask the provider.`;
  if (code.includes("PROTOCOL_VERSION") || code.includes("UNSUPPORTED_PROTOCOL"))
    return `${server} does not support TLS 1.2 or newer, and older versions are not safe. Ask the provider.`;
  if (UNUSABLE_CERTIFICATE.test(code))
    return `The TLS certificate of ${server} cannot be used (${code}), so nothing was sent to it. Ask the provider for another certificate.`;
  if (code.includes("_ALERT_"))
    return `${server} rejected the TLS connection. It may require a client certificate, which a trunk does not have, or ciphers that are no longer safe. Ask the provider.`;
  if (code.startsWith("ERR_SSL") || code === "EPROTO")
    return `${server} does not support TLS on port ${port}. Check the port (usually 5061 for TLS) and the transport.`;
  if (code === "ECONNREFUSED")
    return `${server} refuses connections on port ${port}. Check the port and the transport.`;
  if (code === "ECONNRESET")
    return `${server} closed the connection at once. Check the port and the transport, or ask the provider.`;
  return `${server} cannot be reached on port ${port}. Check the server name, port and firewall.`;
}
