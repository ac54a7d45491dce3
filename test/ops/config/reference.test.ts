/** The two files that `npm run docs` generates from the configuration schema. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { REFERENCE } from "../../../scripts/config-reference.ts";

const ROOT = join(import.meta.dir, "../../..");

test.each(Object.entries(REFERENCE))("%s matches the schema", async (path, text) => {
  expect(await Bun.file(join(ROOT, path)).text()).toBe(text);
});
