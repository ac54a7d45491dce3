/** How a request through the guarded client fails. */
export type GuardedFailure =
  | "invalid_url"
  | "blocked_address"
  | "name_not_found"
  | "connection_failed"
  | "certificate"
  | "timeout"
  | "aborted"
  | "too_large"
  | "bad_response";

/** `message` is safe to show to the tenant: it names their URL's trouble, not our network. */
export class GuardedHttpError extends Error {
  override readonly name = "GuardedHttpError";
  constructor(
    readonly failure: GuardedFailure,
    message: string,
  ) {
    super(message);
  }
}

const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|HOSTNAME_MISMATCH/;

/** Turns whatever a socket or parser throws into one of ours. */
export function asGuardedHttpError(error: unknown): GuardedHttpError {
  if (error instanceof GuardedHttpError) return error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (CERTIFICATE_CODE.test(code))
    return new GuardedHttpError("certificate", `the certificate is not trusted (${code})`);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new GuardedHttpError("name_not_found", "the host name was not found");
  if (/^E[A-Z]+$/.test(code))
    return new GuardedHttpError("connection_failed", `the connection failed (${code})`);
  return new GuardedHttpError("bad_response", code || message || "not an HTTP answer");
}
