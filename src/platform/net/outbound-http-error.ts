/** Reasons why an outbound HTTP request failed, with words for people. */
type OutboundHttpFailure =
  | "invalid_url"
  | "blocked_address"
  | "name_not_found"
  | "connection_failed"
  | "certificate"
  | "timeout"
  | "aborted"
  | "too_large"
  | "bad_response";

/**
 * `message` is safe to show to the tenant: it describes the problem with the URL and reveals
 * nothing about our network.
 */
export class OutboundHttpError extends Error {
  override readonly name = "OutboundHttpError";
  constructor(
    readonly failure: OutboundHttpFailure,
    message: string,
  ) {
    super(message);
  }
}

const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|HOSTNAME_MISMATCH/;

/** Codes of the HTTP parser's errors, each with its explanation. */
const BROKEN_HTTP: readonly (readonly [RegExp, string])[] = [
  [/OVERFLOW/, "the headers of the answer are too large"],
  [/CHUNK/, "a chunk of the answer has a wrong size"],
  [/CONTENT_LENGTH|TRANSFER_ENCODING/, "the answer states a wrong length"],
  [/HEADER|TOKEN|_LF_|CR_|_CR/, "a header of the answer is malformed"],
  [/STATUS/, "the status line of the answer is malformed"],
  [/VERSION/, "the answer has an unknown version of HTTP"],
  [/EOF|CLOSED/, "the answer broke off"],
];

const brokenHttp = (code: string): string =>
  BROKEN_HTTP.find(([pattern]) => pattern.test(code))?.[1] ??
  "the answer is not HTTP: is this the port of a web server?";

/** Converts any error of a socket or parser to an `OutboundHttpError`. */
export function asOutboundHttpError(error: unknown): OutboundHttpError {
  if (error instanceof OutboundHttpError) return error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (CERTIFICATE_CODE.test(code))
    return new OutboundHttpError("certificate", `the certificate is not trusted (${code})`);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new OutboundHttpError("name_not_found", "the host name was not found");
  if (code.startsWith("ERR_SSL_"))
    return new OutboundHttpError(
      "connection_failed",
      `no TLS connection: is this an HTTPS port? (${code})`,
    );
  if (/^E[A-Z]+$/.test(code))
    return new OutboundHttpError("connection_failed", `the connection failed (${code})`);
  if (code.startsWith("HPE_")) return new OutboundHttpError("bad_response", brokenHttp(code));
  return new OutboundHttpError("bad_response", message || code || "the answer is not HTTP");
}
