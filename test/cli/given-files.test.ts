/**
 * Commands with files that are missing, are directories, or are not text: the errors, as processes.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileProblem } from "../../src/cli/file-argument.ts";
import { runCli } from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
writeFileSync(join(cwd, "ok.toml"), '[storage]\ndata_dir = "data"\n');
writeFileSync(
  join(cwd, "book.csv"),
  Buffer.from("number,first_name\n061000001,\xd0arka\n", "latin1"),
);
writeFileSync(join(cwd, "ok.yaml"), "name: A\nagent: folder\ncalls: []\n");
mkdirSync(join(cwd, "folder"));
const TOOL = "tool create --tenant 1 --name a --description d --url https://a.example --header X-A";
const TRUNK = "trunk set --tenant 1 --server sip.example --username u --caller-id +37052000000";

test.each([
  ["contact import none.csv --tenant 1", "There is no file or folder none.csv."],
  ["contact import folder --tenant 1", "folder is a folder. Give a file."],
  ["contact import book.csv/x --tenant 1", "There is no file or folder book.csv/x."],
  ["engine try --stt none.wav", "There is no file or folder none.wav."],
  ["engine try --stt folder", "folder is a folder. Give a file."],
  [`${TOOL} --schema none.json --secret-file s`, "There is no file or folder none.json."],
  [`${TOOL} --schema folder --secret-file s`, "folder is a folder. Give a file."],
  [`${TRUNK} --password-file none`, "There is no file or folder none."],
  [`${TRUNK} --password-file folder`, "folder is a folder. Give a file."],
  ["store copy --to libsql://127.0.0.1:1 --token-file none", "There is no file or folder none."],
  [`backup create --to ${cwd}/none/b`, `There is no file or folder ${cwd}/none/b.`],
])("linevoice %s", async (args, words) => {
  const { status, err, out } = await runCli(cwd, `${args} --config ok.toml`);
  expect({ status, err, out }).toEqual({ status: 1, err: `linevoice: ${words}\n`, out: "" });
});

test("explains missing permissions, a full or read-only disk, and ignores errors of other kinds", () => {
  const error = (code: string) => Object.assign(new Error(`${code}: x`), { code });
  expect(fileProblem(error("EACCES"), "a.csv")).toBe(
    "This user cannot open a.csv. Run the command as its owner, or as root (sudo).",
  );
  expect(fileProblem(error("ENOSPC"), "a.xml")).toBe("The disk of a.xml is full.");
  expect(fileProblem(error("EROFS"), "/srv/a")).toContain("ReadWritePaths=");
  expect(fileProblem(error("ECONNREFUSED"), "a")).toBeNull();
});

test.skipIf(process.getuid?.() !== 0)(
  "a secret readable by root but not by the service's user is reported with the command that fixes it",
  async () => {
    const home = tempDir();
    chmodSync(home, 0o755);
    mkdirSync(join(home, "data"), { mode: 0o700 });
    chownSync(join(home, "data"), 65_534, 65_534);
    mkdirSync(join(home, "credentials"));
    const file = (name: string) => join(home, "credentials", name);
    writeFileSync(file("secrets.master_key"), Buffer.alloc(32, 3).toString("base64"), {
      mode: 0o600,
    });
    writeFileSync(file("engine.openai.api_key"), "sk-1", { mode: 0o600 });
    writeFileSync(join(home, "x.toml"), '[storage]\ndata_dir = "data"\n');
    const check = () => runCli(home, "config check --config x.toml --json");
    const wrong = await check();
    expect(wrong.status).toBe(0);
    expect(JSON.parse(wrong.out).warnings).toEqual([
      `The service's user cannot read ${file("engine.openai.api_key")}. chgrp 65534 ${file("engine.openai.api_key")}; chmod 0640 ${file("engine.openai.api_key")}`,
    ]);
    chownSync(file("engine.openai.api_key"), 0, 65_534);
    chmodSync(file("engine.openai.api_key"), 0o640);
    expect(JSON.parse((await check()).out).warnings).toEqual([]);
  },
);
