/**
 * Search for calls by spoken words, name or number, with the contact's name and the summary. The index
 * (store/call/search-index-store.ts) and its queue return candidates; the calls themselves are then read to check
 * the words and their order. If the index is useless, as for a single letter, all calls are read, newest
 * first, until a page is full. The search runs in small pieces and yields to other work between them.
 */

import { callNotesStore } from "../../call/store/call-notes-store.ts";
import { startOfDay } from "../../core/calendar.ts";
import { yieldToEventLoop } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { type CallStatus, LIVE_STATUSES } from "../../core/ended-reason.ts";
import { folded, wordsSought } from "../../core/search-words.ts";
import { contactSearch } from "../contact/contact-search-store.ts";
import { contactNames } from "../contact/contact-store.ts";
import { scheduleListStore } from "../schedule/schedule-list-store.ts";
import { tenantStore } from "../tenant/tenant-store.ts";
import { callAnnotationStore } from "./call-annotation-store.ts";
import { type CallFilter, callHistoryStore, type Page } from "./call-history-store.ts";
import { type CsvCall, type ListedCall, totalAndPage } from "./call-records.ts";
import { diagnosticsStore } from "./diagnostics-store.ts";
import { searchIndexStore } from "./search-index-store.ts";

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface Search {
  readonly tenantId: number;
  readonly filter: CallFilter;
  readonly words: string;
  readonly page: Page;
}

export interface FoundCall extends ListedCall {
  /** Null: no contact has this number. */
  readonly contactName: string | null;
  /** Transcript excerpt around the searched words; null: no search, or not in the transcript. */
  readonly said: string | null;
  readonly tags: readonly string[];
  /** True if the caller left a message. */
  readonly hasMessage: boolean;
  /** Time of a pending scheduled call; null for other calls. */
  readonly plannedAt: number | null;
}

const HOUR_MS = 3_600_000;
/** Calls read in one piece, so that it takes only a few milliseconds. */
const PIECE_CALLS = 50;
/** If more ended calls are missing in the index, as after an upgrade, the calls are read instead. */
const BEHIND_MAX = 1_000;
/** If at most this many calls have the tag, these calls are read instead. */
const TAGGED_READ_MAX = 500;
/** Maximum live calls per status. */
const LIVE_MAX = 100;
const AROUND_CHARACTERS = 60;
/** Page size for `latest`: the newest calls include scheduled ones, to be dropped. */
const READ_CALLS = 25;

const isLive = (status: CallStatus) => LIVE_STATUSES.some((live) => live === status);

export type CallSearch = ReturnType<typeof createCallSearch>;

type ContactNames = Pick<ReturnType<typeof contactSearch>, "named">;

/**
 * Time range of days such as `2026-11-21` in the company's time zone, `to` included. Calls are counted by UTC
 * hours. If a day begins within an hour, that hour belongs to the day before, as in reports.
 */
async function spanOf(read: Queries, tenantId: number, { from, to }: Days) {
  const zone = await tenantStore(read).timeZone(tenantId);
  const begin = (date: string, later: number) => {
    const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
    return HOUR_MS * Math.ceil(startOfDay(zone, { year, month, day: day + later }) / HOUR_MS);
  };
  return {
    ...(from === undefined ? {} : { fromMs: begin(from, 0) }),
    ...(to === undefined ? {} : { toMs: begin(to, 1) }),
  };
}

export function createCallSearch(
  { read }: Pick<Database, "read">,
  names: ContactNames = contactSearch(read),
) {
  const history = callHistoryStore(read);
  async function liveFirst(
    tenantId: number,
    filter: CallFilter,
    { offset }: Page,
    listed: readonly ListedCall[],
  ): Promise<readonly ListedCall[]> {
    if (filter.status !== undefined || filter.missed) return listed;
    const others = listed.filter(({ status }) => !isLive(status));
    if (offset > 0) return others;
    const first = { limit: LIVE_MAX, offset: 0 };
    const live = await Promise.all(
      LIVE_STATUSES.map((status) => history.found(tenantId, { ...filter, status }, first)),
    );
    const shown = live.flat().toSorted((a, b) => b.createdAt - a.createdAt);
    return [...shown, ...others];
  }
  return {
    /** Live calls first, then newest first; a search: newest first. `total` null: not counted. */
    async find(tenantId: number, filter: CallFilter, words: string, page: Page) {
      if (words.trim() !== "") return await search(read, names, { tenantId, filter, words, page });
      const [total, listed] = await totalAndPage(page, {
        total: () => history.total(tenantId, filter),
        rows: () => history.found(tenantId, filter, page),
      });
      const calls = await liveFirst(tenantId, filter, page, listed);
      return {
        calls: await named(read, tenantId, calls),
        total,
        more: page.offset + listed.length < total,
      };
    },

    /** Number of missed calls since that day. */
    missed: async (tenantId: number, from: string | undefined) =>
      await history.total(tenantId, { missed: true, ...(await spanOf(read, tenantId, { from })) }),
    span: (tenantId: number, days: Days) => spanOf(read, tenantId, days),

    /** The newest calls, live ones first, without pending scheduled ones. */
    async latest(tenantId: number, count: number) {
      const page = { limit: READ_CALLS, offset: 0 };
      const listed = await history.found(tenantId, {}, page);
      const calls = await liveFirst(tenantId, {}, page, listed);
      const dueTimes = await dueTimesOf(read, tenantId, calls);
      const begun = calls.filter(({ scheduleId }) => !dueTimes.has(scheduleId ?? 0));
      return await named(read, tenantId, begun.slice(0, count));
    },

    /** Ids of the calls that contain the words. */
    async matches(tenantId: number, calls: readonly CsvCall[], words: string) {
      const found = await matching(read, tenantId, calls, folded(words.trim()));
      return new Set(found.map(({ callUuid }) => callUuid));
    },
  };
}

async function search(
  read: Queries,
  names: ContactNames,
  { tenantId, filter, words, page }: Search,
) {
  const wanted = folded(words.trim());
  const end = page.offset + page.limit;
  const sought = { tenantId, filter, wanted, end };
  const { tag } = filter;
  const index = searchIndexStore(read);
  const tagged = tag === undefined ? null : await index.tagged(tenantId, tag, TAGGED_READ_MAX);
  const found = tagged
    ? await findAmong(read, tagged, sought)
    : await findAnywhere(read, names, sought);
  return { calls: found.slice(page.offset, end), total: null, more: found.length > end };
}

interface Sought extends Pick<Search, "tenantId" | "filter"> {
  /** Search text, folded (no case, no accents). */
  readonly wanted: string;
  /** The search may stop after `end` + 1 results. */
  readonly end: number;
}

async function findAnywhere(read: Queries, names: ContactNames, sought: Sought) {
  const query = await indexQuery(read, names, sought);
  return await (query === null ? findByReading(read, sought) : findIndexed(read, query, sought));
}

/** Null if the index is useless. */
async function indexQuery(
  read: Queries,
  names: ContactNames,
  { tenantId, filter, wanted }: Sought,
): Promise<string | null> {
  const index = searchIndexStore(read);
  const [isBehind, ids] = await Promise.all([
    index.isBehind(tenantId, BEHIND_MAX),
    names.named(tenantId, wanted),
  ]);
  if (isBehind) return null;
  return await index.queryFor(tenantId, wordsSought(wanted), ids, filter);
}

/** Reads candidates and collects the calls that contain the words. */
function candidates(read: Queries, { tenantId, filter, wanted }: Sought) {
  // A map, because a call that leaves the queue meanwhile is read twice.
  const found = new Map<number, FoundCall>();
  return {
    async look(callIds: readonly number[]) {
      const calls = await diagnosticsStore(read).callsNamed(tenantId, filter, callIds);
      for (const call of await matching(read, tenantId, calls, wanted)) found.set(call.id, call);
      await yieldToEventLoop();
    },
    newerThan: (atMs: number) =>
      [...found.values()].filter(({ createdAt }) => createdAt > atMs).length,
    newestFirst: () =>
      [...found.values()].toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id),
  };
}

async function findAmong(read: Queries, callIds: readonly number[], sought: Sought) {
  const calls = candidates(read, sought);
  for (let at = 0; at < callIds.length; at += PIECE_CALLS)
    await calls.look(callIds.slice(at, at + PIECE_CALLS));
  return calls.newestFirst();
}

async function findIndexed(read: Queries, query: string, sought: Sought) {
  const { tenantId, filter, end } = sought;
  const index = searchIndexStore(read);
  const calls = candidates(read, sought);
  for (let last = 0; ; ) {
    const waiting = await index.waiting(tenantId, last, PIECE_CALLS);
    if (waiting.length > 0) await calls.look(waiting);
    if (waiting.length < PIECE_CALLS) break;
    last = waiting.at(-1) ?? last;
  }
  // This many calls fill the page if all of them match.
  const pageCalls = Math.min(PIECE_CALLS, end + 2);
  for (let before: number | null = null; ; ) {
    const documents: Documents = await index.documents(query, before, PIECE_CALLS);
    for (let at = 0; at < documents.length; at += pageCalls) {
      const piece = documents.slice(at, at + pageCalls);
      await calls.look(piece.map(({ callId }) => callId));
      if (calls.newerThan(piece.at(-1)?.newestAt ?? 0) > end) return calls.newestFirst();
    }
    const last = documents.at(-1);
    if (!last || documents.length < PIECE_CALLS || last.newestAt < (filter.fromMs ?? 0)) break;
    before = last.doc;
  }
  return calls.newestFirst();
}

type Documents = Awaited<ReturnType<ReturnType<typeof searchIndexStore>["documents"]>>;

/** Newest first. */
async function findByReading(read: Queries, { tenantId, filter, wanted, end }: Sought) {
  const found: FoundCall[] = [];
  const store = diagnosticsStore(read);
  type Piece = Awaited<ReturnType<typeof store.pageOfCalls>>;
  for (let last: Piece[number] | null = null; ; ) {
    const piece: Piece = await store.pageOfCalls(tenantId, filter, last, PIECE_CALLS);
    found.push(...(await matching(read, tenantId, piece, wanted)));
    if (piece.length < PIECE_CALLS || found.length > end) return found;
    last = piece.at(-1) ?? null;
    await yieldToEventLoop();
  }
}

async function matching(
  read: Queries,
  tenantId: number,
  piece: readonly (ListedCall & { readonly id: number })[],
  wanted: string,
): Promise<FoundCall[]> {
  const said = new Map<number, string>();
  for (const { callId, text } of await callHistoryStore(read).words(piece.map(({ id }) => id))) {
    const at = said.has(callId) ? -1 : folded(text).indexOf(wanted);
    if (at >= 0) said.set(callId, around(text, at, wanted.length));
  }
  const names = await namesOf(read, tenantId, piece);
  const holds = (text: string | null) => text !== null && folded(text).includes(wanted);
  const found = piece.filter(
    (call) =>
      said.has(call.id) ||
      [call.summary, names.get(otherNumber(call)) ?? null, call.fromNumber, call.toNumber].some(
        holds,
      ),
  );
  if (found.length === 0) return [];
  const calls = await named(read, tenantId, found, names);
  return calls.map((call, at) => ({ ...call, said: said.get(found[at]?.id ?? 0) ?? null }));
}

/** The words with their surrounding text. */
function around(text: string, at: number, length: number): string {
  const letters = [...text];
  const from = Math.max(0, at - AROUND_CHARACTERS);
  const to = at + length + AROUND_CHARACTERS;
  const piece = letters.slice(from, to).join("");
  return `${from > 0 ? "…" : ""}${piece}${to < letters.length ? "…" : ""}`;
}

const otherNumber = ({ direction, fromNumber, toNumber }: ListedCall) =>
  direction === "inbound" ? fromNumber : toNumber;

/** Contact names for the other party's numbers. */
async function namesOf(
  read: Queries,
  tenantId: number,
  calls: readonly ListedCall[],
): Promise<ReadonlyMap<string, string>> {
  const numbers = [...new Set(calls.map(otherNumber))];
  // If several contacts have a number, the oldest one wins.
  return new Map((await contactNames(read, tenantId, numbers)).toReversed());
}

async function named(
  read: Queries,
  tenantId: number,
  calls: readonly ListedCall[],
  known?: ReadonlyMap<string, string>,
): Promise<FoundCall[]> {
  const ids = calls.map(({ id }) => id);
  const [names, tags, withMessage, dueTimes] = await Promise.all([
    known ?? namesOf(read, tenantId, calls),
    callAnnotationStore(read).tagsByCall(tenantId, ids),
    callNotesStore(read).withMessage(ids),
    dueTimesOf(read, tenantId, calls),
  ]);
  return calls.map((call) => ({
    ...call,
    contactName: names.get(otherNumber(call)) || null,
    said: null,
    tags: tags.get(call.id) ?? [],
    hasMessage: withMessage.has(call.id),
    plannedAt: dueTimes.get(call.scheduleId ?? 0) ?? null,
  }));
}

/** Times of pending scheduled calls, by schedule id. */
function dueTimesOf(read: Queries, tenantId: number, calls: readonly ListedCall[]) {
  const waiting = calls.flatMap(({ status, scheduleId }) =>
    status === "queued" && scheduleId !== null ? [scheduleId] : [],
  );
  return scheduleListStore(read).dueTimes(tenantId, waiting);
}
