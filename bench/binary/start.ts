/** Start, idle memory and size of the compiled binary. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Resident, residentMemory } from "../process/usage.ts";

export interface BinaryResult {
  readonly runs: number;
  /** Median of exec → first 200 of GET /ping. */
  readonly firstAnswerMs: number;
  readonly idle: Resident;
  readonly megabytes: number;
}

const BINARY =
  process.env.LINEVOICE_BINARY ?? fileURLToPath(new URL("../../dist/linevoice", import.meta.url));
const HOST = "127.0.44.1";
const IDLE_AFTER_MS = 3_000;
const GIVE_UP_MS = 30_000;

async function startOnce(port: number): Promise<{ firstAnswerMs: number; resident: Resident }> {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const startedAt = performance.now();
  const server = Bun.spawn([BINARY, "serve"], {
    cwd: directory,
    env: {
      ...process.env,
      LINEVOICE_SERVER__LISTEN: `${HOST}:${port}`,
      LINEVOICE_SERVER__METRICS_LISTEN: "",
      LINEVOICE_SIP__BIND: `${HOST}:${port + 1000}`,
      LINEVOICE_LOG__LEVEL: "error",
    },
    stdout: "ignore",
    stderr: "inherit",
  });
  try {
    for (;;) {
      const answered = await fetch(`http://${HOST}:${port}/api/v1/ping`).then(
        (response) => response.ok,
        () => false,
      );
      if (answered) break;
      if (performance.now() - startedAt > GIVE_UP_MS) throw new Error("serve never answered");
      await Bun.sleep(2);
    }
    const firstAnswerMs = performance.now() - startedAt;
    await Bun.sleep(IDLE_AFTER_MS);
    return { firstAnswerMs, resident: residentMemory(server.pid) };
  } finally {
    server.kill("SIGTERM");
    await server.exited;
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Needs `npm run build` first. */
export async function measureBinary(runs: number): Promise<BinaryResult> {
  const results = [];
  for (let run = 0; run < runs; run++) results.push(await startOnce(18_100 + run));
  const times = results.map(({ firstAnswerMs }) => firstAnswerMs).sort((a, b) => a - b);
  const [idle] = results.map(({ resident }) => resident).sort((a, b) => b.all - a.all);
  if (!idle) throw new RangeError("at least one run");
  return {
    runs,
    firstAnswerMs: times[Math.floor(times.length / 2)] ?? 0,
    idle,
    megabytes: statSync(BINARY).size / 1e6,
  };
}

if (import.meta.main) console.log(await measureBinary(Number(process.argv[2] ?? 4)));
