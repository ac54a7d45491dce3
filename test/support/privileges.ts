/**
 * Tests that need privileges: to mount, or to create namespaces. If the kernel does not grant one
 * (an unprivileged container), the tests are not registered, and a line reports it.
 */
import { test } from "bun:test";
import { spawnSync } from "node:child_process";

type Register = (name: string, run: () => Promise<void> | void, timeoutMs?: number) => void;

/** Returns `test` if the right is granted. */
export function testWhere(isGranted: boolean, right: string): Register {
  if (isGranted) return (name, run, timeoutMs) => test(name, run, timeoutMs);
  return (name) => console.warn(`NOT RUN (${right} is not granted here): ${name}`);
}

/**
 * Whether this machine can create the namespaces that bubblewrap needs. Root only, because users
 * are created in them.
 */
export function mayMakeNamespaces(): boolean {
  if (process.getuid?.() !== 0) return false;
  const tried = spawnSync(
    "bwrap",
    ["--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "--proc", "/proc", "true"],
    { stdio: "ignore" },
  );
  return tried.status === 0;
}

/** Whether a process may raise its limit of real-time priority. */
export const mayRaisePriorityLimit = (): boolean =>
  spawnSync("prlimit", ["--rtprio=1", "true"], { stdio: "ignore" }).status === 0;

/** Whether a test may listen on these privileged ports (below 1024) and they are free. */
export function mayListenOn(hostname: string, ports: readonly number[]): boolean {
  try {
    for (const port of ports) Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
