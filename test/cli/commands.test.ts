/** The command line as a process: exit status and output, without a server. */
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockDataDir } from "../../src/ops/data-dir-lock.ts";
import { migrate } from "../../src/store/migration/migrate.ts";
import { migrations } from "../../src/store/migration/migrations.ts";
import { runCli } from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
writeFileSync(join(cwd, "ok.toml"), '[storage]\ndata_dir = "data"\n');
writeFileSync(join(cwd, "bad.toml"), "[rtp]\n\ntimeout_sek = 3\n");

const linevoice = (args: string, stdin = "") => runCli(cwd, args, { stdin });

test("wrong usage returns status 2 and shows the correct usage", async () => {
  for (const args of [
    "",
    "tennant list",
    "tenant",
    "tenant list --nonsense",
    "tenant create --name N",
    "key create --tenant x --label l",
    "credit --tenant 1 --eur much --note n",
    "credit --tenant 1 --eur=-0.0000001 --note n",
    "checkout",
    "checkout confirm",
    "statement --tenant 1 --month 2026-13",
    "statement --tenant 1 --month 2026-11 --csv all",
    "trunk set --tenant 1 --server s --username u --caller-id +37052123456 --password secret",
    "call --agent 1 --to 123",
    "version surplus",
  ]) {
    const { status, err } = await linevoice(args);
    expect({ args, status }).toEqual({ args, status: 2 });
    expect(err).not.toBe("");
  }
});

test("help returns status 0 and shows the usage", async () => {
  expect((await linevoice("--help")).out).toContain("tenant");
  const help = await linevoice("trunk set --help");
  expect(help.status).toBe(0);
  expect(help.out).toContain("--password-stdin");
  // A usage of two lines names the program only once.
  expect(help.out).not.toMatch(/linevoice {2}/);
});

test("an invalid configuration returns status 2 with file and line", async () => {
  const { status, err } = await linevoice("--config bad.toml config check");
  expect(status).toBe(2);
  expect(err).toMatch(/bad\.toml:3: .*Did you mean "timeout_sec"\?/);
});

test("tenant, key, trunk and credit work on the data directory without a server", async () => {
  const common = "--config ok.toml";
  const made = await linevoice(`tenant create --name N --email a@example.com ${common}`);
  expect(made.status).toBe(0);
  expect(JSON.parse(made.out)).toMatchObject({ id: 1, suspended: false });
  const key = JSON.parse((await linevoice(`key create --tenant 1 --label l ${common}`)).out);
  expect(key.secret).toMatch(/^lv_live_[0-9a-f]{64}$/);
  const trunk = `trunk set --tenant 1 --server sip.example.com --username u --password-stdin --caller-id +37052123456 --also-from 192.0.2.7,198.51.100.0/24 ${common}`;
  const set = await linevoice(trunk, "canary-password\n");
  expect(set.status).toBe(0);
  expect(set.out).not.toContain("canary");
  expect(JSON.parse(set.out).extra_networks).toEqual(["192.0.2.7", "198.51.100.0/24"]);
  const stored = await Bun.file(join(cwd, "data/linevoice.db")).text();
  expect(stored).not.toContain("canary-password");
  const credit = await linevoice(`credit --tenant 1 --eur 12.5 --note gift --json ${common}`);
  expect(JSON.parse(credit.out)).toEqual({ balance_eur: 12.5 });
  expect((await linevoice(`checkout list --json ${common}`)).out).toBe("[]\n");
  const month = new Date().toISOString().slice(0, 7);
  const csv = await linevoice(`statement --tenant 1 --month ${month} --csv ledger ${common}`);
  expect(csv.out).toMatch(/^transaction_id,.*\r\n(.*,gift,.*\r\n){2}$/);
  const page = await linevoice(`statement --tenant 1 --month ${month} ${common}`);
  expect(page.out).toContain("<td>gift</td>");
  const unpaid = await linevoice(`checkout confirm chk_0 ${common}`);
  expect(unpaid).toMatchObject({ status: 1, err: expect.stringContaining("Checkout not found") });
  const suspended = await linevoice(`tenant suspend 1 ${common}`);
  expect(JSON.parse(suspended.out).suspended).toBe(true);
  const unknown = await linevoice(`tenant resume 9 ${common}`);
  expect(unknown.status).toBe(1);
  const call = await linevoice(`call --agent 1 --to +37061234567 ${common}`);
  expect(call.status).toBe(1);
  expect(call.err).toContain("linevoice serve");
});

test("migrate --dry-run creates no database; migrate up creates and migrates it", async () => {
  writeFileSync(join(cwd, "m.toml"), '[storage]\ndata_dir = "fresh"\n');
  const dry = JSON.parse((await linevoice("migrate up --dry-run --json --config m.toml")).out);
  expect(dry.tags.length).toBeGreaterThan(0);
  expect(await Bun.file(join(cwd, "fresh/linevoice.db")).exists()).toBe(false);
  expect((await linevoice("migrate up --config m.toml")).status).toBe(0);
  const status = JSON.parse((await linevoice("migrate status --json --config m.toml")).out);
  expect(status.every((entry: { applied: boolean }) => entry.applied)).toBe(true);
  // A running server has already migrated it, so the command has nothing to do.
  const server = lockDataDir(join(cwd, "fresh"), "server");
  const again = await linevoice("migrate up --config m.toml");
  server.release();
  expect(again).toMatchObject({ status: 0, out: expect.stringContaining("up to date") });
});

test("an existing database is copied before a migration, and the output names the copy", async () => {
  writeFileSync(join(cwd, "o.toml"), '[storage]\ndata_dir = "older"\n');
  mkdirSync(join(cwd, "older"));
  const path = join(cwd, "older/linevoice.db");
  const older = new Database(path, { create: true });
  migrate(older, migrations.slice(0, 1), 0);
  older.close();
  const up = await linevoice("migrate up --config o.toml");
  const copy = join(cwd, `older/backups/before-${migrations[1]?.tag}.db`);
  expect(up).toMatchObject({ status: 0, err: "" });
  expect(up.out).toContain(copy);
  const kept = new Database(copy, { readonly: true });
  const tags = kept.query("SELECT tag FROM migrations").all();
  kept.close();
  expect(tags).toEqual([{ tag: migrations[0]?.tag }]);
  expect(await linevoice("migrate up --config o.toml")).toMatchObject({ status: 0 });
});

test("only the owner can read files that commands write", async () => {
  writeFileSync(join(cwd, "p.toml"), '[storage]\ndata_dir = "private"\n');
  await linevoice("tenant create --name N --email a@example.com --config p.toml");
  const files = readdirSync(join(cwd, "private"), { recursive: true, withFileTypes: true });
  const written = files.filter((entry) => entry.isFile());
  expect(written.map(({ name }) => name)).toContain("linevoice.db");
  for (const { name, parentPath } of written) {
    expect({ name, mode: statSync(join(parentPath, name)).mode & 0o077 }).toEqual({
      name,
      mode: 0,
    });
  }
});

test("a data directory path too long for the control socket is rejected with the limit and the remedy", async () => {
  const deep = `${"d".repeat(60)}/${"e".repeat(60)}`;
  writeFileSync(join(cwd, "deep.toml"), `[storage]\ndata_dir = "${deep}"\n`);
  const { status, err } = await linevoice("serve --config deep.toml");
  expect(status).toBe(2);
  expect(err).toContain("the limit is 107");
  expect(err).toContain("[storage] data_dir");
  expect(existsSync(join(cwd, deep))).toBe(false);
  const direct = await linevoice("tenant list --json --config deep.toml");
  expect(direct).toMatchObject({ status: 0, err: "" });
});
