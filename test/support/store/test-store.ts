/**
 * A database for a test: a file, or with LINEVOICE_TEST_STORE=remote a database on a libSQL server.
 * This way the store tests cover both.
 */
import { afterAll } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import type { Database } from "../../../src/core/database.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { openRemoteDatabase } from "../../../src/store/libsql/database.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { type SqldServer, startSqld } from "./sqld-server.ts";

export const isRemote = process.env.LINEVOICE_TEST_STORE === "remote";
/** Long limits, for busy machines. */
const PATIENT = { requestMs: 20_000, transactionMs: 20_000 };

/** One server per path while the test file runs. Nodes with the same path share it. */
const servers = new Map<string, Promise<SqldServer>>();

async function stopServers(): Promise<void> {
  for (const server of servers.values()) await (await server).stop();
  servers.clear();
}
// Benchmarks also open stores, outside the test runner.
if (process.env.NODE_ENV === "test") afterAll(stopServers);

export function serverFor(path: string): Promise<SqldServer> {
  const server = servers.get(path) ?? startSqld();
  servers.set(path, server);
  return server;
}

let nodes = 0;

/** Opens a database on the server, regardless of the environment. */
export async function openRemote(path: string, limits = {}): Promise<Database> {
  const { url, token } = await serverFor(path);
  const owner = `node-${++nodes}`;
  return await openRemoteDatabase(
    { url, authToken: token },
    { clock: systemClock, random: systemRandom, owner, limits: { ...PATIENT, ...limits } },
  );
}

export async function openTestDatabase(path: string, nowMs: number): Promise<Database> {
  return isRemote ? await openRemote(path) : openDatabase(path, nowMs);
}
