/** A trace before encoding: one call and its spans. */

export type AttributeValue = string | number | boolean;

export interface TraceSpan {
  readonly name: string;
  /** `server`: an incoming request; `client`: an outgoing request. */
  readonly kind: "internal" | "server" | "client";
  /** Epoch ms, fractional. */
  readonly startMs: number;
  /** Not before `startMs`. */
  readonly endMs: number;
  /** Index of the parent in the trace's list; null: the root. */
  readonly parent: number | null;
  readonly attributes: Readonly<Record<string, AttributeValue | null | undefined>>;
  /** One word for the error; null: none. */
  readonly error: string | null;
}

export interface Trace {
  /** 32 hex digits: the call's UUID without dashes, so that each can be found from the other. */
  readonly traceId: string;
  /** The root first; a parent comes before its children. */
  readonly spans: readonly TraceSpan[];
}
