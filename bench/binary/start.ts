/** Start, idle memory and size of the compiled binary. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mainThreadTimes, type Resident, residentMemory } from "../process/usage.ts";

/** Median and worst value of several starts. */
interface Spread {
  readonly median: number;
  readonly worst: number;
}

export interface Starts {
  /** Time from exec to the first 200 for GET /ping. */
  readonly firstAnswerMs: Spread;
  /** CPU time of the main thread until then. */
  readonly mainThreadMs: Spread;
}

export interface BinaryResult {
  /** Number of starts of each kind. */
  readonly runs: number;
  readonly empty: Starts;
  /** Starts with the data directory of the previous start. */
  readonly existing: Starts;
  /** Idle memory in MB, of the starts with an existing store. */
  readonly idle: Readonly<Record<keyof Resident, Spread>>;
  readonly megabytes: number;
}

const BINARY =
  process.env.LINEVOICE_BINARY ?? fileURLToPath(new URL("../../dist/linevoice", import.meta.url));
const HOST = "127.0.44.1";
/** Wait after the first successful /readyz. */
const IDLE_AFTER_MS = 3_000;
const GIVE_UP_MS = 30_000;
const OFTEN_MS = 2;

interface Start {
  readonly firstAnswerMs: number;
  readonly mainThreadMs: number;
  readonly resident: Resident;
}

async function answered(url: string, since: number): Promise<void> {
  const asked = () =>
    fetch(url).then(
      (response) => response.ok,
      () => false,
    );
  while (!(await asked())) {
    if (performance.now() - since > GIVE_UP_MS) throw new Error("serve never answered");
    await Bun.sleep(OFTEN_MS);
  }
}

async function startOnce(directory: string, port: number, idleMs: number): Promise<Start> {
  const startedAt = performance.now();
  const server = Bun.spawn([BINARY, "serve"], {
    cwd: directory,
    env: {
      ...process.env,
      LINEVOICE_BINARY: undefined,
      LINEVOICE_SERVER__LISTEN: `${HOST}:${port}`,
      LINEVOICE_SERVER__METRICS_LISTEN: "",
      LINEVOICE_SIP__BIND: `${HOST}:${port + 1000}`,
      LINEVOICE_LOG__LEVEL: "error",
    },
    stdout: "ignore",
    stderr: "inherit",
  });
  try {
    await answered(`http://${HOST}:${port}/api/v1/ping`, startedAt);
    const firstAnswerMs = performance.now() - startedAt;
    const { ranMs: mainThreadMs } = mainThreadTimes(server.pid);
    await answered(`http://${HOST}:${port}/readyz`, startedAt);
    await Bun.sleep(idleMs);
    return { firstAnswerMs, mainThreadMs, resident: residentMemory(server.pid) };
  } finally {
    server.kill("SIGTERM");
    await server.exited;
  }
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, worst: sorted.at(-1) ?? 0 };
}

const startsOf = (starts: readonly Start[]): Starts => ({
  firstAnswerMs: spreadOf(starts.map(({ firstAnswerMs }) => firstAnswerMs)),
  mainThreadMs: spreadOf(starts.map(({ mainThreadMs }) => mainThreadMs)),
});

/**
 * Starts the program `runs` times with an empty directory, and again with each resulting directory.
 * Needs `npm run build` first.
 */
export async function measureBinary(runs: number): Promise<BinaryResult> {
  const [empty, existing]: [Start[], Start[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
    try {
      empty.push(await startOnce(directory, 18_100 + 2 * run, 0));
      existing.push(await startOnce(directory, 18_101 + 2 * run, IDLE_AFTER_MS));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  const residents = existing.map(({ resident }) => resident);
  const megabytesOf = (part: keyof Resident) => spreadOf(residents.map((one) => one[part]));
  return {
    runs,
    empty: startsOf(empty),
    existing: startsOf(existing),
    idle: { all: megabytesOf("all"), own: megabytesOf("own"), files: megabytesOf("files") },
    megabytes: statSync(BINARY).size / 1e6,
  };
}

if (import.meta.main) console.log(await measureBinary(Number(process.argv[2] ?? 4)));
