import { expect, test } from "bun:test";
import { apiKeySecret, deliveryId, eventId, isUuid, uuidV7 } from "../../src/core/ids.ts";
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

test.each([
  ["evt", eventId],
  ["del", deliveryId],
] as const)("%s_ ids are 32 hexadecimal digits that sort by time", async (prefix, make) => {
  const clock = fakeClock();
  const ids: string[] = [];
  for (let n = 0; n < 50; n++) {
    ids.push(make(clock, systemRandom));
    await clock.advance(1);
  }
  for (const id of ids) expect(id).toMatch(new RegExp(`^${prefix}_[0-9a-f]{32}$`));
  expect([...ids].sort()).toEqual(ids);
  expect(make(clock, systemRandom)).not.toBe(make(clock, systemRandom));
});

test("an API key has its prefix and 256 random bits", () => {
  expect(apiKeySecret(systemRandom)).toMatch(/^lv_live_[0-9a-f]{64}$/);
});
