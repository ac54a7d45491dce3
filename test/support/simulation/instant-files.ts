/**
 * `node:fs/promises` whose work is complete before the promise is returned, during a simulation:
 * real file operations take real time, so the order of events would depend on the machine's load.
 * Outside a simulation, and for functions not listed, it is the real module, because a mocked
 * module stays for the whole test process. Import it before the simulated modules.
 */
import { mock } from "bun:test";
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import * as files from "node:fs/promises";

const real = { ...files };
let simulations = 0;

/** The methods of an open file that `repairWav`, `openWav` and `walFlush` use. */
function instantHandle(fd: number) {
  return {
    stat: async () => fstatSync(fd),
    truncate: async (bytes: number) => ftruncateSync(fd, bytes),
    sync: async () => fsyncSync(fd),
    datasync: async () => fdatasyncSync(fd),
    close: async () => closeSync(fd),
    read: async (buffer: Uint8Array, offset: number, length: number, position: number) => ({
      bytesRead: readSync(fd, buffer, offset, length, position),
      buffer,
    }),
    write: async (buffer: Uint8Array, offset: number, length: number, position: number) => ({
      bytesWritten: writeSync(fd, buffer, offset, length, position),
      buffer,
    }),
  };
}

const instant = {
  rm: async (...args: Parameters<typeof rmSync>) => rmSync(...args),
  readFile: async (...args: Parameters<typeof readFileSync>) => readFileSync(...args),
  open: async (...args: Parameters<typeof openSync>) => instantHandle(openSync(...args)),
};

/** A function that uses the instant version during a simulation. */
const either =
  <Args extends unknown[]>(
    atOnce: (...args: Args) => Promise<unknown>,
    inTime: (...args: never[]) => Promise<unknown>,
  ) =>
  (...args: Args): Promise<unknown> =>
    simulations > 0 ? atOnce(...args) : inTime(...(args as unknown as never[]));

await mock.module("node:fs/promises", () => ({
  ...real,
  rm: either(instant.rm, real.rm),
  readFile: either(instant.readFile, real.readFile),
  open: either(instant.open, real.open),
}));

/** Makes file operations instant until the returned function is called. */
export function makeFilesInstant(): () => void {
  simulations++;
  return () => {
    simulations--;
  };
}
