/** A problem that the API answered, as an error: code, message, field. */

export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  readonly requestId: string | null;
  /** The path of the request without ids: `["calls", "transfer"]`. */
  readonly path: readonly string[];

  constructor(status: number, body: unknown, url = "") {
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
    this.path = wordsOf(url);
  }
}

/** `https://host/api/v1/calls/0199…/transfer` → calls, transfer. */
const wordsOf = (url: string): string[] =>
  (/\/api\/(?:v1|dashboard)\/([^?#]*)/.exec(url)?.[1] ?? "")
    .split("/")
    .filter((word) => /^[a-z][a-z.-]*$/.test(word));

/** Converts anything that a request threw; no response at all is `offline`. */
export function problemOf(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiProblem) return thrown;
  if (thrown instanceof TypeError) return new ApiProblem(0, null);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiProblem(500, { error: "app", message });
}
