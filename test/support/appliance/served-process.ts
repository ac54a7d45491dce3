/**
 * `serve` as a process that a test starts, kills with SIGKILL and starts again: a start is over when its trunk
 * is registered anew and it says that it is ready. Time in which the machine had no processor for it is not its own.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { mainThreadTime } from "../process/process-time.ts";
import type { TrunkWatch } from "../sip/trunk-watch.ts";

/** What is promised of a machine that has a processor for it. */
const REGISTERED_WITHIN_MS = 10_000;
/** However busy the machine is. */
const REGISTERED_WITHIN_MS_MAX = 120_000;
const STEPS_MAX = 40;

/** It did not start. `waitedMs`: how long its main thread was ready to run and got no processor. */
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
   * Starts it, and resolves when it answers and its trunk is registered anew. How long that took, without
   * the time in which the machine had no processor for it; rejects with StartFailed when that is more
   * than 10 s, or when it gave up.
   */
  start(): Promise<{ readonly registeredMs: number }>;
  /** SIGKILL, now. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGSTOP, and SIGCONT after that time. */
  freeze(ms: number): Promise<void>;
}

/** Steps of the program that were logged, in milliseconds since it was started. */
function loggedSteps(file: string, beganAtMs: number): string {
  const steps = readFileSync(file, "utf8").matchAll(/"time":"([^"]+)".*"event":"([^"]+)"/g);
  return [...steps]
    .map(([, time = "", event]) => `${Date.parse(time) - beganAtMs} ms ${event}`)
    .slice(0, STEPS_MAX)
    .join("; ");
}

export function servedProcess(options: {
  readonly command: readonly string[];
  /** Its working directory; its log is `serve.log` there. */
  readonly dir: string;
  /** `http://…`, where it answers `/readyz`. */
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
    // A file given to a child is written over, not emptied.
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
