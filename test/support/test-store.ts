/**
 * A database for a test: a file, or, with LINEVOICE_TEST_STORE=remote, the same file behind a server
 * that speaks Hrana over HTTP. So the tests of the stores hold for both.
 */
import { afterAll } from "bun:test";
import { openDatabase } from "../../src/adapter/store/database.ts";
import { openRemoteDatabase } from "../../src/adapter/store/remote-database.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { Database } from "../../src/core/database.ts";
import { systemRandom } from "../../src/core/random.ts";
import { type HranaServer, startHranaServer } from "./hrana-server.ts";

export const isRemote = process.env.LINEVOICE_TEST_STORE === "remote";
const TOKEN = "a token of the test";

/** One server a file, for as long as the test file runs: nodes that open the same path share it. */
const servers = new Map<string, HranaServer>();

async function stopServers(): Promise<void> {
  for (const server of servers.values()) await server.stop();
  servers.clear();
}
// A benchmark opens stores too, outside of the test runner.
if (process.env.NODE_ENV === "test") afterAll(stopServers);

export function serverFor(path: string): HranaServer {
  const server = servers.get(path) ?? startHranaServer({ path, token: TOKEN, idleMs: 1_000 });
  servers.set(path, server);
  return server;
}

let nodes = 0;

/** Opens over HTTP, whatever the environment says. */
export function openRemote(path: string, limits = {}): Promise<Database> {
  return openRemoteDatabase(
    { url: serverFor(path).url, authToken: TOKEN },
    { clock: systemClock, random: systemRandom, owner: `node-${++nodes}`, limits },
  );
}

export async function openTestDatabase(path: string, nowMs: number): Promise<Database> {
  return isRemote ? await openRemote(path) : openDatabase(path, nowMs);
}
