/**
 * Rehearsals by the compiled program: text conversations per minute, and the number of concurrent
 * telephone calls.
 */
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../dist/linevoice", import.meta.url));

/** Data per call in the output of `rehearse --json`. */
interface Rehearsed {
  readonly passed: boolean;
  readonly duration_ms: number;
}

interface Rehearsing {
  readonly calls: number;
  readonly passed: number;
  readonly seconds: number;
  readonly perMinute: number;
  /** Total duration of the calls divided by the elapsed time. */
  readonly meanAtOnce: number;
}

export async function measureRehearsals(
  suite: string,
  mode: "text" | "phone",
  runs: number,
): Promise<Rehearsing> {
  const startedAt = performance.now();
  const command = [PROGRAM, "rehearse", suite, "--mode", mode, "--runs", String(runs), "--json"];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (!out.startsWith("{")) throw new Error(`${suite} was not rehearsed: ${err.slice(0, 300)}`);
  const { results }: { results: readonly Rehearsed[] } = JSON.parse(out);
  const seconds = (performance.now() - startedAt) / 1000;
  const heldMs = results.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  return {
    calls: results.length,
    passed: results.filter(({ passed }) => passed).length,
    seconds,
    perMinute: (results.length / seconds) * 60,
    meanAtOnce: heldMs / 1000 / seconds,
  };
}
