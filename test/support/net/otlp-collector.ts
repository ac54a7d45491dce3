/**
 * An OpenTelemetry collector on loopback that receives traces over HTTP and checks each request
 * against the protocol (OTLP/JSON): ids in hex of the right length, times as text, values in one of
 * the allowed forms.
 */
import { z } from "zod";

const nanoseconds = z.string().regex(/^\d{19}$/);
const spanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/);
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value: anyValue }));
const span = z.strictObject({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId,
  parentSpanId: spanId.optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.strictObject({ code: z.int().min(0).max(2), message: z.string() }).optional(),
});
const request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(span).min(1),
        }),
      ),
    }),
  ),
});

export type CollectedSpan = z.output<typeof span>;
type Answer = number | "silence";

export interface OtlpCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  readonly headers: readonly Headers[];
  /** Protocol errors in requests. */
  readonly faults: readonly string[];
  /** Response to the next requests; default 200. */
  answer: Answer;
  close(): void;
}

export function startOtlpCollector(host: string, port = 0): OtlpCollector {
  const spans: CollectedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const headers: Headers[] = [];
  const faults: string[] = [];
  const state: { answer: Answer } = { answer: 200 };

  async function take(incoming: Request): Promise<Response> {
    headers.push(new Headers(incoming.headers));
    if (incoming.method !== "POST") faults.push(incoming.method);
    if (incoming.headers.get("content-type") !== "application/json") faults.push("content-type");
    const parsed = request.safeParse(await incoming.json());
    if (state.answer === "silence") return await new Promise<Response>(() => {});
    if (state.answer !== 200) return new Response("", { status: state.answer });
    if (!parsed.success) {
      faults.push(z.prettifyError(parsed.error));
      return new Response("{}", { status: 400 });
    }
    for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
      resources.push(valuesOf(resource.attributes));
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    return Response.json({});
  }

  const server = Bun.serve({ hostname: host, port, idleTimeout: 60, fetch: take });
  return {
    url: `http://${host}:${server.port}/v1/traces`,
    spans,
    resources,
    headers,
    faults,
    get answer() {
      return state.answer;
    },
    set answer(answer) {
      state.answer = answer;
    },
    close: () => void server.stop(true),
  };
}

/** Attributes as a record. */
export function valuesOf(listed: CollectedSpan["attributes"]): Record<string, unknown> {
  return Object.fromEntries(listed.map(({ key, value }) => [key, Object.values(value)[0]]));
}
