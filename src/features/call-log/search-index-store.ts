/**
 * Word index of calls: spoken words, summaries and numbers (migration 0020). `search_words` assigns a number
 * to each word of a tenant. `search_endings` finds a word by any part of it. `search_index` has one document
 * per call with these numbers and the filter values. So the index itself contains no words, and tenants
 * cannot reach or slow down each other.
 *
 * `search_queue` contains every unindexed call, filled by triggers on `calls`. Code that changes the words of
 * an ended call must first remove it from the index (`unindex`), because that needs the old words.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { MISSED_STATUSES } from "../../core/ended-reason.ts";
import { folded, type SoughtWord, WORD_LETTERS_MAX, wordsOf } from "../../core/search-words.ts";
import { calls } from "../../store/schema/index.ts";
import type { CallFilter } from "./call-history-store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Maximum words of a tenant that a search term may match. Above it, the calls themselves are read. */
const WORDS_MAX = 500;
/** A call with more words is a candidate of every search. */
const WORDS_OF_CALL_MAX = 5_000;
/** Maximum new words per write: a word has as many endings as letters. */
const NEW_WORDS_MAX = 300;
/** Maximum words to index at once: more documents are added only within this limit. */
const WORDS_AT_ONCE = 4_000;
const DAYS_MAX = 100;
const CALLS_MAX = 25;
/** Merging parts makes the index faster. A step with this many pages takes a few milliseconds. */
const MERGED_PAGES = 64;
const LAST_LETTER = "\u{10ffff}";

interface Document {
  readonly callId: number;
  readonly createdAt: number;
  /** Tokens of the filter values. */
  readonly facts: string;
  readonly words: readonly string[];
}

interface QueuedCall {
  readonly callId: number;
  readonly revision: number;
}

async function rowOf<Row>(queries: Queries, query: SQL): Promise<Row | undefined> {
  const [row] = await queries.all<Row>(query);
  return row;
}

const list = (values: readonly unknown[]) => sql`json_each(${JSON.stringify(values)})`;
const within = (column: SQL, text: string) =>
  sql`${column} >= ${text} AND ${column} < ${text + LAST_LETTER}`;

/** Token in the documents of calls with unindexed words (too many, or too long). */
const unnumbered = (tenantId: number) => `${tenantId}long`;
const hourOf = (tenantId: number, atMs: number) => `${tenantId}hour${Math.floor(atMs / HOUR_MS)}`;
const dayOf = (tenantId: number, atMs: number) => `${tenantId}day${Math.floor(atMs / DAY_MS)}`;
const statusOf = (tenantId: number, status: string) => `${tenantId}${status.replaceAll("_", "")}`;

const REVISION = sql`abs(random() % 9007199254740991)`;

/** Condition for a row of `calls`. */
const isUnindexed = sql`EXISTS (SELECT 1 FROM search_queue q WHERE q.tenant_id = calls.tenant_id AND q.call_id = calls.id)`;

export function searchIndexStore(queries: Queries) {
  return {
    ...lookUps(queries),
    ...queueOf(queries),
    ...changesOfQueue(queries),
    ...indexing(queries),
  };
}

/** Finds calls by words. */
function lookUps(queries: Queries) {
  return {
    /**
     * A query for documents that contain all words, or the number of one of the contacts. They also match the
     * filter, except its tag. Null if the words match too many others, so that the index is useless.
     */
    async queryFor(
      tenantId: number,
      sought: readonly SoughtWord[],
      contactIds: readonly number[],
      filter: CallFilter,
    ): Promise<string | null> {
      if (contactIds.length > WORDS_MAX) return null;
      // A single character occurs nearly everywhere, so it would only cost time.
      const longer = sought.filter(({ text }) => text.length > 1);
      const meant = await Promise.all(
        (longer.length > 0 ? longer : sought).map((word) => numbersOf(queries, tenantId, word)),
      );
      const telling = meant.filter((ids) => ids.length <= WORDS_MAX);
      if (telling.length === 0) return null;
      const numbers =
        contactIds.length > 0 ? await contactNumbers(queries, tenantId, contactIds) : [];
      const numbered =
        numbers.length > 0 ? await wordIds(queries, tenantId, [...wordsOf(numbers)]) : [];
      const long = unnumbered(tenantId);
      const all = telling.map((ids) => `(${ids.join(" OR ")})`).join(" AND ");
      // If no call has one of the words, the other words need no lookup.
      const said = telling.every((ids) => ids.length > 0) ? `((${all}) OR ${long})` : long;
      const own = numbered.flatMap(({ id, word }) => (/\d/.test(word) ? (id ?? []) : []));
      const any = own.length > 0 ? `((${said}) OR ${own.join(" OR ")})` : said;
      return [any, ...factsSought(tenantId, filter)].join(" AND ");
    },

    /** Documents of a query, newest document first. No call in them or in later pages is newer than `newestAt`. */
    async documents(query: string, before: number | null, limit: number) {
      return await queries.all<{ doc: number; callId: number; newestAt: number }>(
        sql`SELECT d.doc, d.call_id AS "callId", d.newest_at AS "newestAt"
          FROM search_index i CROSS JOIN search_documents d ON d.doc = i.rowid
          WHERE i.search_index MATCH ${query} AND i.rowid < ${before ?? Number.MAX_SAFE_INTEGER}
          ORDER BY i.rowid DESC LIMIT ${limit}`,
      );
    },
  };
}

/** Numbers of the words that match. */
async function numbersOf(
  queries: Queries,
  tenantId: number,
  { match, text }: SoughtWord,
): Promise<number[]> {
  if (text.length > WORD_LETTERS_MAX) return [];
  const endings = sql`SELECT DISTINCT word_id AS id FROM search_endings WHERE tenant_id = ${tenantId}`;
  const words = sql`SELECT id FROM search_words WHERE tenant_id = ${tenantId}`;
  const found = await queries.all<{ id: number }>(
    {
      inside: sql`${endings} AND ${within(sql`ending`, text)} LIMIT ${WORDS_MAX + 1}`,
      ending: sql`${endings} AND ending = ${text} LIMIT ${WORDS_MAX + 1}`,
      beginning: sql`${words} AND ${within(sql`word`, text)} LIMIT ${WORDS_MAX + 1}`,
      whole: sql`${words} AND word = ${text}`,
    }[match],
  );
  return found.map(({ id }) => id);
}

async function contactNumbers(
  queries: Queries,
  tenantId: number,
  ids: readonly number[],
): Promise<string[]> {
  const rows = await queries.all<{ number: string }>(
    sql`SELECT number_e164 AS number FROM contacts WHERE tenant_id = ${tenantId} AND id IN (SELECT value FROM ${list(ids)})`,
  );
  return rows.map(({ number }) => number);
}

function factsSought(tenantId: number, filter: CallFilter): string[] {
  const { agentId, status, direction, missed, fromMs, toMs } = filter;
  const facts: string[] = [];
  if (agentId !== undefined) facts.push(`agent${agentId}`);
  if (status !== undefined) facts.push(statusOf(tenantId, status));
  if (direction !== undefined) facts.push(`${tenantId}${direction}`);
  if (missed) {
    const any = MISSED_STATUSES.map((one) => statusOf(tenantId, one)).join(" OR ");
    facts.push(`${tenantId}inbound`, `(${any})`);
  }
  if (fromMs !== undefined && toMs !== undefined && toMs - fromMs <= DAYS_MAX * DAY_MS)
    facts.push(`(${timesSought(tenantId, fromMs, toMs).join(" OR ")})`);
  return facts;
}

/** Whole days, and the hours before and after them. */
function timesSought(tenantId: number, fromMs: number, toMs: number): string[] {
  const times: string[] = [];
  for (let atMs = fromMs - (fromMs % HOUR_MS); atMs < toMs || times.length === 0; ) {
    const isDay = atMs % DAY_MS === 0 && atMs + DAY_MS <= toMs;
    times.push(isDay ? dayOf(tenantId, atMs) : hourOf(tenantId, atMs));
    atMs += isDay ? DAY_MS : HOUR_MS;
  }
  return times;
}

/** Unindexed calls. */
function queueOf(queries: Queries) {
  return {
    /** Ids above `after`, in order. */
    async waiting(tenantId: number, after: number, limit: number): Promise<number[]> {
      const rows = await queries.all<{ id: number }>(
        sql`SELECT call_id AS id FROM search_queue WHERE tenant_id = ${tenantId} AND call_id > ${after}
          ORDER BY call_id LIMIT ${limit}`,
      );
      return rows.map(({ id }) => id);
    },

    /** Calls with the tag; null if more than `max`. */
    async tagged(tenantId: number, tag: string, max: number): Promise<number[] | null> {
      const rows = await queries.all<{ id: number }>(
        sql`SELECT call_id AS id FROM call_tags WHERE tenant_id = ${tenantId} AND tag = ${tag} LIMIT ${max + 1}`,
      );
      return rows.length > max ? null : rows.map(({ id }) => id);
    },

    /** True if more than `max` ended calls are waiting. */
    async isBehind(tenantId: number, max: number): Promise<boolean> {
      const row = await rowOf<{ id: number }>(
        queries,
        sql`SELECT call_id AS id FROM search_queue WHERE tenant_id = ${tenantId} AND due_at IS NOT NULL
          ORDER BY due_at LIMIT 1 OFFSET ${max}`,
      );
      return row !== undefined;
    },

    /** Some due calls of one tenant. */
    async due(nowMs: number): Promise<{ tenantId: number; queued: QueuedCall[] } | null> {
      const first = await rowOf<{ tenantId: number }>(
        queries,
        sql`SELECT tenant_id AS "tenantId" FROM search_queue WHERE due_at IS NOT NULL AND due_at <= ${nowMs}
          ORDER BY due_at LIMIT 1`,
      );
      if (!first) return null;
      const queued = await queries.all<QueuedCall>(
        sql`SELECT call_id AS "callId", revision FROM search_queue
          WHERE tenant_id = ${first.tenantId} AND due_at IS NOT NULL AND due_at <= ${nowMs}
          ORDER BY due_at LIMIT ${CALLS_MAX}`,
      );
      return { tenantId: first.tenantId, queued };
    },
  };
}

function changesOfQueue(queries: Queries) {
  return {
    /** The indexed ones of these calls. */
    async indexed(callIds: readonly number[]): Promise<number[]> {
      const rows = await queries.all<{ id: number }>(
        sql`SELECT value AS id FROM ${list(callIds)} j JOIN ${calls} ON calls.id = j.value WHERE NOT ${isUnindexed}`,
      );
      return rows.map(({ id }) => id);
    },

    /** Sets the indexing time of the ended, unindexed ones of these calls. */
    async setDue(callIds: readonly number[], dueAt: number): Promise<void> {
      await queries.run(
        sql`UPDATE search_queue SET due_at = ${dueAt}, revision = ${REVISION} FROM ${list(callIds)} j, calls c
          WHERE c.id = j.value AND search_queue.tenant_id = c.tenant_id AND search_queue.call_id = c.id AND due_at IS NOT NULL`,
      );
    },

    /** Queues calls for indexing after `dueAt`, in their state at that time. Data read before is not indexed. */
    async enqueue(tenantId: number, callIds: readonly number[], dueAt: number): Promise<void> {
      await queries.run(
        sql`INSERT INTO search_queue (tenant_id, call_id, due_at) SELECT ${tenantId}, value, ${dueAt} FROM ${list(callIds)} WHERE true
          ON CONFLICT (tenant_id, call_id) DO UPDATE SET due_at = iif(due_at IS NULL, NULL, excluded.due_at), revision = excluded.revision`,
      );
    },
  };
}

function indexing(queries: Queries) {
  return {
    documentsOf: (tenantId: number, callIds: readonly number[]) =>
      documentsOf(queries, tenantId, callIds),

    /**
     * Indexes calls as read by `documentsOf`, except those indexed or changed since. Call it in a
     * transaction. Returns false if only some words could be stored because too many are new; then call it
     * again.
     */
    async index(tenantId: number, queued: readonly QueuedCall[], read: readonly Document[]) {
      const pairs = list(queued.map(({ callId, revision }) => [callId, revision]));
      const unchanged = await queries.all<QueuedCall>(
        sql`SELECT q.call_id AS "callId" FROM ${pairs} j CROSS JOIN search_queue q
          ON q.tenant_id = ${tenantId} AND q.call_id = j.value ->> 0 AND q.revision = j.value ->> 1`,
      );
      const documents = someOf(
        read.filter(({ callId }) => unchanged.some((call) => call.callId === callId)),
      );
      const ids = await numbersFor(queries, tenantId, documents);
      if (!ids) return false;
      const tokens = documents.map(({ callId, facts, words }) => ({
        callId,
        tokens: [facts, ...words.map((word) => ids.get(word))].join(" "),
      }));
      let newestAt = 0;
      const placed = documents.map(({ callId, createdAt }) => {
        newestAt = Math.max(newestAt, createdAt);
        return [callId, newestAt];
      });
      await queries.run(
        sql`INSERT INTO search_documents (tenant_id, call_id, newest_at)
          SELECT ${tenantId}, value ->> 0, max(value ->> 1, coalesce((SELECT max(newest_at) FROM search_documents WHERE tenant_id = ${tenantId}), 0))
          FROM ${list(placed)} WHERE true ORDER BY key ON CONFLICT DO NOTHING`,
      );
      await queries.run(
        sql`INSERT INTO search_index (rowid, words) SELECT d.doc, j.value ->> 'tokens'
          FROM ${list(tokens)} j CROSS JOIN search_documents d ON d.call_id = j.value ->> 'callId'`,
      );
      await queries.run(
        sql`DELETE FROM search_queue WHERE tenant_id = ${tenantId} AND call_id IN (SELECT value ->> 0 FROM ${list(placed)})`,
      );
      return true;
    },

    unindex: (...call: UnindexedCall) => unindex(queries, ...call),

    /** Merges some parts of the index. Returns true if more may follow. Call it in a transaction. */
    async merge(): Promise<boolean> {
      const before = await changesOf(queries);
      await setting(queries, "merge", MERGED_PAGES);
      return (await changesOf(queries)) - before >= 2;
    },
  };
}

/** The number of each word; null if only some could be stored because too many are new. */
async function numbersFor(
  queries: Queries,
  tenantId: number,
  documents: readonly Document[],
): Promise<ReadonlyMap<string, number> | null> {
  const words = [...new Set(documents.flatMap((document) => document.words))];
  const ids = new Map<string, number>();
  const unknown: string[] = [];
  for (const { word, id } of await wordIds(queries, tenantId, words))
    if (id === null) unknown.push(word);
    else ids.set(word, id);
  const added = await queries.all<{ id: number; word: string }>(
    sql`INSERT INTO search_words (tenant_id, word) SELECT ${tenantId}, value
      FROM ${list(unknown.slice(0, NEW_WORDS_MAX))} RETURNING id, word`,
  );
  for (const { id, word } of added) ids.set(word, id);
  return unknown.length > NEW_WORDS_MAX ? null : ids;
}

type UnindexedCall = [tenantId: number, callId: number, dueAt: number, securely: boolean];

/**
 * Removes a call from the index until `dueAt`, and deletes words that no other call has. Call it in a
 * transaction. `securely`: also overwrites the data in the file.
 */
async function unindex(
  queries: Queries,
  ...[tenantId, callId, dueAt, securely]: UnindexedCall
): Promise<void> {
  const [document] = await documentsOf(queries, tenantId, [callId]);
  if (!document) return;
  const known = await wordIds(queries, tenantId, document.words);
  const ids = known.flatMap(({ id }) => id ?? []);
  const tokens = [document.facts, ...ids].join(" ");
  if (securely) await setting(queries, "secure-delete", 1);
  await queries.run(
    sql`INSERT INTO search_index (search_index, rowid, words)
      SELECT 'delete', doc, ${tokens} FROM search_documents WHERE call_id = ${callId}
      AND NOT EXISTS (SELECT 1 FROM search_queue WHERE tenant_id = ${tenantId} AND call_id = ${callId})`,
  );
  if (securely) {
    // The savepoint writes the index now. Otherwise it would be written at the end, after the setting is reset.
    await queries.run(sql`SAVEPOINT unindexed`);
    await queries.run(sql`RELEASE unindexed`);
    await setting(queries, "secure-delete", 0);
  }
  await changesOfQueue(queries).enqueue(tenantId, [callId], dueAt);
  await queries.run(
    sql`DELETE FROM search_words WHERE id IN (SELECT value FROM ${list(ids)}
      WHERE NOT EXISTS (SELECT 1 FROM search_index WHERE search_index MATCH cast(value AS TEXT)))`,
  );
}

const setting = (queries: Queries, name: string, value: number) =>
  queries.run(sql`INSERT INTO search_index (search_index, rank) VALUES (${name}, ${value})`);

const changesOf = async (queries: Queries) =>
  (await rowOf<{ n: number }>(queries, sql`SELECT total_changes() AS n`))?.n ?? 0;

/** The numbers of words; null for a word without one. */
const wordIds = (queries: Queries, tenantId: number, words: readonly string[]) =>
  queries.all<{ word: string; id: number | null }>(
    sql`SELECT j.value AS word, w.id FROM ${list(words)} j
      LEFT JOIN search_words w ON w.tenant_id = ${tenantId} AND w.word = j.value`,
  );

/** The first documents, with a bounded total number of words; at least one. */
function someOf(documents: readonly Document[]): Document[] {
  let words = 0;
  return documents.filter((document, at) => {
    words += document.words.length;
    return at === 0 || words <= WORDS_AT_ONCE;
  });
}

interface StoredWords
  extends Pick<
    typeof calls.$inferSelect,
    "id" | "agentId" | "direction" | "status" | "createdAt" | "fromNumber" | "toNumber" | "summary"
  > {
  /** All spoken words; null if there are none. */
  readonly said: string | null;
}

/** Index contents of calls, in the given order. */
async function documentsOf(
  queries: Queries,
  tenantId: number,
  callIds: readonly number[],
): Promise<Document[]> {
  const rows = await queries.all<StoredWords>(
    sql`SELECT c.id, c.agent_id AS "agentId", c.direction, c.status, c.created_at AS "createdAt",
        c.from_number AS "fromNumber", c.to_number AS "toNumber", c.summary,
        (SELECT group_concat(text, char(10)) FROM turns WHERE call_id = c.id) AS said
      FROM ${list(callIds)} j CROSS JOIN ${calls} c ON c.id = j.value AND c.tenant_id = ${tenantId}
      ORDER BY j.key`,
  );
  return rows.map((row) => documentOf(tenantId, row));
}

function documentOf(tenantId: number, call: StoredWords): Document {
  const { id: callId, agentId, direction, status, createdAt } = call;
  const texts = [call.said, call.summary, call.fromNumber, call.toNumber];
  const all = wordsOf(texts.flatMap((text) => (text ? folded(text) : [])));
  const short = [...all].filter((word) => word.length <= WORD_LETTERS_MAX);
  const words = all.size > WORDS_OF_CALL_MAX ? [] : short;
  const facts = [
    statusOf(tenantId, status),
    `${tenantId}${direction}`,
    dayOf(tenantId, createdAt),
    hourOf(tenantId, createdAt),
    ...(agentId === null ? [] : [`agent${agentId}`]),
    ...(words.length < all.size ? [unnumbered(tenantId)] : []),
  ];
  return { callId, createdAt, facts: facts.join(" "), words };
}
