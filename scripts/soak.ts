/**
 * `npm run soak`: the long version of the tests that take a count from the environment. 10,000
 * random histories of money unless LINEVOICE_HISTORIES says otherwise, about six minutes; 1,000,000
 * mutated descriptions and packets of each kind unless MUTATIONS does, about two.
 */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const files = [
  "test/property/money-histories.test.ts",
  "test/property/media/mutated-media.test.ts",
];
const child = Bun.spawn([process.execPath, "test", ...files], {
  cwd: root,
  env: { LINEVOICE_HISTORIES: "10000", MUTATIONS: "1000000", ...process.env },
  stdout: "inherit",
  stderr: "inherit",
});
process.exit(await child.exited);
