/**
 * Runs the appliance of metered-appliance.ts as a process, and measures how long requests block its
 * main thread.
 */
import { tempDir } from "../temp-dir.ts";
import type { Ready } from "./metered-appliance.ts";

export interface MeteredProcess {
  readonly ready: Ready;
  readonly pid: number;
  /** CPU time in ms of the longest event loop turn since the previous request. */
  longestTurn(): Promise<number>;
  stop(): Promise<void>;
}

/** The caller must `stop` it. */
export async function startMeteredProcess(host: string): Promise<MeteredProcess> {
  const started = Promise.withResolvers<Ready>();
  let onTurn: (longestMs: number) => void = () => undefined;
  const script = new URL("metered-appliance.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, tempDir(), host], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc(message: Ready | { longestMs: number }) {
      if ("base" in message) started.resolve(message);
      else onTurn(message.longestMs);
    },
    onExit: (_, code) => started.reject(new Error(`the appliance ended with ${code}`)),
  });
  return {
    ready: await started.promise,
    pid: child.pid,
    longestTurn() {
      const answered = Promise.withResolvers<number>();
      onTurn = answered.resolve;
      child.send("how long?");
      return answered.promise;
    },
    async stop() {
      child.disconnect();
      await child.exited;
    },
  };
}
