/** Validated search parameters of the calls page. */
import { CALL_STATUSES } from "../../../../core/ended-reason.ts";

/** Statuses that the filter offers: missed calls, and each status. */
export const LISTED_STATUSES = ["missed", ...CALL_STATUSES] as const;

export interface CallsView {
  readonly agent_id?: number;
  readonly status?: (typeof LISTED_STATUSES)[number];
  readonly direction?: "inbound" | "outbound";
  /** First day, as `2026-11-21`. */
  readonly from?: string;
  readonly to?: string;
  /** Words in the transcript, summary, name or number. */
  readonly words?: string;
  readonly tag?: string;
  readonly offset?: number;
}

export const WORDS_MAX = 100;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function viewOf(search: Readonly<Record<string, unknown>>): CallsView {
  const positive = (value: unknown) =>
    typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
  const day = (value: unknown) =>
    typeof value === "string" && DAY.test(value) ? value : undefined;
  // The router parses a search of digits as a number.
  const words = (value: unknown) =>
    (typeof value === "string" || typeof value === "number") && String(value).trim() !== ""
      ? String(value).slice(0, WORDS_MAX)
      : undefined;
  return {
    agent_id: positive(search.agent_id),
    status: LISTED_STATUSES.find((status) => status === search.status),
    direction:
      search.direction === "inbound" || search.direction === "outbound"
        ? search.direction
        : undefined,
    from: day(search.from),
    to: day(search.to),
    words: words(search.words),
    tag: words(search.tag),
    offset: positive(search.offset),
  };
}

/** Omits unset filters. */
export const queryOf = (view: CallsView): CallsView =>
  Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined));
