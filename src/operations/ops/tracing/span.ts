/** A trace as it is before it is written down: one call, and what happened in it. */

export type AttributeValue = string | number | boolean;

export interface TraceSpan {
  readonly name: string;
  /** `server`: asked of us; `client`: asked by us of somebody else. */
  readonly kind: "internal" | "server" | "client";
  /** Epoch ms, fractional. */
  readonly startMs: number;
  /** Not before `startMs`. */
  readonly endMs: number;
  /** Place of the parent in the trace's list; null: the root. */
  readonly parent: number | null;
  readonly attributes: Readonly<Record<string, AttributeValue | null | undefined>>;
  /** What went wrong, in a word; null: nothing did. */
  readonly error: string | null;
}

export interface Trace {
  /** 32 hex digits: a call's UUID without its dashes, so that either leads to the other. */
  readonly traceId: string;
  /** The root first; a parent stands before its children. */
  readonly spans: readonly TraceSpan[];
}
