import { expect, test } from "bun:test";
import { apiKeySecret, isUuid, uuidV7 } from "../../src/core/ids.ts";
import { seededRandom, systemRandom } from "../../src/core/random.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("a call id is a lower-case UUID v7 that sorts by time", async () => {
  const clock = fakeClock();
  const random = seededRandom(7);
  const ids: string[] = [];
  for (let n = 0; n < 50; n++) {
    ids.push(uuidV7(clock, random));
    await clock.advance(1);
  }
  expect(ids.every(isUuid)).toBe(true);
  expect(ids.every((id) => id[14] === "7" && "89ab".includes(id[19] ?? ""))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
});

test("an API key has its prefix and 256 random bits", () => {
  expect(apiKeySecret(systemRandom)).toMatch(/^lv_live_[0-9a-f]{64}$/);
});
