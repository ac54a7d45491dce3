/** A copy of the project in which tests run with changed sources. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** Linked to the project instead of copied. */
const LINKED = ["node_modules", "dist"];
const LEFT_OUT = new Set([...LINKED, ".git", "data"]);

export interface TestRun {
  /** False: a test failed, or the file exceeded its time limit. */
  readonly passed: boolean;
  /** The file was stopped at its time limit. */
  readonly isTimedOut: boolean;
  /** The first failed test; null if none failed, or if the file crashed. */
  readonly failed: string | null;
  readonly seconds: number;
}

export interface Tree {
  readonly directory: string;
  /** Runs one test file; `coverageTo`: directory for `lcov.info`. */
  run(test: string, options: { limitSeconds: number; coverageTo?: string }): Promise<TestRun>;
  remove(): void;
}

/** Time limit of one test. */
const TEST_TIMEOUT_MS = 60_000;

/** If run by root, each copy has a separate network namespace, so that their ports do not conflict. */
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
  const output = join(directory, "test-output.txt");
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.on("exit", remove);
  for (const name of LINKED) symlinkSync(join(root, name), join(directory, name));
  return {
    directory,
    async run(test, { limitSeconds, coverageTo }) {
      const coverage = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${coverageTo}`];
      const command = [
        ...[...APART, process.execPath, "test", test, "--bail=1", `--timeout=${TEST_TIMEOUT_MS}`],
        ...(coverageTo === undefined ? [] : coverage),
      ];
      writeFileSync(output, "");
      const startedNs = Bun.nanoseconds();
      const child = Bun.spawn(command, {
        cwd: directory,
        stdout: "ignore",
        stderr: Bun.file(output),
        env: process.env,
        timeout: Math.ceil(limitSeconds * 1000),
        killSignal: "SIGKILL",
      });
      const passed = (await child.exited) === 0;
      const isTimedOut = child.signalCode === "SIGKILL";
      const seconds = (Bun.nanoseconds() - startedNs) / 1e9;
      const [, failed = null] = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m.exec(
        readFileSync(output, "utf8"),
      ) ?? [null];
      return { passed, isTimedOut, failed, seconds };
    },
    remove,
  };
}
