/** The error of an address that cannot be listened on: which one, why, and what to do. */
import { AppError, describeError } from "./errors.ts";

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there. Stop that program, or change",
  EADDRNOTAVAIL: "this machine has no such address. Change",
  EACCES: "this user may not use the port. Choose one above 1023, or change",
};

/** `what`: "SIP over UDP"; `key`: the configuration key of the address, such as `[sip] bind`. */
export function cannotListen(
  what: string,
  address: { readonly host: string; readonly port: number },
  key: string,
  error: unknown,
): AppError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why = WHY[code] ?? `${describeError(error)}. Check`;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return new AppError({
    code: "unavailable",
    publicMessage: `${what} cannot listen on ${host}:${address.port}: ${why} ${key}.`,
    cause: error,
  });
}
