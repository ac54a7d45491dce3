/** `npm test` and `npm run migrations` in a clone without any build. */
import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./support/temp-dir.ts";

const ROOT = join(import.meta.dir, "..");

/** A clone without dist/. Read-only inputs of the scripts are linked. */
function freshClone(): string {
  const clone = tempDir();
  for (const name of ["scripts", "migrations", "package.json"])
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  for (const name of readdirSync(ROOT))
    if (!["scripts", "migrations", "package.json", "dist", ".git", "test"].includes(name))
      symlinkSync(join(ROOT, name), join(clone, name));
  mkdirSync(join(clone, "test"));
  for (const name of ["preload.ts", "support", "fixtures"])
    symlinkSync(join(ROOT, "test", name), join(clone, "test", name));
  return clone;
}

async function npm(clone: string, words: readonly string[]) {
  const child = Bun.spawn(["npm", ...words], { cwd: clone, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { status: await child.exited, out: out + err };
}

/** Runs `npm test` on one file with this text; returns its output. */
async function testOf(text: string, name = "one.test.ts") {
  const clone = freshClone();
  await Bun.write(join(clone, "test", name), `import { test } from "bun:test";\n${text}\n`);
  return npm(clone, ["test", "--", `test/${name}`]);
}

describe("npm test -- FILE", () => {
  test("a file that passes in a clone without dist/ exits 0", async () => {
    const { status, out } = await testOf('test("passes", () => {});');
    expect(out).toContain("1 passed, 0 failed");
    expect(status).toBe(0);
  });

  test("a process that ends by a signal fails the run and is reported with the signal", async () => {
    const { status, out } = await testOf(
      'test("dies", () => { process.kill(process.pid, "SIGKILL"); });',
    );
    expect(out).toContain("Failed: selected, which ended by SIGKILL without a report");
    expect(out).toContain("0 passed, 1 failed");
    expect(status).toBe(1);
  });
});

describe("npm run migrations NAME", () => {
  /** A clone whose schema has one table more than its last snapshot. */
  async function withNewTable(): Promise<string> {
    const clone = freshClone();
    const meta = join(clone, "migrations/meta");
    const file = readdirSync(meta).find((name) => name.endsWith("_snapshot.json"));
    const snapshot = await Bun.file(join(meta, file ?? "")).json();
    delete snapshot.tables.sign_in_attempts;
    await Bun.write(join(meta, file ?? ""), JSON.stringify(snapshot));
    return clone;
  }

  test("names the migration and leaves one snapshot", async () => {
    const clone = await withNewTable();
    const { status, out } = await npm(clone, ["run", "migrations", "sign_ins"]);
    expect({ status, out }).toMatchObject({ status: 0 });
    const files = readdirSync(join(clone, "migrations")).filter((name) => name.endsWith(".sql"));
    expect(files.sort().at(-1)).toMatch(/^\d{4}_sign_ins\.sql$/);
    expect(
      readdirSync(join(clone, "migrations/meta")).filter((name) => name.endsWith("_snapshot.json")),
    ).toHaveLength(1);
  });

  test("without a name shows how to give one and writes nothing", async () => {
    const clone = await withNewTable();
    const before = readdirSync(join(clone, "migrations"));
    const { status, out } = await npm(clone, ["run", "migrations"]);
    expect(status).not.toBe(0);
    expect(out).toContain("npm run migrations NAME");
    expect(readdirSync(join(clone, "migrations"))).toEqual(before);
  });
});
