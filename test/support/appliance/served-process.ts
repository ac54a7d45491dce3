/**
 * Runs `serve` as a process that a test starts, kills with SIGKILL and restarts. A start is
 * complete when its trunk is registered again and it reports ready. Time without a CPU does not
 * count.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { mainThreadTime } from "../process/process-time.ts";
import type { TrunkWatch } from "../sip/trunk-watch.ts";

/** Time limit on a machine with free CPU time. */
const REGISTERED_WITHIN_MS = 10_000;
/** Time limit on a machine with any load. */
const REGISTERED_WITHIN_MS_MAX = 120_000;
const STEPS_MAX = 40;

/**
 * The process did not start. `waitedMs`: how long its main thread was ready to run but got no CPU.
 */
export class StartFailed extends Error {
  constructor(
    message: string,
    readonly waitedMs: number,
  ) {
    super(message);
  }
}

export interface ServedProcess {
  /**
   * Starts it; resolves when it answers and its trunk is registered again. Returns the time for
   * that, without the time in which it got no CPU. Rejects with StartFailed if that exceeds 10 s,
   * or if the process gave up.
   */
  start(): Promise<{ readonly registeredMs: number }>;
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGSTOP, and SIGCONT after that time. */
  freeze(ms: number): Promise<void>;
}

/** Logged steps of the program, with milliseconds since its start. */
function loggedSteps(file: string, beganAtMs: number): string {
  const steps = readFileSync(file, "utf8").matchAll(/"time":"([^"]+)".*"event":"([^"]+)"/g);
  return [...steps]
    .map(([, time = "", event]) => `${Date.parse(time) - beganAtMs} ms ${event}`)
    .slice(0, STEPS_MAX)
    .join("; ");
}

export function servedProcess(options: {
  readonly command: readonly string[];
  /** Its working directory, with its log `serve.log`. */
  readonly dir: string;
  /** Base URL `http://…` for `/readyz`. */
  readonly base: string;
  readonly watch: TrunkWatch;
}): ServedProcess {
  const { command, dir, base, watch } = options;
  let child: Bun.Subprocess | null = null;

  async function start() {
    const before = watch.registrations();
    const began = performance.now();
    const beganAtMs = Date.now();
    watch.begin();
    const logFile = join(dir, "serve.log");
    // A child writes from the file's start but does not truncate it.
    writeFileSync(logFile, "");
    child = Bun.spawn([...command], {
      cwd: dir,
      stdin: "ignore",
      stdout: "ignore",
      stderr: Bun.file(logFile),
      env: { PATH: process.env.PATH ?? "" },
    });
    const started = child;
    const story = () => {
      const { ranMs, waitedMs } = mainThreadTime(started.pid);
      const thread = `main thread ran ${Math.round(ranMs)} ms, waited ${Math.round(waitedMs)} ms for a processor`;
      return `${watch.story()} | ${loggedSteps(logFile, beganAtMs)} | ${thread}`;
    };
    let tookMs = 0;
    let waitedMs = 0;
    await eventually(
      () => {
        waitedMs = Math.max(waitedMs, mainThreadTime(started.pid).waitedMs);
        if (started.exitCode !== null)
          throw new Error(`serve ended with ${started.exitCode}: ${readFileSync(logFile, "utf8")}`);
        tookMs = performance.now() - began - waitedMs;
        if (watch.registrations() > before) return true;
        if (tookMs > REGISTERED_WITHIN_MS) throw new Error(`not registered after ${tookMs} ms`);
        return false;
      },
      "the trunk is registered",
      REGISTERED_WITHIN_MS_MAX,
    ).catch((error) => {
      throw new StartFailed(`${error} (${story()})`, waitedMs);
    });
    if (process.env.LINEVOICE_STORIES) console.log(story());
    const registeredMs = tookMs;
    await eventually(
      () => {
        waitedMs = Math.max(waitedMs, mainThreadTime(started.pid).waitedMs);
        return fetch(`${base}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        );
      },
      "it is ready",
      30_000,
    ).catch((error) => {
      throw new StartFailed(`${error} (${story()})`, waitedMs);
    });
    return { registeredMs };
  }

  async function kill() {
    child?.kill("SIGKILL");
    await child?.exited;
    child = null;
  }

  async function freeze(ms: number) {
    child?.kill("SIGSTOP");
    await Bun.sleep(ms);
    child?.kill("SIGCONT");
  }

  return { start, kill, freeze };
}
