/** A problem that the API answered, as an error: its code, message and field, and what translates it. */
import type { Parameters } from "../i18n/catalogue.ts";

export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  readonly requestId: string | null;
  /** Which message it is, where the code says too little. */
  readonly reason: string | null;
  /** What fills the blanks of the message. */
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

/** Converts anything that a request threw; no response at all is `offline`. */
export function problemOf(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiProblem) return thrown;
  if (thrown instanceof TypeError) return new ApiProblem(0, null);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiProblem(500, { error: "app", message });
}
