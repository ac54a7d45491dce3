/**
 * Group commit: transactions requested at about the same time share one COMMIT, and with it one
 * sync to disk, which is the main cost of a small transaction.
 *
 * The result is as if each had its own COMMIT. Bodies run one at a time, in order, and see what
 * earlier ones wrote. A body that throws undoes only its own writes. No promise settles before the
 * writes it depends on are durable; this includes failures, since an earlier body's writes may have
 * caused them. If the COMMIT fails, or SQLite rolls back the whole transaction (disk full), all
 * members reject with its error.
 *
 * A group waits one turn of the event loop for more members: almost no time when the loop is idle,
 * and under load as long as the other requests of that turn need. It is closed at `GROUP_MAX`.
 * Transactions for which nobody waits begin no group: they join the next one, or make one of their
 * own when the first of them has waited for `LINGER_MS`.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { type Clock, type Timer, yieldToEventLoop } from "../../core/clock.ts";

export interface GroupCommit<Queries> {
  /** `canWait`: nobody waits for it. Order is kept all the same. */
  run<Result>(body: (queries: Queries) => Promise<Result>, canWait?: boolean): Promise<Result>;
  /** Resolves when no transaction is running or waiting. */
  idle(): Promise<void>;
  /** Why the newest group could not be written; null: it was. */
  failure(): DiskFailure | null;
}

/** SQLite's names of what a disk does to a write. */
const DISK_FAILURE = /^SQLITE_(IOERR|FULL|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

type DiskFailure = Error & { readonly code: string };

const isDiskFailure = (error: unknown): error is DiskFailure =>
  error instanceof Error && "code" in error && DISK_FAILURE.test(String(error.code));

interface Member<Queries> {
  /** Runs the body. The returned function settles its promise later. */
  readonly begin: (queries: Queries) => Promise<() => void>;
  readonly fail: (error: unknown) => void;
  readonly canWait: boolean;
}

/** Bodies per COMMIT; limits how long the first of them waits. */
const GROUP_MAX = 32;
const LINGER_MS = 10;

/** Without a clock nothing lingers. */
export function groupCommit<Queries>(
  sqlite: Sqlite,
  queries: Queries,
  clock: Clock | null = null,
): GroupCommit<Queries> {
  const waiting: Member<Queries>[] = [];
  let working: Promise<void> = Promise.resolve();
  let isWorking = false;
  let failure: DiskFailure | null = null;
  let lingering: Timer | null = null;
  const noteOutcome = (error: DiskFailure | null) => {
    failure = error;
  };

  function begin(): void {
    lingering?.cancel();
    lingering = null;
    if (!isWorking && waiting.length > 0) working = work();
  }

  async function work(): Promise<void> {
    isWorking = true;
    do await commitGroup(sqlite, queries, waiting, noteOutcome);
    while (waiting.some(({ canWait }) => !canWait));
    isWorking = false;
    if (waiting.length > 0) linger();
  }

  function linger(): void {
    lingering ??= clock?.after(LINGER_MS, begin) ?? null;
  }

  return {
    run: (body, canWait = false) =>
      new Promise((done, fail) => {
        const member = async (given: Queries) => {
          const result = await body(given);
          return () => done(result);
        };
        const lingers = canWait && clock !== null;
        waiting.push({ begin: member, fail, canWait: lingers });
        if (lingers) linger();
        else begin();
      }),
    async idle() {
      while (isWorking || waiting.length > 0) {
        begin();
        await working;
      }
    },
    failure: () => failure,
  };
}

/** Takes who waits and settles them. An error that is not the disk's says nothing of it. */
async function commitGroup<Queries>(
  sqlite: Sqlite,
  queries: Queries,
  waiting: Member<Queries>[],
  noteOutcome: (failure: DiskFailure | null) => void,
): Promise<void> {
  const taken: Member<Queries>[] = [];
  const takeNext = () => {
    const member = taken.length < GROUP_MAX ? waiting.shift() : undefined;
    if (member) taken.push(member);
    return member;
  };
  let settle: readonly (() => void)[];
  try {
    settle = await commitTogether(sqlite, queries, takeNext);
  } catch (error) {
    undo(sqlite);
    if (isDiskFailure(error)) noteOutcome(error);
    for (const { fail } of taken) fail(error);
    return;
  }
  noteOutcome(null);
  for (const each of settle) each();
}

/** Runs the waiting bodies in one transaction. Returns what settles their promises. */
async function commitTogether<Queries>(
  sqlite: Sqlite,
  queries: Queries,
  takeNext: () => Member<Queries> | undefined,
): Promise<readonly (() => void)[]> {
  const settle: (() => void)[] = [];
  const first = takeNext();
  if (!first) return settle;
  // A transaction that could not be rolled back earlier must end before another begins.
  if (sqlite.inTransaction) sqlite.run("ROLLBACK");
  sqlite.run("BEGIN IMMEDIATE");
  settle.push(await first.begin(queries));
  const runWaiting = async () => {
    for (let next = takeNext(); next; next = takeNext())
      settle.push(await runApart(sqlite, queries, next));
  };
  await runWaiting();
  if (settle.length < GROUP_MAX) await yieldToEventLoop();
  await runWaiting();
  sqlite.run("COMMIT");
  return settle;
}

/**
 * Never throws: the waiting caller must see the original error. What remains is rolled back
 * before the next group.
 */
function undo(sqlite: Sqlite): void {
  try {
    if (sqlite.inTransaction) sqlite.run("ROLLBACK");
  } catch {
    // Disk error. Nothing was committed.
  }
}

/** Throws only if SQLite has rolled back the whole transaction. */
async function runApart<Queries>(
  sqlite: Sqlite,
  queries: Queries,
  member: Member<Queries>,
): Promise<() => void> {
  sqlite.run("SAVEPOINT member");
  try {
    return await member.begin(queries);
  } catch (error) {
    if (!sqlite.inTransaction) throw error;
    sqlite.run("ROLLBACK TO member");
    return () => member.fail(error);
  } finally {
    if (sqlite.inTransaction) sqlite.run("RELEASE member");
  }
}
