/**
 * Tests that need what no package brings: the right to mount, or to make namespaces. Where the kernel does
 * not grant it (an unprivileged container) they are not registered, and a line says so.
 */
import { test } from "bun:test";
import { spawnSync } from "node:child_process";

type Register = (name: string, run: () => Promise<void> | void, timeoutMs?: number) => void;

/** `test` itself where it is granted. */
export function testWhere(isGranted: boolean, right: string): Register {
  if (isGranted) return (name, run, timeoutMs) => test(name, run, timeoutMs);
  return (name) => console.warn(`NOT RUN (${right} is not granted here): ${name}`);
}

/** May this machine make the namespaces that bubblewrap asks for? As root alone: users are made in them. */
export function mayMakeNamespaces(): boolean {
  if (process.getuid?.() !== 0) return false;
  const tried = spawnSync(
    "bwrap",
    ["--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "--proc", "/proc", "true"],
    { stdio: "ignore" },
  );
  return tried.status === 0;
}

/** May a process get a higher limit of real-time priority than this one has? */
export const mayRaisePriorityLimit = (): boolean =>
  spawnSync("prlimit", ["--rtprio=1", "true"], { stdio: "ignore" }).status === 0;

/** May a test listen on these ports, which are the system's (below 1024), and is nobody there? */
export function mayListenOn(hostname: string, ports: readonly number[]): boolean {
  try {
    for (const port of ports) Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
