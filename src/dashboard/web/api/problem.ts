/**
 * A problem returned by the API, as an error: code, message, field, and the values for its
 * translation.
 */
import type { Parameters } from "../i18n/catalogue.ts";

export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  readonly requestId: string | null;
  /** Distinguishes problems with the same code; null if the code is enough. */
  readonly reason: string | null;
  /** Values for the placeholders of the message. */
  readonly params: Parameters;

  constructor(status: number, body: unknown) {
    const fields = (typeof body === "object" && body !== null ? body : {}) as Record<
      string,
      unknown
    >;
    const text = (key: string) =>
      typeof fields[key] === "string" ? (fields[key] as string) : null;
    super(text("message") ?? `HTTP ${status}`);
    this.name = "ApiProblem";
    this.status = status;
    this.code = text("error") ?? (status === 0 ? "offline" : "engine");
    this.field = text("field");
    this.requestId = text("request_id");
    this.reason = text("reason");
    this.params = (fields.params ?? {}) as Parameters;
  }
}

/** Converts any error from a request. A request without a response becomes `offline`. */
export function problemOf(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiProblem) return thrown;
  if (thrown instanceof TypeError) return new ApiProblem(0, null);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiProblem(500, { error: "app", message });
}
