/**
 * OTLP/HTTP in JSON (opentelemetry-proto 1.x, ExportTraceServiceRequest): camelCase names, ids in lower-case
 * hex, 64-bit numbers as decimal text, enumerations as numbers. Pure, except for span ids.
 */
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import type { AttributeValue, Trace, TraceSpan } from "./span.ts";

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;
const SPAN_ID_BYTES = 8;
const ALL_ZERO = /^0+$/;

export type Attributes = Readonly<Record<string, AttributeValue | null | undefined>>;

/** Body of one POST. `resource` describes the sender, `scope` its component. */
export function otlpTraces(
  traces: readonly Trace[],
  about: { readonly resource: Attributes; readonly scopeVersion: string },
  random: Random,
) {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(about.resource) },
        scopeSpans: [
          {
            scope: { name: "linevoice.call", version: about.scopeVersion },
            spans: traces.flatMap((trace) => spansOf(trace, random)),
          },
        ],
      },
    ],
  };
}

function spansOf({ traceId, spans }: Trace, random: Random) {
  const ids = spans.map(() => spanId(random));
  return spans.map((span, index) => spanOf(span, traceId, ids, index));
}

function spanOf(span: TraceSpan, traceId: string, ids: readonly string[], index: number) {
  const parentSpanId = span.parent === null ? undefined : ids[span.parent];
  return {
    traceId,
    spanId: ids[index],
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(Math.max(span.startMs, span.endMs)),
    attributes: attributesOf(span.attributes),
    ...(span.error === null ? {} : { status: { code: STATUS_ERROR, message: span.error } }),
  };
}

/** All zeros means "none" (W3C Trace Context 3.2.2). */
function spanId(random: Random): string {
  const id = hex(random.bytes(SPAN_ID_BYTES));
  return ALL_ZERO.test(id) ? spanId(random) : id;
}

/** A double cannot represent nanoseconds since the epoch exactly: whole microseconds, then three zeros. */
const nanoseconds = (epochMs: number): string => `${Math.round(epochMs * 1000)}000`;

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: AttributeValue) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
