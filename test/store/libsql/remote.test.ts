/** The database on a libSQL server: transactions, network failures, migrations among nodes. */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { walletStore } from "../../../src/features/billing/ledger-store.ts";
import { openRemoteDatabase } from "../../../src/store/libsql/database.ts";
import { StoreUnreachable } from "../../../src/store/libsql/errors.ts";
import { MigrationRejected, migrate } from "../../../src/store/migration/migrate.ts";
import { migrations } from "../../../src/store/migration/migrations.ts";
import { eventually } from "../../support/eventually.ts";
import { fillAs010 } from "../../support/store/database-of-0.1.0.ts";
import {
  type HranaOptions,
  type HranaServer,
  startHranaServer,
} from "../../support/store/hrana-server.ts";
import { replacedMigrations } from "../../support/store/replaced-migrations.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

const TOKEN = "s3cret";
const directory = tempDir();
const servers: HranaServer[] = [];
let files = 0;

afterAll(async () => {
  for (const server of servers) await server.stop();
});

function serve(options: Partial<HranaOptions> = {}): HranaServer {
  const path = join(directory, `${++files}.db`);
  const server = startHranaServer({ path, token: TOKEN, ...options });
  servers.push(server);
  return server;
}

const open = (
  server: HranaServer,
  options: Partial<Parameters<typeof openRemoteDatabase>[1]> = {},
) =>
  openRemoteDatabase(
    { url: server.url, authToken: TOKEN },
    { clock, random, owner: `node-${++files}`, ...options },
  );

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

for (const version of [2, 3] as const)
  describe(`Hrana ${version}`, () => {
    test("a transaction that throws stores nothing, one that resolves is visible to the other node", async () => {
      const server = serve({ version });
      const [one, two] = [await open(server), await open(server)];
      const tenantId = await insertTenant(one);
      await one.tx((queries) => walletStore(queries).add(tenantId, microEur(7)));
      const thrown = one.tx(async (queries) => {
        await walletStore(queries).add(tenantId, microEur(1000));
        expect(await walletStore(queries).balance(tenantId)).toBe(microEur(1007));
        throw new Error("no");
      });
      expect(await rejection(thrown)).toEqual(new Error("no"));
      expect(await walletStore(two.read).balance(tenantId)).toBe(microEur(7));
      await one.close();
      await two.close();
      await eventually(() => server.openStreams === 0, "every stream is closed");
    });

    test("a closed one opens no connection", async () => {
      const server = serve({ version });
      const database = await open(server);
      const tenantId = await insertTenant(database);
      await database.close();
      expect(database.version()).toBeNull();
      const late = database.tx((queries) => walletStore(queries).add(tenantId, microEur(1)));
      expect(await rejection(late)).toMatchObject({ code: "STORE_UNREACHABLE" });
      expect(await rejection(walletStore(database.read).balance(tenantId))).toBeInstanceOf(Error);
      await eventually(() => server.openStreams === 0, "every stream is closed");
    });

    test("nodes that write at once lose nothing: each waits for the writer", async () => {
      const server = serve({ version, busyMs: 20 });
      const nodes = await Promise.all([open(server), open(server), open(server)]);
      const [first] = nodes;
      if (!first) throw new Error("no node");
      const tenantId = await insertTenant(first);
      await Promise.all(
        nodes.flatMap((node) =>
          Array.from({ length: 20 }, () =>
            node.tx(async (queries) => {
              const before = await walletStore(queries).balance(tenantId);
              await walletStore(queries).add(tenantId, microEur(1));
              expect(await walletStore(queries).balance(tenantId)).toBe(microEur(before + 1));
            }),
          ),
        ),
      );
      expect(await walletStore(first.read).balance(tenantId)).toBe(microEur(60));
      for (const node of nodes) await node.close();
    });
  });

test("whole numbers arrive as integers: no division uses a float", async () => {
  const server = serve();
  const database = await open(server);
  await insertTenant(database, { createdAt: 7 });
  expect(server.inspect.query("SELECT created_at / 2 AS half FROM tenants").get()).toEqual({
    half: 3n,
  });
  await database.close();
});

test("a body that takes too long is cut off; its late statements have no effect; others continue", async () => {
  const server = serve();
  const database = await open(server, { limits: { transactionMs: 150 } });
  const tenantId = await insertTenant(database);
  let late: unknown = null;
  const slow = database.tx(async (queries) => {
    await walletStore(queries).add(tenantId, microEur(1));
    await Bun.sleep(400);
    late = await rejection(walletStore(queries).add(tenantId, microEur(1)));
    throw late;
  });
  expect(await rejection(slow)).toBeInstanceOf(StoreUnreachable);
  expect(late).toMatchObject({ cause: { code: "STORE_UNREACHABLE" } });
  await database.tx((queries) => walletStore(queries).add(tenantId, microEur(5)));
  expect(await walletStore(database.read).balance(tenantId)).toBe(microEur(5));
  await database.close();
});

test("a node lost in mid-transaction delays others no longer than the server's timeout", async () => {
  const server = serve({ idleMs: 500, busyMs: 20 });
  const [gone, alive] = [await open(server), await open(server)];
  const tenantId = await insertTenant(alive);
  const { promise: never } = Promise.withResolvers<void>();
  void gone
    .tx(async (queries) => {
      await walletStore(queries).add(tenantId, microEur(1000));
      await never;
    })
    .catch(() => undefined);
  await Bun.sleep(50);
  await alive.tx((queries) => walletStore(queries).add(tenantId, microEur(5)));
  expect(await walletStore(alive.read).balance(tenantId)).toBe(microEur(5));
  await alive.close();
});

test("a writer that stays busy ends in SQLITE_BUSY after its time, with that message", async () => {
  const server = serve({ busyMs: 5 });
  const database = await open(server, { limits: { busyMs: 200 } });
  server.inspect.run("BEGIN IMMEDIATE");
  const error = await rejection(insertTenant(database));
  expect(error).toMatchObject({ code: "SQLITE_BUSY" });
  server.inspect.run("ROLLBACK");
  await insertTenant(database);
  await database.close();
});

test("a read with a lost answer is repeated; so is a COMMIT, but it is applied once", async () => {
  const server = serve();
  const database = await open(server);
  const tenantId = await insertTenant(database);
  server.loseAnswers(1, /select/i);
  expect(await walletStore(database.read).balance(tenantId)).toBe(microEur(0));
  server.loseAnswers(1, /COMMIT/);
  await database.tx((queries) => walletStore(queries).add(tenantId, microEur(5)));
  expect(await walletStore(database.read).balance(tenantId)).toBe(microEur(5));
  await database.close();
});

test("a frozen server fails the ping within a time limit, and is used again after it recovers", async () => {
  const server = serve();
  const database = await open(server, { limits: { pingMs: 150 } });
  await database.ping();
  const thaw = server.freeze();
  expect(await rejection(database.ping())).toBeInstanceOf(StoreUnreachable);
  thaw();
  await database.ping();
  await database.close();
});

test("a wrong token is refused at once, a missing server after its time, both with what to do", async () => {
  const server = serve();
  const wrong = await rejection(
    openRemoteDatabase({ url: server.url, authToken: "x" }, { clock, random, owner: "a" }),
  );
  expect(String(wrong)).toContain("refuses [storage] auth_token");
  const absent = await rejection(
    openRemoteDatabase(
      { url: "http://127.0.0.1:1", authToken: null },
      { clock, random, owner: "a", limits: { openMs: 100 } },
    ),
  );
  expect(String(absent)).toContain("Check [storage] database");
});

test("a server that does not enforce foreign keys is refused", async () => {
  const server = serve({ foreignKeys: false });
  expect(String(await rejection(open(server)))).toContain("does not enforce foreign keys");
});

test("three nodes that start at once migrate once in total", async () => {
  const server = serve();
  const nodes = await Promise.all([open(server), open(server), open(server)]);
  const done = server.inspect.query("SELECT tag FROM migrations ORDER BY tag").values();
  expect(done).toEqual(migrations.map(({ tag }) => [tag]));
  const creations = server.statements.filter((sql) => /^CREATE TABLE `tenants`/.test(sql.trim()));
  expect(creations).toHaveLength(1);
  for (const node of nodes) await node.close();
});

test("a database of 0.1.0 on a server has the baseline and is upgraded", async () => {
  const server = serve();
  fillAs010(server.inspect);
  const node = await open(server);
  const done = server.inspect.query("SELECT tag FROM migrations ORDER BY tag").values();
  expect(done).toEqual(migrations.map(({ tag }) => [tag]));
  expect(server.inspect.query("SELECT name FROM tenants").values()).toEqual([["a"]]);
  await node.close();
});

test("a database on a server with all replaced migrations runs none again, one with some is refused", async () => {
  const server = serve();
  fillAs010(server.inspect);
  migrate(server.inspect, replacedMigrations, 1);
  const tags = () => server.inspect.query("SELECT tag FROM migrations ORDER BY tag").values();
  const changes = () => server.statements.filter((sql) => /^(CREATE|ALTER|DROP) /.test(sql.trim()));
  const before = changes().length;
  await (await open(server)).close();
  expect(
    changes()
      .slice(before)
      .filter((sql) => !sql.includes("IF NOT EXISTS")),
  ).toEqual([]);
  await (await open(server, { migrations: [...migrations, NEXT] })).close();
  expect(tags()).toEqual([...migrations, NEXT].map(({ tag }) => [tag]));
  const other = serve();
  fillAs010(other.inspect);
  migrate(other.inspect, replacedMigrations.slice(0, 20), 1);
  expect(String(await rejection(open(other)))).toContain("Restore an older copy");
});

const NEXT = { tag: "9999_next", createdAt: 1, sql: "CREATE TABLE next (id INTEGER PRIMARY KEY)" };

test("a migration that fails midway leaves the database unchanged, and works after the fix", async () => {
  const server = serve();
  await (await open(server)).close();
  const broken = {
    ...NEXT,
    sql: `${NEXT.sql};\n--> statement-breakpoint\nINSERT INTO nowhere VALUES (1)`,
  };
  const error = await rejection(open(server, { migrations: [...migrations, broken] }));
  expect(error).toBeInstanceOf(MigrationRejected);
  const known = () => server.inspect.query("SELECT 1 FROM sqlite_schema WHERE name = 'next'").all();
  expect(known()).toEqual([]);
  await (await open(server, { migrations: [...migrations, NEXT] })).close();
  expect(known()).toHaveLength(1);
});

test("a migration that would orphan rows is refused, and foreign keys are on again for everybody", async () => {
  const server = serve();
  const database = await open(server);
  const tenantId = await insertTenant(database);
  await database.tx((queries) => walletStore(queries).add(tenantId, microEur(5)));
  const orphaning = { ...NEXT, sql: "DELETE FROM tenants" };
  const error = await rejection(open(server, { migrations: [...migrations, orphaning] }));
  expect(error).toBeInstanceOf(MigrationRejected);
  expect(await walletStore(database.read).balance(tenantId)).toBe(microEur(5));
  expect(
    await rejection(database.tx((queries) => walletStore(queries).add(999, microEur(1)))),
  ).not.toBeNull();
  await database.close();
});

test("a database newer than the program is refused", async () => {
  const server = serve();
  await (await open(server, { migrations: [...migrations, NEXT] })).close();
  const error = await rejection(open(server));
  expect(String(error)).toContain("written by a newer linevoice");
});

test("the lock of a dead node is taken when its lease is over", async () => {
  const server = serve();
  await (await open(server)).close();
  server.inspect.run("UPDATE migration_lock SET owner = 'dead', lease_until = ?", [
    clock.now() + 600,
  ]);
  const started = clock.monotonic();
  await (await open(server, { migrations: [...migrations, NEXT] })).close();
  expect(clock.monotonic() - started).toBeGreaterThan(400);
});
