/**
 * Group commit: transactions that are asked for at about the same time share one COMMIT, and with it
 * one sync to disk, which is what a small transaction costs most.
 *
 * Guarantees, as if each had a COMMIT of its own: one body runs at a time, in the order asked for, and
 * sees what those before it wrote; a body that throws undoes its own writes only; no promise settles
 * before what it stands on is durable, a failure included, since what a body before it wrote may have
 * decided it. Where the COMMIT fails, or SQLite gives up the whole transaction (disk full), all that
 * took part reject with its error.
 *
 * A group waits one turn of the event loop for company: next to nothing where the loop is idle, and
 * under load as long as the other requests of that turn need. It is closed at `GROUP_MAX`.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { yieldToEventLoop } from "../../core/clock.ts";

export interface GroupCommit<Queries> {
  run<Result>(body: (queries: Queries) => Promise<Result>): Promise<Result>;
  /** Resolves when nothing is under way or waiting. */
  idle(): Promise<void>;
}

interface Member<Queries> {
  /** Runs the body; its promise is settled later, by what this answers. */
  readonly begin: (queries: Queries) => Promise<() => void>;
  readonly fail: (error: unknown) => void;
}

/** Bodies of a COMMIT: bounds how long the first of them waits. */
const GROUP_MAX = 32;

export function groupCommit<Queries>(sqlite: Sqlite, queries: Queries): GroupCommit<Queries> {
  const waiting: Member<Queries>[] = [];
  let working: Promise<void> = Promise.resolve();
  let isWorking = false;

  async function work(): Promise<void> {
    isWorking = true;
    while (waiting.length > 0) await commitGroup();
    isWorking = false;
  }

  async function commitGroup(): Promise<void> {
    const taken: Member<Queries>[] = [];
    const settle: (() => void)[] = [];
    const takeNext = () => {
      const member = taken.length < GROUP_MAX ? waiting.shift() : undefined;
      if (member) taken.push(member);
      return member;
    };
    const first = takeNext();
    if (!first) return;
    try {
      // One that could not be undone before must be over before another begins.
      if (sqlite.inTransaction) sqlite.run("ROLLBACK");
      sqlite.run("BEGIN IMMEDIATE");
      settle.push(await first.begin(queries));
      const runWaiting = async () => {
        for (let next = takeNext(); next; next = takeNext()) settle.push(await runApart(next));
      };
      await runWaiting();
      if (taken.length < GROUP_MAX) await yieldToEventLoop();
      await runWaiting();
      sqlite.run("COMMIT");
    } catch (error) {
      undo();
      for (const { fail } of taken) fail(error);
      return;
    }
    for (const each of settle) each();
  }

  /** Never throws: who waits must hear of the failure itself. What is left is undone before the next group. */
  function undo(): void {
    try {
      if (sqlite.inTransaction) sqlite.run("ROLLBACK");
    } catch {
      // The disk is in trouble. Nothing was committed.
    }
  }

  /** Throws only when SQLite has given up the whole transaction. */
  async function runApart(member: Member<Queries>): Promise<() => void> {
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

  return {
    run: (body) =>
      new Promise((done, fail) => {
        waiting.push({
          async begin(given) {
            const result = await body(given);
            return () => done(result);
          },
          fail,
        });
        if (!isWorking) working = work();
      }),
    idle: () => working,
  };
}
