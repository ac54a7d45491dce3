/**
 * `node:fs/promises` whose work is done before the promise is returned, while a simulation runs: a real
 * file operation takes real time, and then the order of what happens depends on the machine's load.
 * Outside a simulation, and for what is not listed, it is the real one: a mocked module stays for the
 * whole test process. Import before what is simulated.
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

/** What `repairWav`, `openWav` and `walFlush` ask of an open file. */
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

/** A function that is the instant one while a simulation runs. */
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

/** From now on files take no time, until the answered function is called. */
export function makeFilesInstant(): () => void {
  simulations++;
  return () => {
    simulations--;
  };
}
