/**
 * The command line with the database on a libSQL server: working commands, and rejected ones with
 * their remedy.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { CopiedTable } from "../../src/store/copy/store-copy.ts";
import { listeningOn, runCli, serveCli } from "../support/appliance/cli.ts";
import { startHranaServer } from "../support/store/hrana-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
const server = startHranaServer({ path: join(cwd, "remote.db"), token: "t0ken" });
const env = {
  ...listeningOn("127.0.0.79"),
  LINEVOICE_STORAGE__DATABASE: server.url,
  LINEVOICE_STORAGE__AUTH_TOKEN: "t0ken",
};
afterAll(() => server.stop());

const run = (words: string | readonly string[], extra: Record<string, string> = {}) =>
  runCli(cwd, words, { env: { ...env, ...extra } });

test("a tenant created without a server is in the shared database, and there is no file", async () => {
  const made = await run(["tenant", "create", "--name", "N", "--email", "a@example.com"]);
  expect(made).toMatchObject({ status: 0, err: "" });
  expect(server.inspect.query("SELECT name FROM tenants").get()).toEqual({ name: "N" });
  expect(await Bun.file(join(cwd, "data/linevoice.db")).exists()).toBe(false);
});

for (const args of [
  ["backup", "create"],
  ["restore", "x.db", "--yes"],
  ["export", "--tenant", "1", "--to", "x.jsonl"],
  ["migrate", "status"],
])
  test(`${args.slice(0, 2).join(" ")} is rejected with an alternative`, async () => {
    await Bun.write(join(cwd, "x.db"), "");
    const { status, err } = await run(args);
    expect(status).toBe(1);
    expect(err).toContain(`[storage] database is ${server.url}`);
    expect(err).toContain("the backups of that libSQL server");
  });

test("another node needs the new master key after a rotation, and the command reports that", async () => {
  const other = join(cwd, "other");
  const key = join(cwd, "data/master.key");
  mkdirSync(other, { mode: 0o700 });
  const bring = () => copyFileSync(key, join(other, "master.key"));
  const there = () => run(["tenant", "list"], { LINEVOICE_STORAGE__DATA_DIR: other });
  bring();
  expect(await there()).toMatchObject({ status: 0, err: "" });
  const rotated = await run(["key", "rotate-master", "--purposes"]);
  expect(rotated).toMatchObject({ status: 0, err: "" });
  expect(rotated.out).toContain(`Copy ${key} to every other node and restart that node`);
  expect((await there()).err).toContain("The master key is not the one");
  bring();
  expect(await there()).toMatchObject({ status: 0, err: "" });
});

test("a node without the shared master key creates no new one", async () => {
  const fresh = join(cwd, "fresh");
  for (const args of [["tenant", "list"], ["serve"]]) {
    const { status, err } = await run(args, { LINEVOICE_STORAGE__DATA_DIR: fresh });
    expect([args, status, err]).toEqual([
      args,
      1,
      expect.stringContaining("The master key is not the one"),
    ]);
    expect(existsSync(join(fresh, "master.key"))).toBe(false);
  }
});

test("an invalid token is reported", async () => {
  const args = ["tenant", "create", "--name", "N", "--email", "a@example.com"];
  const { status, err } = await run(args, { LINEVOICE_STORAGE__AUTH_TOKEN: "x" });
  expect(status).toBe(1);
  expect(err).toContain("auth_token");
});

test("a server is ready; with a frozen database it reports that, answers reads with 503 and recovers automatically", async () => {
  const made = await run(["key", "create", "--tenant", "1", "--label", "test"]);
  const { secret } = JSON.parse(made.out) as { readonly secret: string };
  const { base, stop } = await serveCli(cwd, env);
  const readiness = async () => {
    const response = await fetch(`${base}/readyz`);
    return { status: response.status, ...((await response.json()) as { problems: string[] }) };
  };
  const until = async (status: number) => {
    for (let look = 0; look < 200; look++) {
      const found = await readiness();
      if (found.status === status) return found;
      await Bun.sleep(100);
    }
    return await readiness();
  };
  expect(await until(200)).toMatchObject({ status: 200, problems: [] });
  const list = () =>
    fetch(`${base}/api/v1/agents`, { headers: { authorization: `Bearer ${secret}` } });
  expect((await list()).status).toBe(200);
  const thaw = server.freeze();
  const askedAt = performance.now();
  const held = await Promise.all([list(), list(), list()]);
  expect(held.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(held[0]?.headers.get("retry-after")).toBe("5");
  // 1.5 s by the appliance's clock; the rest allows for a busy machine.
  expect(performance.now() - askedAt).toBeLessThan(8_000);
  expect((await until(503)).problems).toContain("The database cannot be read.");
  expect((await fetch(`${base}/healthz`)).status).toBe(200);
  thaw();
  expect(await until(200)).toMatchObject({ status: 200, problems: [] });
  expect((await list()).status).toBe(200);
  expect(await stop()).toBe(0);
});

test("the data of the shared store is copied to a file and back to another server, and works there", async () => {
  const cut = async (args: readonly string[]) => {
    const { out, err, status } = await run(["store", "copy", ...args, "--json"]);
    expect({ err, status }).toEqual({ err: "", status: 0 });
    const { tables } = JSON.parse(out) as { readonly tables: readonly CopiedTable[] };
    return tables;
  };
  const file = join(cwd, "copied.db");
  const inFile = await cut(["--to", file]);
  expect(inFile).toContainEqual({ table: "tenants", rows: 1, sha256: expect.any(String) });

  const next = startHranaServer({ path: join(cwd, "next.db"), token: "other" });
  try {
    await Bun.write(join(cwd, "token"), "other\n");
    expect(await cut(["--to", next.url, "--token-file", "token"])).toEqual(inFile);
    const moved = { LINEVOICE_STORAGE__DATABASE: next.url, LINEVOICE_STORAGE__AUTH_TOKEN: "other" };
    const listed = await run(["tenant", "list", "--json"], moved);
    expect(JSON.parse(listed.out)).toEqual(
      JSON.parse((await run(["tenant", "list", "--json"])).out),
    );
    const again = await run(["store", "copy", "--to", next.url, "--token-file", "token"]);
    expect([again.status, again.err]).toEqual([1, expect.stringContaining("is not empty")]);
  } finally {
    await next.stop();
  }
});
