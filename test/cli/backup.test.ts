/** `backup` and `restore` as an operator runs them, with and without a running server. */

import { Database as Sqlite } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { listeningOn, runCli, serveCli } from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const cwd = tempDir();
const env = listeningOn("127.0.0.79");
const linevoice = (args: string, stdin = "", more: Record<string, string> = {}) =>
  runCli(cwd, args, { env: { ...env, ...more }, stdin });
const serve = () => serveCli(cwd, env);

test("returns status 2 for wrong usage and 1 for a missing file", async () => {
  for (const args of ["backup", "backup nonsense", "backup verify", "backup list x", "restore"])
    expect({ args, status: (await linevoice(args)).status }).toEqual({ args, status: 2 });
  for (const args of ["backup verify none.db", "restore none.db --yes"])
    expect({ args, status: (await linevoice(args)).status }).toEqual({ args, status: 1 });
  expect((await linevoice("backup --help")).out).toContain("master.key");
});

test("a directory and a pipe are rejected with an explanation", async () => {
  expect(Bun.spawnSync(["mkfifo", "pipe"], { cwd }).exitCode).toBe(0);
  for (const command of ["backup verify", "restore --yes"]) {
    const told = "Give the file of a backup: linevoice backup list\n";
    expect(await linevoice(`${command} .`)).toEqual({
      out: "",
      status: 1,
      err: `linevoice: ${cwd} is a directory. ${told}`,
    });
    expect(await linevoice(`${command} pipe`)).toEqual({
      out: "",
      status: 1,
      err: `linevoice: ${cwd}/pipe is not a regular file. ${told}`,
    });
  }
});

test("a backup is created online and offline, listed, verified, and restored only without a server and with --yes", async () => {
  const none = await linevoice("backup list");
  expect(none.out).toContain("no backups");
  await linevoice("tenant create --name First --email a@example.com");
  const offline = JSON.parse((await linevoice("backup create --to off.db --json")).out);
  expect(offline.file).toBe(join(cwd, "off.db"));
  expect((await linevoice("backup create --to off.db")).status).toBe(1);

  const server = await serve();
  await linevoice("tenant create --name Second --email b@example.com");
  const online = JSON.parse((await linevoice("backup create --json")).out);
  const listed = JSON.parse((await linevoice("backup list --json")).out);
  expect(listed.map((backup: { file: string }) => backup.file)).toEqual([online.file]);
  const verified = await linevoice(`backup verify ${online.file} --json`);
  expect(verified.status).toBe(0);
  expect(JSON.parse(verified.out)).toMatchObject({ ok: true, tenants: 2 });
  const refused = await linevoice("restore off.db --yes");
  expect(refused.status).toBe(1);
  expect(refused.err).toContain("in use by another linevoice");
  expect(await server.stop()).toBe(0);

  const shown = await linevoice("restore off.db --dry-run");
  expect(shown.status).toBe(0);
  expect(shown.out).toContain("Data missing from the backup will be lost: 1 company");
  const nothing = await linevoice(`restore ${online.file} --dry-run --json`);
  expect(JSON.parse(nothing.out)).toEqual({ lost: [] });
  const unsure = await linevoice("restore off.db", "no\n");
  expect(unsure.status).toBe(1);
  expect(unsure.err).toContain(shown.out.trim());
  expect(unsure.err).toContain("Nothing was changed");
  expect((await linevoice("restore off.db", "yes\n")).status).toBe(0);
  expect(JSON.parse((await linevoice("tenant list --json")).out)).toHaveLength(1);
  expect(readdirSync(join(cwd, "data")).some((name) => name.startsWith("before-restore-"))).toBe(
    true,
  );
  const back = await linevoice(`restore ${online.file} --yes --json`);
  expect(JSON.parse(back.out)).toMatchObject({ tenants: 2 });
});

test("a broken file is rejected with status 1 and the reason", async () => {
  writeFileSync(join(cwd, "broken.db"), "z".repeat(5000));
  const verified = await linevoice("backup verify broken.db");
  expect(verified.status).toBe(1);
  expect(verified.err).toContain("cannot be restored");
  const restored = await linevoice("restore broken.db --yes");
  expect(restored.status).toBe(1);
  expect(existsSync(join(cwd, "data/linevoice.db.incoming"))).toBe(false);
});

test("restore, verify, start and doctor reject a backup of a newer program with an explanation", async () => {
  const file = join(cwd, "newer.db");
  expect((await linevoice(`backup create --to ${file}`)).status).toBe(0);
  const newer = new Sqlite(file);
  newer.run("INSERT INTO migrations (tag, hash, applied_at) VALUES ('9999_next', 'x', 1)");
  newer.close();
  const said =
    "The database was written by a newer linevoice (migration 9999_next is unknown here). Install that version, or restore a backup made before the upgrade.";
  const restored = await linevoice(`restore ${file} --yes`);
  expect([restored.status, restored.err]).toEqual([1, expect.stringContaining(said)]);
  expect((await linevoice(`backup verify ${file}`)).err).toContain(said);
  const dataDir = join(cwd, "of-a-newer");
  mkdirSync(dataDir, { mode: 0o700 });
  copyFileSync(file, join(dataDir, "linevoice.db"));
  copyFileSync(join(cwd, "data/master.key"), join(dataDir, "master.key"));
  chmodSync(join(dataDir, "linevoice.db"), 0o600);
  const there = { LINEVOICE_STORAGE__DATA_DIR: dataDir };
  const started = await linevoice("serve", "", there);
  expect([started.status, started.err]).toEqual([1, expect.stringContaining(said)]);
  const examined = JSON.parse((await linevoice("doctor --json", "", there)).out);
  expect(examined.checks.find(({ name }: { name: string }) => name === "database")).toMatchObject({
    finding: said,
    remedy: "Compare versions and backups: linevoice version; linevoice backup list",
  });
});

test("a server does not start with a damaged database; the command in its message restores the data", async () => {
  const { file } = JSON.parse((await linevoice("backup create --json")).out);
  const database = join(cwd, "data/linevoice.db");
  const bytes = readFileSync(database);
  writeFileSync(database, bytes.fill(0x5a, 4096));
  const refused = await linevoice("serve");
  expect(refused.status).toBe(1);
  expect(refused.err).toContain("is damaged");
  const command = /`linevoice (restore [^`]+)`/.exec(refused.err)?.[1] ?? "";
  expect(command).toBe(`restore ${file}`);
  expect((await linevoice(`${command} --yes`)).status).toBe(0);
  const server = await serve();
  expect(await server.stop()).toBe(0);
});
