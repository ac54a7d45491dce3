/** The two files that `npm run docs` makes from the schema of the configuration. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { REFERENCE } from "../../../scripts/config-reference.ts";

const ROOT = join(import.meta.dir, "../../..");

test.each(Object.entries(REFERENCE))("%s is what the schema says", async (path, text) => {
  expect(await Bun.file(join(ROOT, path)).text()).toBe(text);
});
