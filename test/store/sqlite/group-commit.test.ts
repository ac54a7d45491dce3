/** Transactions that share a COMMIT, and the guarantees that each of them keeps. */
import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { yieldToEventLoop } from "../../../src/core/clock.ts";
import { GroupCommit } from "../../../src/store/sqlite/group-commit.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempDir } from "../../support/temp-dir.ts";

const GROUP_MAX = 32;
let writer: Sqlite;
let reader: Sqlite;
let group: GroupCommit<Sqlite>;
/** COMMITs of the writer. */
let committed = 0;

beforeEach(() => {
  const path = join(tempDir(), "group.db");
  writer = new Sqlite(path, { create: true, strict: true });
  writer.run("PRAGMA journal_mode = WAL");
  writer.run("PRAGMA foreign_keys = ON");
  writer.run("CREATE TABLE notes (text TEXT PRIMARY KEY, parent TEXT REFERENCES notes(text))");
  reader = new Sqlite(path, { readonly: true, strict: true });
  const run = writer.run.bind(writer);
  writer.run = (text, ...bindings) => {
    if (text === "COMMIT") committed++;
    return run(text, ...bindings);
  };
  group = new GroupCommit(writer, writer);
});

afterEach(() => {
  reader.close();
  writer.close();
});

const stored = () =>
  reader
    .query<{ text: string }, []>("SELECT text FROM notes ORDER BY rowid")
    .all()
    .map(({ text }) => text);
const commits = () => committed;
const write = (text: string) =>
  group.run(async (sqlite) => {
    sqlite.run("INSERT INTO notes (text) VALUES (?)", [text]);
    await Promise.resolve();
    return text;
  });
const names = (amount: number) => Array.from({ length: amount }, (_, index) => `note ${index}`);

describe("a lingering write (nobody waits for it)", () => {
  const clock = fakeClock();
  const later = (text: string) =>
    group.run(
      async (sqlite) => void sqlite.run("INSERT INTO notes (text) VALUES (?)", [text]),
      "background",
    );
  beforeEach(() => {
    group = new GroupCommit(writer, writer, clock);
  });

  test("shares the COMMIT of the next awaited write, in order", async () => {
    const before = commits();
    const lingering = [later("one"), later("two")];
    await yieldToEventLoop();
    expect(stored()).toEqual([]);
    await write("three");
    await Promise.all(lingering);
    expect(stored()).toEqual(["one", "two", "three"]);
    expect(commits() - before).toBe(1);
  });

  test("gets its own COMMIT if no other write comes", async () => {
    const lingering = [later("one"), later("two")];
    await clock.advance(9);
    expect(stored()).toEqual([]);
    const before = commits();
    await clock.advance(1);
    await Promise.all(lingering);
    expect(stored()).toEqual(["one", "two"]);
    expect(commits() - before).toBe(1);
    const next = later("three");
    await clock.advance(10);
    await next;
    expect(stored()).toEqual(["one", "two", "three"]);
  });

  test("that arrives during another COMMIT starts a new lingering period", async () => {
    let lingering = Promise.resolve();
    await group.run(async (sqlite) => {
      sqlite.run("INSERT INTO notes (text) VALUES ('first')");
      await Promise.resolve();
    });
    const written = write("second").then(() => {
      lingering = later("third");
    });
    await written;
    await clock.advance(10);
    await lingering;
    expect(stored()).toEqual(["first", "second", "third"]);
  });

  test("is written before the file is closed, however large it is", async () => {
    const lingering = names(GROUP_MAX + 1).map(later);
    await group.idle();
    await Promise.all(lingering);
    expect(stored()).toEqual(names(GROUP_MAX + 1));
  });
});

describe("one COMMIT for many", () => {
  test("simultaneous writes are committed at once, in the order of the requests", async () => {
    const before = commits();
    expect(await Promise.all(names(5).map(write))).toEqual(names(5));
    expect(stored()).toEqual(names(5));
    expect(commits() - before).toBe(1);
  });

  test("writes of the same turn of the event loop join", async () => {
    const before = commits();
    const first = write("first");
    await Promise.resolve();
    const second = write("second");
    await Promise.all([first, second]);
    expect(commits() - before).toBe(1);
  });

  test.each([
    [GROUP_MAX - 1, 1],
    [GROUP_MAX, 1],
    [GROUP_MAX + 1, 2],
    [2 * GROUP_MAX + 1, 3],
  ])("%d at once need %d COMMITs", async (amount, expected) => {
    const before = commits();
    await Promise.all(names(amount).map(write));
    expect(stored()).toEqual(names(amount));
    expect(commits() - before).toBe(expected);
  });

  test("no promise resolves before its write is durable, and until then no reader sees it", async () => {
    let told = 0;
    const all = names(3).map((name) =>
      write(name).then(() => {
        told++;
        expect(stored()).toEqual(names(3));
      }),
    );
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(told).toBe(0);
    expect(stored()).toEqual([]);
    await Promise.all(all);
    expect(told).toBe(3);
  });

  test("a body sees the writes of earlier bodies in its group", async () => {
    const first = write("first");
    const count = group.run(
      async (sqlite) => sqlite.query<{ n: number }, []>("SELECT count(*) AS n FROM notes").get()?.n,
    );
    await first;
    expect(await count).toBe(1);
  });
});

describe("failures", () => {
  const failing = (text: string) =>
    group.run(async (sqlite) => {
      sqlite.run("INSERT INTO notes (text) VALUES (?)", [text]);
      await Promise.resolve();
      throw new Error(`not ${text}`);
    });

  test.each([0, 1, 2])(
    "a body that throws undoes its own writes only, at every position (%d)",
    async (place) => {
      const all = [0, 1, 2].map((index) =>
        index === place ? failing(`bad ${index}`) : write(`good ${index}`),
      );
      const outcomes = await Promise.allSettled(all);
      expect(outcomes.map(({ status }) => status)).toEqual(
        [0, 1, 2].map((index) => (index === place ? "rejected" : "fulfilled")),
      );
      expect(stored()).toEqual([0, 1, 2].filter((n) => n !== place).map((n) => `good ${n}`));
      expect(writer.inTransaction).toBe(false);
    },
  );

  test("a failure caused by an earlier body is reported only after that body is durable", async () => {
    const first = write("taken");
    const second = write("taken").catch((error) => {
      expect(stored()).toEqual(["taken"]);
      return String(error);
    });
    expect(await second).toContain("UNIQUE");
    await first;
  });

  test("a failed COMMIT rejects its whole group, stores nothing and does not affect later writes", async () => {
    const good = write("good");
    const orphan = group.run(async (sqlite) => {
      sqlite.run("PRAGMA defer_foreign_keys = ON");
      sqlite.run("INSERT INTO notes (text, parent) VALUES ('orphan', 'nobody')");
    });
    const outcomes = await Promise.allSettled([good, orphan]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(stored()).toEqual([]);
    await write("later");
    expect(stored()).toEqual(["later"]);
  });

  test("a failed ROLLBACK rejects its group only: later groups continue when it succeeds", async () => {
    const run = writer.run.bind(writer);
    let broken = 2;
    writer.run = (text, ...bindings) => {
      if (text === "ROLLBACK" && broken-- > 0) throw new Error("disk I/O error");
      return run(text, ...bindings);
    };
    const orphan = group.run(async (sqlite) => {
      sqlite.run("PRAGMA defer_foreign_keys = ON");
      sqlite.run("INSERT INTO notes (text, parent) VALUES ('orphan', 'nobody')");
    });
    await expect(orphan).rejects.toThrow("FOREIGN KEY");
    expect(writer.inTransaction).toBe(true);
    await expect(write("while it cannot be undone")).rejects.toThrow("disk I/O error");
    expect(await write("later")).toBe("later");
    expect(stored()).toEqual(["later"]);
  });

  test("a full database: resolved writes are stored, rejected ones are not", async () => {
    const { page_count } = writer.query<{ page_count: number }, []>("PRAGMA page_count").get() ?? {
      page_count: 0,
    };
    writer.run(`PRAGMA max_page_count = ${page_count + 6}`);
    const sizes = [1, 2, 1, 9, 1, 1];
    const outcomes = await Promise.allSettled(
      sizes.map((pages, index) => write(`${index} ${"x".repeat(pages * 4096)}`)),
    );
    const kept = outcomes.flatMap((outcome, index) =>
      outcome.status === "fulfilled" ? [String(index)] : [],
    );
    expect(outcomes[3]?.status).toBe("rejected");
    expect(stored().map((text) => text.slice(0, 1))).toEqual(kept);
    expect(writer.inTransaction).toBe(false);
    await write("small");
    expect(stored().at(-1)).toBe("small");
  });

  test("a failed BEGIN rejects that body only, and the next one is tried again", async () => {
    writer.run("PRAGMA busy_timeout = 1");
    const other = new Sqlite(writer.filename, { strict: true });
    other.run("BEGIN IMMEDIATE");
    const refused = write("refused");
    expect(refused).rejects.toThrow("locked");
    await refused.catch(() => other.run("COMMIT"));
    other.close();
    await write("let in");
    expect(stored()).toEqual(["let in"]);
  });
});

test("idle waits for writes in progress and for those requested meanwhile", async () => {
  let done = 0;
  for (const name of names(3)) void write(name).then(() => done++);
  await group.idle();
  expect(done).toBe(3);
  expect(stored()).toEqual(names(3));
});

describe("a log flushed outside this thread", () => {
  /** Started flushes; the test ends them. */
  let flushes: PromiseWithResolvers<void>[] = [];
  const log = {
    flush() {
      const flush = Promise.withResolvers<void>();
      flushes.push(flush);
      return flush.promise;
    },
    pending: () => flushes.at(-1)?.promise ?? null,
  };
  const told: string[] = [];
  const tell = (text: string, urgency?: "urgent") =>
    group
      .run(
        async (sqlite) => void sqlite.run("INSERT INTO notes (text) VALUES (?)", [text]),
        urgency,
      )
      .then(
        () => void told.push(text),
        (error: { code?: string }) => void told.push(`${text}: ${error.code}`),
      );
  const until = async (isSo: () => boolean) => {
    for (let turn = 0; !isSo() && turn < 50; turn++) await yieldToEventLoop();
    expect(isSo()).toBe(true);
  };
  const lost = new Error("EIO");

  beforeEach(() => {
    flushes = [];
    told.length = 0;
    group = new GroupCommit(writer, writer, null, log);
  });

  test("resolves a write after its flush, and writes the next group meanwhile", async () => {
    const first = tell("first");
    await until(() => flushes.length === 1);
    const second = tell("second");
    await until(() => flushes.length === 2);
    expect([stored(), told]).toEqual([["first", "second"], []]);
    flushes[0]?.resolve();
    await first;
    expect(told).toEqual(["first"]);
    flushes[1]?.resolve();
    await second;
    expect(told).toEqual(["first", "second"]);
  });

  test("resolves urgent writes at the COMMIT", async () => {
    const both = [tell("waits"), tell("urgent", "urgent")];
    await until(() => told.length === 1);
    expect(told).toEqual(["urgent"]);
    flushes[0]?.resolve();
    await Promise.all(both);
  });

  test("rejects a write only after the flush of the write that may have caused the failure", async () => {
    const first = tell("taken");
    await until(() => flushes.length === 1);
    const second = tell("taken");
    for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
    expect(told).toEqual([]);
    flushes[0]?.resolve();
    await Promise.all([first, second]);
    expect(told).toEqual(["taken", expect.stringContaining("SQLITE_CONSTRAINT")]);
  });

  test("idle waits for the flush", async () => {
    void tell("one");
    await until(() => flushes.length === 1);
    const idle = group.idle().then(() => told.push("idle"));
    await yieldToEventLoop();
    flushes[0]?.resolve();
    await idle;
    expect(told).toEqual(["one", "idle"]);
  });

  test("that fails: its group and later ones reject, and the next group first stores all of the log", async () => {
    const both = [tell("first")];
    await until(() => flushes.length === 1);
    both.push(tell("second"));
    await until(() => flushes.length === 2);
    flushes[0]?.reject(lost);
    await both[0];
    flushes[1]?.resolve();
    await both[1];
    expect(told).toEqual(["first: SQLITE_IOERR_FSYNC", "second: SQLITE_IOERR_FSYNC"]);
    expect(group.failure()?.code).toBe("SQLITE_IOERR_FSYNC");
    const third = tell("third");
    await until(() => flushes.length === 3);
    flushes[2]?.resolve();
    await third;
    expect([told[2], group.failure()]).toEqual(["third", null]);
    // The log contains the third only: SQLite has moved the others into the file and synced it.
    const { log: frames } = writer
      .query<{ log: number }, []>("PRAGMA wal_checkpoint(PASSIVE)")
      .get() ?? { log: 0 };
    expect(frames).toBe(2);
    expect(stored()).toEqual(["first", "second", "third"]);
  });

  test("that fails during a read of the log: writes are refused until it can be stored", async () => {
    const first = tell("first");
    await until(() => flushes.length === 1);
    reader.run("BEGIN");
    expect(stored()).toEqual(["first"]);
    flushes[0]?.reject(lost);
    await first;
    writer.run("PRAGMA busy_timeout = 1");
    await tell("refused");
    reader.run("COMMIT");
    const third = tell("third");
    await until(() => flushes.length === 2);
    flushes[1]?.resolve();
    await third;
    expect(told).toEqual(["first: SQLITE_IOERR_FSYNC", "refused: SQLITE_IOERR_FSYNC", "third"]);
    expect(stored()).toEqual(["first", "third"]);
  });
});
