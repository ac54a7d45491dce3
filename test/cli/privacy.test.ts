/** `erase` and `export` as an operator runs them. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();

const linevoice = (args: string, stdin = "") => runCli(cwd, args, { stdin });

test("erase previews the deletion and needs --yes; an export never overwrites a file", async () => {
  for (const args of [
    "erase --tenant 1",
    "erase --tenant 1 --number 37061234567",
    "erase --number +37061234567",
    "export --tenant 1",
    "export --to f",
  ])
    expect({ args, status: (await linevoice(args)).status }).toEqual({ args, status: 2 });
  expect((await linevoice("export --tenant 1 --to none.jsonl")).status).toBe(1);
  await linevoice("tenant create --name N --email a@example.com");
  const erase = "erase --tenant 1 --number +37061234567";
  expect((await linevoice(erase)).out).toContain("nothing erased");
  const report = JSON.parse((await linevoice(`${erase} --yes --json`)).out);
  expect(report).toMatchObject({ dry_run: false, calls: 0 });
  expect((await linevoice("erase --tenant 9 --number +37061234567 --yes")).status).toBe(1);
  const made = await linevoice("export --tenant 1 --to mine.jsonl --json");
  expect(JSON.parse(made.out).rows).toMatchObject({ tenants: 1 });
  expect((await linevoice("export --tenant 1 --to mine.jsonl")).status).toBe(1);
  expect((await linevoice("export --tenant 9 --to other.jsonl")).status).toBe(1);
  expect(existsSync(join(cwd, "other.jsonl"))).toBe(false);
});
