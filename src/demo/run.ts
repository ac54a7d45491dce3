/** Runs the demo from the command line, on this process's terminal, until a signal. */
import manifest from "../../package.json" with { type: "json" };
import type { Log } from "../core/log.ts";
import { runDemo as play } from "./demo.ts";

export interface DemoCommand {
  /** Stop after the calls instead of serving until SIGINT or SIGTERM. */
  readonly exit: boolean;
  /** Cleared first; default `data/demo`. */
  readonly dataDir: string | undefined;
  readonly log: Log;
}

/** Returns the exit status: 0, or 1 if any step failed. */
export async function runDemo({ exit, dataDir, log }: DemoCommand): Promise<number> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  try {
    return await play({
      exit,
      dataDir: dataDir ?? null,
      version: manifest.version,
      write: (text) => process.stdout.write(text),
      colours: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
      signal: stop.signal,
      log,
    });
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}
