/** A copy of the project that may be changed, and one test file run in it. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** Shared with the project instead of copied. */
const LINKED = ["node_modules", "dist"];
const LEFT_OUT = new Set([...LINKED, ".git", "data"]);

export interface TestRun {
  readonly outcome: "passed" | "failed" | "timed out";
  readonly seconds: number;
}

export interface Tree {
  readonly directory: string;
  /** Runs one test file; `coverageTo`: a folder for `lcov.info`. */
  run(test: string, options: { limitSeconds: number; coverageTo?: string }): Promise<TestRun>;
  remove(): void;
}

/** bun's own limit of one test; below it a file fails with words of its own. */
const TEST_TIMEOUT_MS = 60_000;
const WORDS_OF_TIMEOUT = /timed out after|TimeoutError/i;

/** As root every copy has a network of its own, so that ports of two copies do not meet. */
const APART =
  process.getuid?.() === 0 && Bun.which("unshare") && Bun.which("ip")
    ? ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    : [];

export function copyTree(root: string): Tree {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-mutants-"));
  cpSync(root, directory, {
    recursive: true,
    filter: (source) => !LEFT_OUT.has(relative(root, source)),
  });
  for (const name of LINKED) symlinkSync(join(root, name), join(directory, name));
  return {
    directory,
    async run(test, { limitSeconds, coverageTo }) {
      const coverage = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${coverageTo}`];
      const command = [
        ...[...APART, process.execPath, "test", test, "--bail=1", `--timeout=${TEST_TIMEOUT_MS}`],
        ...(coverageTo === undefined ? [] : coverage),
      ];
      const startedNs = Bun.nanoseconds();
      const child = Bun.spawn(command, {
        ...{ cwd: directory, stdout: "ignore", stderr: "pipe", env: process.env },
        ...{ timeout: Math.ceil(limitSeconds * 1000), killSignal: "SIGKILL" },
      });
      const words = await new Response(child.stderr).text();
      const code = await child.exited;
      const late = child.signalCode === "SIGKILL" || WORDS_OF_TIMEOUT.test(words);
      const outcome = code === 0 ? "passed" : late ? "timed out" : "failed";
      return { outcome, seconds: (Bun.nanoseconds() - startedNs) / 1e9 };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
