/**
 * `npm run soak`: the long version of the tests that take a count from the environment. 10,000
 * random histories of money unless LINEVOICE_HISTORIES says otherwise; about six minutes.
 */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const child = Bun.spawn([process.execPath, "test", "test/property/money-histories.test.ts"], {
  cwd: root,
  env: { LINEVOICE_HISTORIES: "10000", ...process.env },
  stdout: "inherit",
  stderr: "inherit",
});
process.exit(await child.exited);
