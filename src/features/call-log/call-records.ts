/** Stored calls and scheduled calls: lists, details of a call, its recording, and CSV export. */

import { callNotesStore } from "../../call/store/call-notes-store.ts";
import { isoUtc } from "../../core/clock.ts";
import { csvRow } from "../../core/csv.ts";
import type { Database, Queries } from "../../core/database.ts";
import { notFound } from "../../core/errors.ts";
import { microToEur } from "../../core/money.ts";
import { agentStore } from "../agent/agent-store.ts";
import { contactStore } from "../contact/contact-store.ts";
import { scenarioOfCall } from "../rehearsal/from-call.ts";
import { scheduleListStore } from "../schedule/schedule-list-store.ts";
import { callAnnotationStore } from "./call-annotation-store.ts";
import { type CallFilter, callHistoryStore, type Page } from "./call-history-store.ts";
import { diagnosticsStore } from "./diagnostics-store.ts";

const CSV_PAGE_ROWS = 500;
/** Maximum contacts per number. */
const NAMES_MAX = 10;

const CSV_HEADER = csvRow([
  "call_uuid",
  "direction",
  "from_number",
  "to_number",
  "agent_id",
  "status",
  "ended_reason",
  "created_at",
  "answered_at",
  "ended_at",
  "billable_seconds",
  "cost_eur",
  "answered_by",
  "latency_p50_ms",
  "mos",
  "summary",
  "tags",
]);

/** Skipping rows is slow. Above this offset, rows are read only if the total shows that they exist. */
const SKIPPED_MAX = 1_000;

/** Both queries run together: a database server answers them in one round trip. */
export async function totalAndPage<Row>(
  { offset }: Page,
  asked: { readonly total: () => Promise<number>; readonly rows: () => Promise<Row[]> },
): Promise<[number, Row[]]> {
  if (offset <= SKIPPED_MAX) return await Promise.all([asked.total(), asked.rows()]);
  const total = await asked.total();
  return [total, offset < total ? await asked.rows() : []];
}

type History = ReturnType<typeof callHistoryStore>;
type Diagnostics = ReturnType<typeof diagnosticsStore>;
type Schedules = ReturnType<typeof scheduleListStore>;
export type CsvCall = Awaited<ReturnType<Diagnostics["pageOfCalls"]>>[number];

export type CallItem = Awaited<ReturnType<History["list"]>>[number];
export type ListedCall = Awaited<ReturnType<History["found"]>>[number];
export type CallRow = NonNullable<Awaited<ReturnType<History["find"]>>>;
export type CallTurn = Awaited<ReturnType<History["turns"]>>[number];
export type ScheduleRow = NonNullable<Awaited<ReturnType<Schedules["find"]>>>;
export type CallDiagnosis = Awaited<ReturnType<CallRecords["diagnosis"]>>;

export type CallRecords = ReturnType<typeof createCallRecords>;

export function createCallRecords({ read }: Pick<Database, "read">) {
  return {
    ...storedCalls(read),
    ...exportedCalls(read),
    ...recordings(read),
    ...scheduledCalls(read),
  };
}

function storedCalls(read: Queries) {
  const history = callHistoryStore(read);

  /** Throws not_found. */
  async function get(tenantId: number, callUuid: string): Promise<CallRow> {
    const call = await history.find(tenantId, callUuid);
    if (!call) throw notFound("call");
    return call;
  }

  return {
    get,
    /** Ids and total of the calls in `list`, and selected calls. */
    listing: history.listing,
    listed: history.listed,

    /** Newest first. */
    async list(tenantId: number, filter: CallFilter, page: Page) {
      const [total, calls] = await totalAndPage(page, {
        total: () => history.total(tenantId, filter),
        rows: () => history.list(tenantId, filter, page),
      });
      return { calls, total };
    },

    /** A call with its transcript, tool calls and notes. Throws not_found. */
    async conversation(tenantId: number, callUuid: string) {
      const call = await get(tenantId, callUuid);
      const [turns, toolCalls, notes] = await Promise.all([
        history.turns(call.id),
        history.toolCalls(call.id),
        callNotesStore(read).of(call.id),
      ]);
      return { call, turns, toolCalls, notes };
    },

    /** Converts a call into an anonymised scenario (YAML). Throws not_found. */
    async scenario(tenantId: number, callUuid: string): Promise<string> {
      return await scenarioOf(read, await this.conversation(tenantId, callUuid));
    },

    /** Diagnostic data of a call: SIP trace, quality, deliveries, mails. */
    async diagnosis({ id, tenantId, callUuid, agentId }: CallRow) {
      const store = diagnosticsStore(read);
      const agent = agentId === null ? undefined : await agentStore(read).find(tenantId, agentId);
      return {
        agentName: agent?.name ?? null,
        ...(await store.find(id)),
        deliveries: await store.deliveries(tenantId, callUuid),
        mails: await store.mails(tenantId, callUuid),
        hasPeaks: await store.hasPeaks(id),
      };
    },

    /** Headers of a call's packets; null: not stored. */
    async packetHeaders({ id }: CallRow) {
      return await diagnosticsStore(read).packetHeaders(id);
    },
  };
}

export type Conversation = Awaited<ReturnType<CallRecords["conversation"]>>;

async function scenarioOf(
  read: Queries,
  { call, turns, toolCalls, notes }: Conversation,
): Promise<string> {
  const { callUuid, direction, fromNumber, toNumber, endedReason, tenantId } = call;
  const number = direction === "inbound" ? fromNumber : toNumber;
  const people = await contactStore(read).byNumber(tenantId, number, NAMES_MAX);
  const messages = notes.flatMap((note) => (note.kind === "message" ? [note] : []));
  return scenarioOfCall(
    {
      callUuid,
      direction,
      endedReason,
      turns,
      toolCalls,
      startedAt: call.answeredAt ?? call.createdAt,
      messages: messages.map(({ text }) => text),
      transfers: notes.flatMap((note) => (note.kind === "transfer" ? [note] : [])),
      names: [
        ...people.flatMap(({ firstName, lastName }) => [firstName ?? "", lastName ?? ""]),
        ...messages.map(({ callerName }) => callerName ?? ""),
      ],
    },
    `Call of ${isoUtc(call.createdAt).slice(0, 16).replace("T", " ")}`,
  );
}

function exportedCalls(read: Queries) {
  return {
    /** Yields lines and reads page by page. `isShown` returns which calls of a page are wanted. */
    async *csv(
      tenantId: number,
      filter: CallFilter,
      isShown?: (calls: readonly CsvCall[]) => Promise<ReadonlySet<string>>,
    ): AsyncGenerator<string> {
      yield CSV_HEADER;
      const store = diagnosticsStore(read);
      for (let after: CsvCall | null = null; ; ) {
        const page: CsvCall[] = await store.pageOfCalls(tenantId, filter, after, CSV_PAGE_ROWS);
        const shown = isShown && (await isShown(page));
        const wanted = page.filter(({ callUuid }) => !shown || shown.has(callUuid));
        const tags = await tagsOf(read, tenantId, wanted);
        for (const call of wanted) yield csvLine(call, tags);
        after = page.at(-1) ?? after;
        if (page.length < CSV_PAGE_ROWS) return;
      }
    },

    /** The given calls as CSV, newest first. Unknown ids are skipped. */
    async *chosenCsv(tenantId: number, callUuids: readonly string[]): AsyncGenerator<string> {
      yield CSV_HEADER;
      const store = callHistoryStore(read);
      // UUIDs begin with the time, so they sort by time.
      for (const callUuid of [...new Set(callUuids)].toSorted().toReversed()) {
        const call = await store.find(tenantId, callUuid);
        if (call) yield csvLine(call, await tagsOf(read, tenantId, [call]));
      }
    },
  };
}

const csvTime = (epochMs: number | null) => (epochMs === null ? null : isoUtc(epochMs));

type Tags = ReadonlyMap<number, readonly string[]>;

const tagsOf = (read: Queries, tenantId: number, calls: readonly CsvCall[]): Promise<Tags> =>
  callAnnotationStore(read).tagsByCall(
    tenantId,
    calls.map(({ id }) => id),
  );

const csvLine = (call: CsvCall, tags: Tags): string =>
  csvRow([
    call.callUuid,
    call.direction,
    call.fromNumber,
    call.toNumber,
    call.agentId,
    call.status,
    call.endedReason,
    isoUtc(call.createdAt),
    csvTime(call.answeredAt),
    csvTime(call.endedAt),
    call.billableSeconds,
    microToEur(call.cost),
    call.answeredBy,
    call.latencyP50Ms,
    call.mos,
    call.summary,
    tags.get(call.id)?.join(", ") ?? "",
  ]);

function recordings(read: Queries) {
  /** Throws not_found. */
  async function recorded(tenantId: number, callUuid: string) {
    const call = await callHistoryStore(read).find(tenantId, callUuid);
    if (call?.recordingStatus !== "ready" || call.recordingFile === null)
      throw notFound("recording");
    return { id: call.id, file: call.recordingFile };
  }
  return {
    /** Name of the recording's file. Throws not_found. */
    recordingFile: async (tenantId: number, callUuid: string) =>
      (await recorded(tenantId, callUuid)).file,

    /** Recording of any tenant's call, for a signed link; null: none. */
    linkedRecordingFile: (callUuid: string) => callHistoryStore(read).recordingFile(callUuid),

    /** Loudness of the recording, for its waveform. Throws not_found. */
    async peaks(tenantId: number, callUuid: string) {
      const { id } = await recorded(tenantId, callUuid);
      const peaks = await diagnosticsStore(read).peaks(id);
      if (!peaks) throw notFound("waveform");
      return peaks;
    },
  };
}

function scheduledCalls(read: Queries) {
  const store = scheduleListStore(read);
  return {
    async schedules(tenantId: number, filter: Parameters<Schedules["total"]>[1], page: Page) {
      const [total, schedules] = await totalAndPage(page, {
        total: () => store.total(tenantId, filter),
        rows: () => store.list(tenantId, filter, page),
      });
      return { schedules, total };
    },

    /** Throws not_found. */
    async schedule(tenantId: number, id: number): Promise<ScheduleRow> {
      const schedule = await store.find(tenantId, id);
      if (!schedule) throw notFound("schedule entry");
      return schedule;
    },
  };
}
