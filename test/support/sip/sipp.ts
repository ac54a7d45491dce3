/** Runs one of our sipp scenarios (test/peer/sipp/*.xml) to its end. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { peerPath } from "../peers.ts";

export interface SippOptions {
  /** File name under test/peer/sipp/. */
  readonly scenario: string;
  /** Local address. */
  readonly host: string;
  readonly port?: number;
  /** `host:port` to call; none for a server scenario. */
  readonly target?: string;
  /** User part to call (`-s`). */
  readonly service?: string;
  /** `-key name value` pairs. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly calls?: number;
  readonly timeoutSeconds?: number;
}

export interface SippResult {
  /** 0 if every call matched the scenario. */
  readonly exitCode: number;
  /** Errors in sipp's words. */
  readonly errors: string;
}

export interface RunningSipp {
  readonly finished: Promise<SippResult>;
  stop(): void;
}

/** Removes sipp's overload messages, which say nothing about its peer. */
function withoutOverload(log: string): string {
  const lines = log.split("\n").filter((line) => !line.includes("Overload warning"));
  return lines.filter((line) => !/^(The following events occurred:)?\s*$/.test(line)).join("\n");
}

export function startSipp(options: SippOptions): RunningSipp {
  const directory = mkdtempSync(join(tmpdir(), "sipp-"));
  const scenario = resolve(import.meta.dir, "../../peer/sipp", options.scenario);
  const keys = Object.entries(options.keys ?? {}).flatMap(([name, value]) => ["-key", name, value]);
  const child = Bun.spawn(
    [
      peerPath("sipp"),
      ...(options.target === undefined ? [] : [options.target]),
      ...["-sf", scenario, "-i", options.host, "-mi", options.host],
      ...["-p", String(options.port ?? 5060), "-m", String(options.calls ?? 1)],
      ...["-s", options.service ?? "service", ...keys],
      ...["-timeout", `${options.timeoutSeconds ?? 30}s`, "-timeout_error"],
      ...["-nostdin", "-trace_err", "-r", "5"],
    ],
    { cwd: directory, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  const finished = child.exited.then((exitCode) => {
    const files = readdirSync(directory).filter((name) => name.endsWith("_errors.log"));
    const logs = files.map((name) => readFileSync(join(directory, name), "utf8"));
    const errors = logs.map(withoutOverload).join("\n");
    rmSync(directory, { recursive: true, force: true });
    return { exitCode, errors };
  });
  return { finished, stop: () => child.kill("SIGKILL") };
}
