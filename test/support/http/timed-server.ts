/**
 * An API server for one test file with a clock that only the test advances. It stops with the file.
 */
import { afterAll } from "bun:test";
import { type FakeClock, fakeClock } from "../fake-clock.ts";
import { tempDir } from "../temp-dir.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "./api-server.ts";

export interface TimedServer {
  readonly clock: FakeClock;
  /** The currently running server. */
  readonly server: ApiServer;
  /** Stops the server and starts another with the same data. */
  restart(): Promise<ApiServer>;
}

/** Starts without any tenant. */
export async function timedServer(settings: ApiServerOptions["settings"] = {}) {
  const directory = tempDir();
  const clock = fakeClock();
  const start = () => startApiServer({ directory, clock, settings });
  let server = await start();
  afterAll(() => server.stop());
  const timed: TimedServer = {
    clock,
    get server() {
      return server;
    },
    async restart() {
      await server.stop();
      server = await start();
      return server;
    },
  };
  return timed;
}
