/** An API server in a time of its own for one test file: its clock stands until the test turns it. It ends with the file. */
import { afterAll } from "bun:test";
import { type FakeClock, fakeClock } from "../fake-clock.ts";
import { tempDir } from "../temp-dir.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "./api-server.ts";

export interface TimedServer {
  readonly clock: FakeClock;
  /** The one that runs now. */
  readonly server: ApiServer;
  /** Stops it and starts another on its data. */
  restart(): Promise<ApiServer>;
}

/** No tenant is in it yet. */
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
