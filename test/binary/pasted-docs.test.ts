/**
 * The commands in the documents work: every shell block of README.md and docs/ is pasted into bash, with
 * the compiled program in a fresh directory. A block that cannot run here says why in its first
 * line (```sh example <reason>); they are listed, and few.
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BUILD_LIMIT_MS, builtBinary } from "../support/appliance/binary.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const ROOT = join(import.meta.dir, "../..");
/** Root's commands (install.test.ts types them), files and keys of a release, the build, and how seven other servers are started. */
const EXAMPLES_MAX = 23;
/** Configuration, bodies and listings, and what test/features/tool and test/peer run: nothing to type. */
const NOT_A_SHELL = new Set(["toml", "json", "yaml", "text", "php", "js", "python", "nginx"]);
const EXAMPLE = /^sh example (root|release|build|engine)$/;

interface Block {
  readonly at: string;
  readonly tag: string;
  readonly text: string;
}

const DOCUMENTS = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `docs/${name}`),
];

function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  let open: { tag: string; line: number; lines: string[] } | null = null;
  for (const [index, line] of readFileSync(join(ROOT, document), "utf8").split("\n").entries()) {
    const fence = /^\s*```(.*)$/.exec(line)?.[1];
    if (fence === undefined) open?.lines.push(line);
    else if (!open) open = { tag: fence.trim(), line: index + 1, lines: [] };
    else {
      const { tag, lines, line: from } = open;
      blocks.push({ at: `${document}:${from}`, tag, text: lines.join("\n") });
      open = null;
    }
  }
  return blocks;
}

const blocks = DOCUMENTS.flatMap(blocksOf);
const examples = blocks.filter(({ tag }) => tag.startsWith("sh example"));
const pasted = blocks.filter(({ tag }) => tag === "sh");

test("each block says its language, and those that are not pasted are few and say why", () => {
  console.log(`${pasted.length} blocks are pasted, ${examples.length} are not:`);
  for (const { at, tag } of examples) console.log(`  ${at} (${tag.split(" ").at(-1)})`);
  for (const { at, tag } of blocks)
    expect([at, NOT_A_SHELL.has(tag) || tag === "sh" || EXAMPLE.test(tag)]).toEqual([at, true]);
  expect(examples.length).toBeLessThanOrEqual(EXAMPLES_MAX);
  expect(pasted.length).toBeGreaterThan(0);
});

/** A network of its own, where the machine allows it: the documents' ports are taken elsewhere. */
const ISOLATED = ["unshare", "--map-root-user", "--net"];
const isolates = () =>
  Bun.spawnSync([...ISOLATED, "ip", "link", "set", "lo", "up"], { stderr: "ignore" }).success;

describe("pasted into bash", () => {
  let binary = "";
  beforeAll(async () => {
    binary = await builtBinary();
  }, BUILD_LIMIT_MS);

  test("every command succeeds, in the documents' order", async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, "dist"));
    symlinkSync(binary, join(cwd, "dist/linevoice"));
    const script = [
      "set -e -o pipefail",
      ...pasted.flatMap(({ at, text }) => [`echo '## ${at}'`, text]),
      "echo '## the end'",
      "kill -TERM %1",
      "wait %1",
    ].join("\n");
    const isolation = isolates() ? [...ISOLATED, "bash", "-c"] : ["bash", "-c"];
    const child = Bun.spawn([...isolation, `ip link set lo up || true; exec bash -s`], {
      cwd,
      env: { PATH: `${join(cwd, "dist")}:${process.env.PATH ?? ""}` },
      stdin: new Blob([script]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ status: await child.exited, out, err }).toMatchObject({ status: 0 });
    expect(out).toContain("## the end");
    const asked = pasted.reduce((sum, { text }) => sum + text.split(/^curl /m).length - 1, 0);
    expect({ answers: out.split('"ok":true').length - 1, out }).toMatchObject({ answers: asked });
    expect(out).not.toContain('"ok":false');
  });
});
