/**
 * The two typed clients: `rest` for the public API v1 (the session selects the company) and `own`
 * for the dashboard's private API. `answer` unwraps a reply or throws an `ApiProblem`.
 */
import createClient from "openapi-fetch";
import type { components as OwnComponents, paths as OwnPaths } from "./dashboard.gen.ts";
import { ApiProblem } from "./problem.ts";
import type { components as RestComponents, paths as RestPaths } from "./rest.gen.ts";
import { stepUp } from "./step-up.ts";

/** Returns the response that early.ts requested, if any. Each response is used once. */
function fetchUnlessAsked(request: Request): Promise<Response> {
  const early = request.method === "GET" ? window.earlyAnswers?.get(request.url) : undefined;
  window.earlyAnswers?.delete(request.url);
  return early ?? fetch(request);
}

const client = { fetch: fetchUnlessAsked };
export const rest = createClient<RestPaths>({
  ...client,
  baseUrl: `${globalThis.location?.origin ?? ""}/api/v1`,
});
export const own = createClient<OwnPaths>({
  ...client,
  baseUrl: `${globalThis.location?.origin ?? ""}/api/dashboard`,
});

rest.use(stepUp);
own.use(stepUp);

export type Rest = RestComponents["schemas"];
export type Own = OwnComponents["schemas"];

interface Reply<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** A record and its version (`ETag`). A change must send that version. */
export type Versioned<Kept> = Kept & { readonly version: string };

/** Unwraps a reply like `answer`, and picks the record with its version. */
export async function versioned<Data, Kept extends object>(
  asked: Promise<Reply<Data>>,
  pick: (data: Data) => Kept,
): Promise<Versioned<Kept>> {
  const kept = pick(await answer(asked));
  return { ...kept, version: (await asked).response.headers.get("etag") ?? "" };
}

/** Media type of a streamed reply of JSON lines, which `jsonLines` reads. */
export const NDJSON = "application/x-ndjson";

/** Yields the lines of a streamed reply, each as soon as it arrives. */
export async function* jsonLines<Line>(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): AsyncGenerator<Line> {
  if (!stream) return;
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

const SIGNED_OUT = {
  error: "unauthorized",
  reason: "signed_out",
  message: "You are signed out. Sign in, then try again. Your input stays here.",
};

/** If the session has ended, the public API asks for an API key instead. */
const isWithoutSession = ({ status, url }: Response) =>
  status === 401 && new URL(url, location.origin).pathname.startsWith("/api/v1/");

export async function answer<Data>(asked: Promise<Reply<Data>>): Promise<Data> {
  const { data, error, response } = await asked;
  if (!response.ok || data === undefined)
    throw new ApiProblem(response.status, isWithoutSession(response) ? SIGNED_OUT : error);
  return data;
}
