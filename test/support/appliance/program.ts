/**
 * The program as a command: from source, so that a single test file runs immediately. `npm test`
 * builds first and sets the path of the binary, which users run and which starts three times as
 * fast. The variable's name does not start with `LINEVOICE_`, because it would then be a
 * configuration key.
 */
import { fileURLToPath } from "node:url";

const { TEST_PROGRAM: built } = process.env;

export const PROGRAM: readonly string[] = built
  ? [built]
  : [process.execPath, fileURLToPath(new URL("../../../src/main.ts", import.meta.url))];
