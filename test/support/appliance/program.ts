/**
 * The program as a command. From source, so that one test file can be run at once; `npm test` builds first and
 * names the binary, which is what people run and starts three times as fast.
 * Not `LINEVOICE_…`: such a variable would be a key of the program's own configuration.
 */
import { fileURLToPath } from "node:url";

const { TEST_PROGRAM: built } = process.env;

export const PROGRAM: readonly string[] = built
  ? [built]
  : [process.execPath, fileURLToPath(new URL("../../../src/main.ts", import.meta.url))];
