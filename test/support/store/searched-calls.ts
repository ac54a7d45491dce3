/** Calls with transcripts for search tests, and the search without an index for comparison. */
import { eq } from "drizzle-orm";
import { indexSomeCalls } from "../../../src/app/call-indexing.ts";
import type { Database } from "../../../src/core/database.ts";
import { microEur } from "../../../src/core/money.ts";
import { calls, contacts, turns } from "../../../src/store/schema/index.ts";

export interface SpokenCall {
  readonly said: readonly string[];
  readonly createdAt: number;
  readonly summary?: string | null;
  readonly fromNumber?: string;
  readonly isOpen?: boolean;
  readonly direction?: "inbound" | "outbound";
}

const CALLS_AT_ONCE = 500;

/** Returns their ids, in the same order. */
export async function insertCalls(
  database: Database,
  tenantId: number,
  spoken: readonly SpokenCall[],
): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < spoken.length; at += CALLS_AT_ONCE) {
    const some = spoken.slice(at, at + CALLS_AT_ONCE);
    const rows = some.map(({ createdAt, summary = null, isOpen, ...call }) => ({
      tenantId,
      callUuid: crypto.randomUUID(),
      createdAt,
      summary,
      direction: call.direction ?? ("inbound" as const),
      toNumber: "+37061234568",
      fromNumber: call.fromNumber ?? "+37061234567",
      recordingStatus: "none" as const,
      overageRate: microEur(0),
      cost: microEur(0),
      endedAt: isOpen ? null : createdAt + 1000,
      status: isOpen ? ("in_progress" as const) : ("completed" as const),
    }));
    await database.tx(async (queries) => {
      const stored = await queries.insert(calls).values(rows).returning({ id: calls.id });
      const lines = stored.flatMap(({ id: callId }, n) =>
        (some[n]?.said ?? []).map((text, turnIndex) => ({
          callId,
          turnIndex,
          text,
          speaker: "customer" as const,
          startMs: 0,
          endMs: 1,
          interrupted: false,
        })),
      );
      if (lines.length > 0) await queries.insert(turns).values(lines);
      ids.push(...stored.map(({ id }) => id));
    });
  }
  return ids;
}

export async function insertContact(
  database: Database,
  tenantId: number,
  numberE164: string,
  [firstName, lastName]: readonly [string, string],
): Promise<void> {
  const row = { tenantId, numberE164, firstName, lastName, createdAt: 0, updatedAt: 0 };
  await database.tx((queries) => queries.insert(contacts).values(row));
}

/** Indexes everything in the queue. */
export async function indexAll(database: Database): Promise<void> {
  while (await indexSomeCalls(database, Number.MAX_SAFE_INTEGER, async () => undefined));
}

/** Ids of the tenant's calls with these words, newest first, found by reading all calls. */
export async function scanned(database: Database, tenantId: number, words: string) {
  const fold = (text: string) =>
    [...text].map((letter) => (letter.normalize("NFD")[0] ?? letter).toLowerCase()).join("");
  const wanted = fold(words.trim());
  const rows = await database.read.select().from(calls).where(eq(calls.tenantId, tenantId));
  const people = await database.read.select().from(contacts).where(eq(contacts.tenantId, tenantId));
  const said = await database.read.select().from(turns);
  const found = rows.filter((call) => {
    const number = call.direction === "inbound" ? call.fromNumber : call.toNumber;
    const person = people.find(({ numberE164 }) => numberE164 === number);
    return [
      ...said.filter(({ callId }) => callId === call.id).map(({ text }) => text),
      ...[call.summary ?? "", call.fromNumber, call.toNumber],
      person ? `${person.firstName} ${person.lastName}`.trim() : "",
    ].some((text) => fold(text).includes(wanted));
  });
  return found.toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id).map(({ id }) => id);
}
