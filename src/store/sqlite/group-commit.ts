/**
 * Group commit: transactions requested at about the same time share one COMMIT and one flush to disk, which
 * is the main cost of a small transaction. The flush runs outside of this thread (wal-flush.ts), and the next
 * group begins meanwhile.
 *
 * The result is as if each had a separate COMMIT. Bodies run one at a time, in order, and see earlier writes.
 * A body that throws undoes only its own writes. No promise settles before the writes it depends on are
 * durable. This includes failures, since an earlier body's writes may have caused them. An urgent one settles
 * at the COMMIT.
 *
 * If the COMMIT fails, or SQLite rolls back the whole transaction (disk full), all members reject with its
 * error. If the flush fails, they reject too, though their writes are readable and may persist. After that,
 * nothing is written until SQLite could store the whole log.
 *
 * A group waits one turn of the event loop for more members. That is almost no time if the loop is idle, and
 * under load as long as the other requests of that turn need. It is closed at `GROUP_MAX`. Background
 * transactions do not start a group: they join the next one, or start one after the first has waited for
 * `LINGER_MS`.
 */
import type { Database as Sqlite } from "bun:sqlite";
import { type Clock, type Timer, yieldToEventLoop } from "../../core/clock.ts";
import type { WalCheckpoints } from "./wal-checkpoints.ts";
import type { WalFlush } from "./wal-flush.ts";

type Urgency = "urgent" | "background";

/** SQLite's error names for disk failures. */
const DISK_FAILURE = /^SQLITE_(IOERR|FULL|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

type DiskFailure = Error & { readonly code: string };

const isDiskFailure = (error: unknown): error is DiskFailure =>
  error instanceof Error && "code" in error && DISK_FAILURE.test(String(error.code));

/** The disk rejected the log. `code` is SQLite's name for this error. */
class FlushFailed extends Error {
  readonly code = "SQLITE_IOERR_FSYNC";

  constructor(cause: unknown) {
    super("the write-ahead log could not be written to the disk", { cause });
  }
}

type Log = Pick<WalFlush, "flush" | "pending"> & Partial<Pick<WalCheckpoints, "room">>;

interface Member<Queries> {
  /** Runs the body. The returned function settles its promise later. */
  readonly begin: (queries: Queries) => Promise<() => void>;
  readonly fail: (error: unknown) => void;
  readonly urgency: Urgency | undefined;
}

interface Done {
  readonly settle: () => void;
  readonly isUrgent: boolean;
}

/** Bodies per COMMIT; limits how long the first of them waits. */
const GROUP_MAX = 32;
const LINGER_MS = 10;

export class GroupCommit<Queries> {
  readonly #waiting: Member<Queries>[] = [];
  readonly #finishing = new Set<Promise<void>>();
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #failure: DiskFailure | null = null;
  #isLogInDoubt = false;
  #lingering: Timer | null = null;
  #commits = 0;

  /** Without a clock, background transactions do not wait. Without a log, a COMMIT is durable by itself. */
  constructor(
    private readonly sqlite: Sqlite,
    private readonly queries: Queries,
    private readonly clock: Clock | null = null,
    private readonly log: Log | null = null,
  ) {}

  /** `urgency` "background": nobody waits for it, but the order is kept. */
  run<Result>(body: (queries: Queries) => Promise<Result>, urgency?: Urgency): Promise<Result> {
    return new Promise((done, fail) => {
      const member = {
        fail,
        urgency,
        begin: async (given: Queries) => {
          const result = await body(given);
          return () => done(result);
        },
      };
      this.#waiting.push(member);
      if (this.#canWait(member)) this.#linger();
      else this.#begin();
    });
  }

  /** Resolves when no transaction is running or waiting, and all are durable. */
  async idle(): Promise<void> {
    while (this.#isWorking || this.#waiting.length > 0 || this.#finishing.size > 0) {
      this.#begin();
      await this.#working;
      await Promise.all(this.#finishing);
    }
  }

  /** Increased by each COMMIT. */
  get commits(): number {
    return this.#commits;
  }

  /** Why the newest group could not be written; null if it was. */
  failure(): DiskFailure | null {
    return this.#failure;
  }

  #canWait({ urgency }: Member<Queries>): boolean {
    return urgency === "background" && this.clock !== null;
  }

  #begin(): void {
    this.#lingering?.cancel();
    this.#lingering = null;
    if (!this.#isWorking && this.#waiting.length > 0) this.#working = this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    do await this.#commitGroup();
    while (this.#waiting.some((member) => !this.#canWait(member)));
    this.#isWorking = false;
    if (this.#waiting.length > 0) this.#linger();
  }

  #linger(): void {
    this.#lingering ??= this.clock?.after(LINGER_MS, () => this.#begin()) ?? null;
  }

  async #commitGroup(): Promise<void> {
    const taken: Member<Queries>[] = [];
    const takeNext = () => {
      const member = taken.length < GROUP_MAX ? this.#waiting.shift() : undefined;
      if (member) taken.push(member);
      return member;
    };
    try {
      await this.log?.room?.();
      if (this.#isLogInDoubt) this.#secureLog();
      const done = await commitTogether(this.sqlite, this.queries, takeNext);
      this.#commits++;
      for (const { settle, isUrgent } of done) if (isUrgent) settle();
      this.#finish(this.#tellWhenDurable(taken, done));
    } catch (error) {
      if (taken.length === 0) takeNext();
      undo(this.sqlite);
      if (isDiskFailure(error)) this.#failure = error;
      this.#finish(this.#failAll(taken, error));
    }
  }

  #finish(end: Promise<void>): void {
    const ended = end.finally(() => this.#finishing.delete(ended));
    this.#finishing.add(ended);
  }

  async #tellWhenDurable(taken: readonly Member<Queries>[], done: readonly Done[]): Promise<void> {
    try {
      await this.log?.flush();
      // After a gap in the log, SQLite would not find these writes either.
      if (this.#isLogInDoubt) throw this.#failure;
    } catch (error) {
      this.#isLogInDoubt = true;
      const failure = error instanceof FlushFailed ? error : new FlushFailed(error);
      this.#failure = failure;
      for (const { fail } of taken) fail(failure);
      return;
    }
    this.#failure = null;
    for (const { settle, isUrgent } of done) if (!isUrgent) settle();
  }

  /** Earlier groups may have caused the error, so it is reported after their writes are durable. */
  async #failAll(taken: readonly Member<Queries>[], error: unknown): Promise<void> {
    await this.log?.pending()?.catch(() => undefined);
    for (const { fail } of taken) fail(error);
  }

  /**
   * After a failed flush, writes may be missing on the disk though they are readable. So SQLite copies the
   * whole log into the database file and syncs it. Throws while the disk rejects it.
   */
  #secureLog(): void {
    const [outcome] = this.sqlite
      .query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)")
      .all();
    if (outcome?.busy !== 0) throw new FlushFailed("the log is being read");
    this.#isLogInDoubt = false;
  }
}

/** Runs the waiting bodies in one transaction. Returns functions that settle their promises. */
async function commitTogether<Queries>(
  sqlite: Sqlite,
  queries: Queries,
  takeNext: () => Member<Queries> | undefined,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  const first = takeNext();
  if (!first) return done;
  const add = ({ urgency }: Member<Queries>, settle: () => void) =>
    done.push({ settle, isUrgent: urgency === "urgent" });
  // A transaction that could not be rolled back before must end first.
  if (sqlite.inTransaction) sqlite.run("ROLLBACK");
  sqlite.run("BEGIN IMMEDIATE");
  add(first, await first.begin(queries));
  const runWaiting = async () => {
    for (let next = takeNext(); next; next = takeNext())
      add(next, await runApart(sqlite, queries, next));
  };
  await runWaiting();
  if (done.length < GROUP_MAX) await yieldToEventLoop();
  await runWaiting();
  sqlite.run("COMMIT");
  return done;
}

/**
 * Never throws: the waiting caller must see the original error. If the rollback fails, it is repeated before
 * the next group.
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
