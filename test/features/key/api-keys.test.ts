/** How long a key is cached, when it expires, how often its use is stored, and how many a tenant may have. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { ApiKeys } from "../../../src/features/key/api-keys.ts";
import { NO_LIMITS } from "../../../src/features/key/key-limits.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world(count = 0) {
  const clock = fakeClock();
  const touched: number[] = [];
  let looked = 0;
  let made: Record<string, unknown> = {};
  let isRevoked = false;
  let answering: Promise<void> | undefined;
  const noted: unknown[] = [];
  const records = () => ({
    count: async () => count,
    async insert(_tenantId: number, key: Record<string, unknown>) {
      made = key;
      return 7;
    },
    async findByHash(secretHash: string) {
      looked++;
      const known = secretHash === made.secretHash && !isRevoked;
      await answering;
      return known ? { ...made, keyId: 7, tenantId: 1 } : undefined;
    },
    list: async () => [],
    async revoke(tenantId: number, id: number) {
      if (isRevoked || tenantId !== 1 || id !== 7) return null;
      isRevoked = true;
      return { hash: made.secretHash, label: made.label };
    },
    touch: async (_id: number, at: number) => void touched.push(at),
  });
  const database = {
    read: {},
    tx: (work: (queries: object) => unknown) => work({}),
    revocations: { note: async (_queries: object, what: unknown) => void noted.push(what) },
  };
  const node = () =>
    new ApiKeys({
      clock,
      records,
      database,
      log: silentLog,
      random: systemRandom,
    } as unknown as ConstructorParameters<typeof ApiKeys>[0]);
  return {
    clock,
    keys: node(),
    node,
    touched,
    noted,
    looked: () => looked,
    /** Delays look-ups until `when` resolves; they return the state from before the delay. */
    answerAfter: (when: Promise<void>) => {
      answering = when;
    },
    /** Revokes the key in the store, like another node. */
    revokeElsewhere: () => {
      isRevoked = true;
    },
  };
}
const IP = "192.0.2.1";

test("a cached key is looked up again after 1.5 seconds", async () => {
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

test("the time of last use is stored every five seconds, and at shutdown", async () => {
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

test("a key expires at its time, not before", async () => {
  const { clock, keys } = world();
  const { secret } = await keys.create(1, "a", { ...NO_LIMITS, expiresAt: clock.now() + 1_000 });
  await clock.advance(999);
  expect(await keys.identify(secret, IP)).not.toBeNull();
  await clock.advance(1);
  expect(await keys.identify(secret, IP)).toBeNull();
});

test("a key above 128 characters or with another prefix is not looked up", async () => {
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

test("a revoked key ends at once, and a restore keeps it revoked", async () => {
  const { keys, noted } = world();
  const { secret } = await keys.create(1, "a", NO_LIMITS);
  expect(await keys.identify(secret, IP)).not.toBeNull();
  for (const [tenantId, id] of [
    [2, 7],
    [1, 8],
  ] as const)
    await expect(keys.revoke(tenantId, id)).rejects.toMatchObject({ code: "not_found" });
  expect(noted).toEqual([]);
  expect(keys.identifyCached(secret, () => IP)).not.toBeNull();
  await keys.revoke(1, 7);
  expect(noted).toEqual([[{ kind: "key", hash: Bun.SHA256.hash(secret, "hex") }]]);
  expect(keys.identifyCached(secret, () => IP)).toBeNull();
  expect(await keys.identify(secret, IP)).toBeNull();
});

test("a key revoked during its look-up is not cached", async () => {
  for (const end of ["revoke", "forget"] as const) {
    const { keys, answerAfter, revokeElsewhere } = world();
    const { secret } = await keys.create(1, "a", NO_LIMITS);
    const answer = Promise.withResolvers<void>();
    answerAfter(answer.promise);
    const identified = keys.identify(secret, IP);
    if (end === "revoke") await keys.revoke(1, 7);
    else {
      revokeElsewhere();
      keys.forget();
    }
    answer.resolve();
    await identified;
    expect(keys.identifyCached(secret, () => IP)).toBeNull();
    expect(await keys.identify(secret, IP)).toBeNull();
  }
});

test("a key revoked on another node ends on `forget`, or within 1.5 seconds", async () => {
  for (const wait of ["forget", "time"] as const) {
    const { clock, keys, revokeElsewhere } = world();
    const { secret } = await keys.create(1, "a", NO_LIMITS);
    await keys.identify(secret, IP);
    revokeElsewhere();
    expect(await keys.identify(secret, IP)).not.toBeNull();
    if (wait === "forget") keys.forget();
    else await clock.advance(1_500);
    expect(await keys.identify(secret, IP)).toBeNull();
  }
});

test("a key with networks is valid only from there, cached or not", async () => {
  const { keys } = world();
  const { secret } = await keys.create(1, "a", { ...NO_LIMITS, networks: ["192.0.2.0/24"] });
  for (const [ip, isGood] of [
    ["198.51.100.1", false],
    [IP, true],
    ["198.51.100.1", false],
  ] as const)
    expect([ip, (await keys.identify(secret, ip)) !== null]).toEqual([ip, isGood]);
  expect(keys.identifyCached(secret, () => IP)).not.toBeNull();
  expect(keys.identifyCached(secret, () => "198.51.100.1")).toBeNull();
});

test("a key with contradictory limits is not created", async () => {
  const made = world().keys.create(1, "a", { ...NO_LIMITS, scopes: [] });
  await expect(made).rejects.toMatchObject({ code: "valid_scopes_required" });
});

test("a key created or accepted on this node is known, even after its revocation; other keys are not", async () => {
  const { keys, node, revokeElsewhere } = world();
  const { secret } = await keys.create(1, "a", NO_LIMITS);
  const other = node();
  expect(other.wasKnown(secret)).toBe(false);
  await other.identify(secret, IP);
  expect(other.wasKnown(secret)).toBe(true);
  expect([keys.wasKnown(secret), keys.wasKnown("lv_live_0")]).toEqual([true, false]);
  await keys.identify("lv_live_0", IP);
  revokeElsewhere();
  keys.forget();
  await keys.identify(secret, IP);
  expect([keys.wasKnown(secret), keys.wasKnown("lv_live_0")]).toEqual([true, false]);
});
