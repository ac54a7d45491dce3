/** Keys that are accepted and have no effect any more. */
import { expect, test } from "bun:test";
import { retiredKeysIn } from "../../../src/operations/config/retired-keys.ts";
import { configSchema } from "../../../src/operations/config/schema.ts";

test.each([
  [0, []],
  [1, ["engine.embedded.speech_workers"]],
  [64, ["engine.embedded.speech_workers"]],
])(
  "speech_workers = %d is accepted, and named unless it asks for nothing",
  (speech_workers, named) => {
    const config = configSchema.parse({ engine: { embedded: { speech_workers } } });
    expect(retiredKeysIn(config)).toEqual(named);
  },
);
