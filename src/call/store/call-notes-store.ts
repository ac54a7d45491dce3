/** Notes of a call besides its turns (schema/call-notes.ts). At most 500 notes per call. */
import { and, asc, countDistinct, desc, eq, gte, inArray, sql } from "drizzle-orm";
import type { CallNote } from "../../conversation/call-report.ts";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { callNotes, calls } from "../../store/schema/index.ts";

const NOTES_MAX = 500;

const notesOfCall = statement((queries) =>
  queries
    .select({ note: callNotes.note })
    .from(callNotes)
    .where(eq(callNotes.callId, arg("callId")))
    .orderBy(asc(callNotes.id))
    .prepare(),
);

const callsWithMessage = statement((queries) =>
  queries
    .selectDistinct({ callId: callNotes.callId })
    .from(callNotes)
    .where(
      and(
        inArray(callNotes.callId, sql`(SELECT value FROM json_each(${arg("callIds")}))`),
        eq(callNotes.kind, "message"),
      ),
    )
    .prepare(),
);

const RECENT_CALLS_MAX = 200;

/** The newest calls of a tenant with a bad line, by side. */
const badLines = statement((queries) => {
  const recent = queries
    .select({ id: calls.id })
    .from(calls)
    .where(and(eq(calls.tenantId, arg("tenantId")), gte(calls.createdAt, arg("fromMs"))))
    .orderBy(desc(calls.createdAt))
    .limit(RECENT_CALLS_MAX);
  const side = sql<string>`${callNotes.note} ->> 'side'`;
  return queries
    .select({ side, calls: countDistinct(callNotes.callId) })
    .from(callNotes)
    .where(and(inArray(callNotes.callId, recent), eq(callNotes.kind, "line")))
    .groupBy(side)
    .prepare();
});

/** `callId`: row id of a call that belongs to the tenant. */
export function callNotesStore(queries: Queries) {
  return {
    async add(callId: number, note: CallNote): Promise<void> {
      const held = await queries.$count(callNotes, eq(callNotes.callId, callId));
      if (held >= NOTES_MAX) return;
      await queries.insert(callNotes).values({ callId, kind: note.kind, atMs: note.atMs, note });
    },

    async of(callId: number): Promise<CallNote[]> {
      const rows = await notesOfCall(queries).all({ callId });
      return rows.map(({ note }) => note);
    },

    /** Number of calls since then with a bad line, by side. */
    async badLines(tenantId: number, fromMs: number) {
      return await badLines(queries).all({ tenantId, fromMs });
    },

    /** Those of the calls in which the caller left a message. */
    async withMessage(callIds: readonly number[]): Promise<ReadonlySet<number>> {
      const rows = await callsWithMessage(queries).all({ callIds: JSON.stringify(callIds) });
      return new Set(rows.map(({ callId }) => callId));
    },
  };
}
