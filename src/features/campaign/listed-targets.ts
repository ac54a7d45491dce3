/** A campaign's numbers with their results: page by page, and as CSV. */
import { isoUtc } from "../../core/clock.ts";
import { csvRow } from "../../core/csv.ts";
import { mayCallNow, nextCallingTime } from "../contact/calling-hours.ts";

export const TARGET_STATUSES = ["waiting", "calling", "done", "failed", "skipped"] as const;
export type TargetStatus = (typeof TARGET_STATUSES)[number];

interface TargetRecord {
  readonly id: number;
  readonly numberE164: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly status: TargetStatus;
  readonly attempts: number;
  /** How the latest call ended, or why the number is skipped. */
  readonly outcome: string | null;
  readonly notBefore: number;
  /** The latest call; null if there was none, or it was deleted. */
  readonly callUuid: string | null;
  readonly lastAttemptAt: number | null;
}

export interface ListedTarget extends Omit<TargetRecord, "notBefore"> {
  readonly nextAttemptAt: number | null;
}

interface TargetFilter {
  readonly status?: TargetStatus | undefined;
}

/** Implemented by store/schedule/target-list-store.ts. */
export interface TargetRecords {
  /** In the order of the file; `after`: only those after this one. */
  targets(
    campaignId: number,
    filter: TargetFilter & { readonly after?: number },
    page: { readonly limit: number; readonly offset: number },
  ): Promise<TargetRecord[]>;
}

/** Calling hours of a campaign. */
interface TargetHours {
  /** True if it is running and waits only for its hours. */
  readonly calls: boolean;
  readonly callingFrom: number;
  readonly callingTo: number;
  readonly timeZone: string;
  readonly holidays: string | null;
}

const CSV_PAGE = 500;

/** Time of each number's next call, within the campaign's hours. */
export function nextAttempts(
  { calls, timeZone, holidays, callingFrom, callingTo }: TargetHours,
  nowMs: number,
): (target: TargetRecord) => ListedTarget {
  const hours = { from: callingFrom, to: callingTo, holidays };
  const isOpen = mayCallNow(timeZone, nowMs, hours);
  // Cached, because most numbers of a list wait for the same time.
  const known = new Map<number, number | null>();
  const next = (notBefore: number): number | null => {
    if (isOpen && notBefore <= nowMs) return notBefore;
    const fromMs = Math.max(notBefore, nowMs);
    const at = known.get(fromMs) ?? nextCallingTime(timeZone, fromMs, hours);
    known.set(fromMs, at);
    return at;
  };
  return ({ notBefore, ...target }) => {
    const isNext = calls && target.status === "waiting";
    return { ...target, nextAttemptAt: isNext ? next(notBefore) : null };
  };
}

/** Yields lines, reading page by page. The columns of the campaign's file follow ours. */
export async function* targetsCsv(
  records: TargetRecords,
  campaignId: number,
  filter: TargetFilter,
  shown: (target: TargetRecord) => ListedTarget,
): AsyncGenerator<string> {
  let columns: string[] | null = null;
  for (let after = 0; ; ) {
    const page: TargetRecord[] = await records.targets(
      campaignId,
      { ...filter, after },
      { limit: CSV_PAGE, offset: 0 },
    );
    if (columns === null) {
      columns = Object.keys(page[0]?.variables ?? {});
      yield csvRow([...CSV_COLUMNS, ...columns]);
    }
    for (const target of page) yield csvLine(shown(target), columns);
    after = page.at(-1)?.id ?? after;
    if (page.length < CSV_PAGE) return;
  }
}

const CSV_COLUMNS = [
  "number",
  "status",
  "attempts",
  "outcome",
  "last_attempt_at",
  "next_attempt_at",
  "call_uuid",
];

const csvTime = (epochMs: number | null) => (epochMs === null ? null : isoUtc(epochMs));

const csvLine = (target: ListedTarget, columns: readonly string[]): string =>
  csvRow([
    target.numberE164,
    target.status,
    target.attempts,
    target.outcome,
    csvTime(target.lastAttemptAt),
    csvTime(target.nextAttemptAt),
    target.callUuid,
    ...columns.map((column) => target.variables[column] ?? ""),
  ]);
