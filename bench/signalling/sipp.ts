/**
 * sipp as the caller: a number of calls, a number of them concurrent, as fast as the called side
 * allows.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { percentile } from "../process/percentile.ts";

export interface SippRun {
  /** Local address. */
  readonly host: string;
  readonly target: string;
  readonly service: string;
  readonly calls: number;
  readonly atOnce: number;
  /** Default: as fast as the called side allows. */
  readonly perSecond?: number;
}

export interface SippFigures {
  readonly succeeded: number;
  readonly failed: number;
  readonly seconds: number;
  /** Time from INVITE to 200. */
  readonly setUpP50Ms: number;
  readonly setUpP99Ms: number;
  readonly setUpP999Ms: number;
}

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const CALLS_PER_SECOND_MAX = 2000;
const GIVE_UP_SECONDS = 60;

export async function callWithSipp(run: SippRun): Promise<SippFigures> {
  const { perSecond = CALLS_PER_SECOND_MAX } = run;
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const scenario = file("./uac.xml");
  try {
    const startedAt = performance.now();
    const child = Bun.spawn(
      [
        ...["sipp", run.target, "-sf", scenario, "-s", run.service],
        ...["-i", run.host, "-mi", run.host, "-p", "5060", "-d", "0"],
        ...["-m", String(run.calls), "-l", String(run.atOnce), "-r", String(perSecond)],
        ...["-timeout", `${GIVE_UP_SECONDS}s`, "-nostdin"],
        ...["-trace_stat", "-fd", "1", "-trace_rtt", "-rtt_freq", "1"],
      ],
      { cwd: directory, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
    );
    await child.exited;
    return read(directory, (performance.now() - startedAt) / 1000);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function read(directory: string, seconds: number): SippFigures {
  const linesOf = (kind: string) => {
    const name = readdirSync(directory).find((file) => file.endsWith(kind));
    return name ? readFileSync(join(directory, name), "utf8").trim().split("\n") : [];
  };
  const statistics = linesOf("_.csv").map((line) => line.split(";"));
  const value = (name: string) =>
    statistics.at(-1)?.[statistics[0]?.indexOf(name) ?? Number.NaN] ?? "0";
  const times = linesOf("_rtt.csv")
    .slice(1)
    .map((line) => Number(line.split(";")[1]))
    .sort((a, b) => a - b);
  return {
    succeeded: Number(value("SuccessfulCall(C)")),
    failed: Number(value("FailedCall(C)")),
    seconds,
    setUpP50Ms: percentile(times, 0.5),
    setUpP99Ms: percentile(times, 0.99),
    setUpP999Ms: percentile(times, 0.999),
  };
}

/** Starts sipp's server. The caller must end it. */
export function sippServer(host: string): Bun.Subprocess {
  return Bun.spawn(
    ["sipp", "-sf", file("./uas.xml"), "-i", host, "-mi", host, "-p", "5060", "-nostdin"],
    {
      cwd: tmpdir(),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    },
  );
}
