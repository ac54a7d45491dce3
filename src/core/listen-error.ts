/** Error for an address that cannot be bound: which one, the reason, and the remedy. */
import { AppError, describeError } from "./errors.ts";

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there. Stop that program, or change",
  EADDRNOTAVAIL: "this machine has no such address. Change",
  EACCES: "this user cannot use the port. Choose one above 1023, or change",
};

/** Distance to the suggested port: 5070 for 5060. */
const NEXT_PORT = 10;

export class ListenError extends AppError {
  /** A configuration line that would avoid the conflict; null if none is known. */
  readonly remedy: string | null;

  constructor(publicMessage: string, remedy: string | null, cause: unknown) {
    super({ code: "unavailable", publicMessage, cause });
    this.remedy = remedy;
  }
}

/** `what`: "SIP over UDP"; `key`: the configuration key of the address, such as `[sip] bind`. */
export function listenError(
  what: string,
  address: { readonly host: string; readonly port: number },
  key: string,
  error: unknown,
): ListenError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why = WHY[code] ?? `${describeError(error)}. Check`;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const free = address.port + NEXT_PORT;
  const remedy = code === "EADDRINUSE" && free < 65_536 ? `${key} = "${host}:${free}"` : null;
  const message = `${what} cannot listen on ${host}:${address.port}: ${why} ${key}.`;
  return new ListenError(message, remedy, error);
}
