/** How long a key is remembered, how often its use is stored, and how many a tenant may have. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { ApiKeys } from "../../../src/domain/tenant/api-keys.ts";
import { NO_LIMITS } from "../../../src/domain/tenant/key-limits.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world(count = 0) {
  const clock = fakeClock();
  const touched: number[] = [];
  let looked = 0;
  let made: Record<string, unknown> = {};
  const records = () => ({
    count: async () => count,
    async insert(_tenantId: number, key: Record<string, unknown>) {
      made = key;
      return 7;
    },
    async findByHash(secretHash: string) {
      looked++;
      const known = secretHash === made.secretHash;
      return known ? { ...made, keyId: 7, tenantId: 1 } : undefined;
    },
    touch: async (_id: number, at: number) => void touched.push(at),
  });
  const database = { read: {}, tx: (work: (queries: object) => unknown) => work({}) };
  const keys = new ApiKeys({
    clock,
    records,
    database,
    log: silentLog,
    random: systemRandom,
  } as unknown as ConstructorParameters<typeof ApiKeys>[0]);
  return { clock, keys, touched, looked: () => looked };
}
const IP = "192.0.2.1";

test("a key is looked up again after 1.5 seconds", async () => {
  const { clock, keys, looked } = world();
  const { secret, prefix } = await keys.create(1, "a", NO_LIMITS);
  expect(prefix).toBe(secret.slice(0, 16));
  await keys.identify(secret, IP);
  await clock.advance(1_499);
  await keys.identify(secret, IP);
  expect(looked()).toBe(1);
  await clock.advance(1);
  await keys.identify(secret, IP);
  expect(looked()).toBe(2);
});

test("when it was used last is stored every five seconds, and at the end", async () => {
  const { clock, keys, touched } = world();
  const { secret } = await keys.create(1, "a", NO_LIMITS);
  const usedAt = clock.now();
  await keys.identify(secret, IP);
  await clock.advance(4_999);
  expect(touched).toEqual([]);
  await clock.advance(1);
  expect(touched).toEqual([usedAt]);
  await keys.identify(secret, IP);
  await keys.stop();
  expect(touched).toEqual([usedAt, usedAt + 5_000]);
});

test("a key ends at its time, not before", async () => {
  const { clock, keys } = world();
  const { secret } = await keys.create(1, "a", { ...NO_LIMITS, expiresAt: clock.now() + 1_000 });
  await clock.advance(999);
  expect(await keys.identify(secret, IP)).not.toBeNull();
  await clock.advance(1);
  expect(await keys.identify(secret, IP)).toBeNull();
});

test("what is longer than 128 characters, or begins otherwise, is not looked up", async () => {
  const { keys, looked } = world();
  const long = (characters: number) => "lv_live_".padEnd(characters, "0");
  await keys.identify(long(129), IP);
  await keys.identify("lv_test_0", IP);
  expect(looked()).toBe(0);
  await keys.identify(long(128), IP);
  expect(looked()).toBe(1);
});

test("a tenant has a hundred keys at most", async () => {
  expect((await world(99).keys.create(1, "a", NO_LIMITS)).id).toBe(7);
  const full = world(100).keys.create(1, "a", NO_LIMITS);
  await expect(full).rejects.toMatchObject({ code: "plan_limit_reached" });
});
