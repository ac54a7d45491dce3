/** API keys are looked up in the store from time to time, not with each request. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { apiKeyStore } from "../../../src/features/key/api-key-store.ts";
import { ApiKeys } from "../../../src/features/key/api-keys.ts";
import { type KeyLimits, NO_LIMITS } from "../../../src/features/key/key-limits.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("the keys of several alternating clients are each cached for 1.5 s", async () => {
  const clock = fakeClock();
  const database = await openTestDatabase(join(tempDir(), "keys.db"), clock.now());
  const tenantId = await insertTenant(database);
  let lookUps = 0;
  const records: typeof apiKeyStore = (queries) => {
    const store = apiKeyStore(queries);
    const findByHash: typeof store.findByHash = (hash) => {
      lookUps++;
      return store.findByHash(hash);
    };
    return { ...store, findByHash };
  };
  const keys = new ApiKeys({ database, records, clock, random: systemRandom, log: silentLog });
  const secrets: string[] = [];
  for (const label of ["one", "two", "three"])
    secrets.push((await keys.create(tenantId, label, NO_LIMITS)).secret);
  const askInTurn = async () => {
    for (const secret of [...secrets, ...secrets])
      expect((await keys.identify(secret, "192.0.2.1"))?.tenantId).toBe(tenantId);
  };
  await askInTurn();
  expect(lookUps).toBe(3);
  await clock.advance(1_499);
  await askInTurn();
  expect(lookUps).toBe(3);
  await clock.advance(1);
  await askInTurn();
  expect(lookUps).toBe(6);
  await keys.stop();
  await database.close();
});

test("a key's cache time starts at the request: it may have been revoked before the answer arrived", async () => {
  const clock = fakeClock();
  const database = await openTestDatabase(join(tempDir(), "keys.db"), clock.now());
  const tenantId = await insertTenant(database);
  let slowMs = 1_000;
  const records: typeof apiKeyStore = (queries) => {
    const store = apiKeyStore(queries);
    const findByHash: typeof store.findByHash = async (hash) => {
      const found = await store.findByHash(hash);
      await clock.advance(slowMs);
      return found;
    };
    return { ...store, findByHash };
  };
  const keys = new ApiKeys({ database, records, clock, random: systemRandom, log: silentLog });
  const { id, secret } = await keys.create(tenantId, "one", NO_LIMITS);
  expect(await keys.identify(secret, "192.0.2.1")).not.toBeNull();
  slowMs = 0;
  // By another node: this one gets no message.
  await database.tx((queries) => apiKeyStore(queries).revoke(tenantId, id, clock.now()));
  await clock.advance(499);
  expect(await keys.identify(secret, "192.0.2.1")).not.toBeNull();
  await clock.advance(1);
  expect(await keys.identify(secret, "192.0.2.1")).toBeNull();
  await keys.stop();
  await database.close();
});

test("a looked-up key is known at once, with all its limits, until it is revoked or 1.5 s old", async () => {
  const clock = fakeClock();
  const database = await openTestDatabase(join(tempDir(), "keys.db"), clock.now());
  const tenantId = await insertTenant(database);
  const parts = { database, records: apiKeyStore, clock, random: systemRandom, log: silentLog };
  const keys = new ApiKeys(parts);
  const expiresAt = clock.now() + 1_000;
  const make = (limits: Partial<KeyLimits>) =>
    keys.create(tenantId, "k", { ...NO_LIMITS, ...limits });
  const anywhere = await make({});
  const office = await make({ networks: ["192.0.2.0/24"] });
  const brief = await make({ expiresAt });
  const inside = () => "192.0.2.1";
  const outside = () => "198.51.100.1";
  const atOnce = ({ secret }: { secret: string }, ipOf = inside) =>
    keys.identifyCached(secret, ipOf)?.tenantId ?? null;
  const all = [anywhere, office, brief];
  expect(all.map((key) => atOnce(key))).toEqual([null, null, null]);
  for (const { secret } of all) await keys.identify(secret, "192.0.2.1");
  expect(all.map((key) => atOnce(key))).toEqual([tenantId, tenantId, tenantId]);
  expect(all.map((key) => atOnce(key, outside))).toEqual([tenantId, null, tenantId]);
  expect(keys.identifyCached(`${anywhere.secret}0`, inside)).toBeNull();
  await clock.advance(1_000);
  expect(all.map((key) => atOnce(key))).toEqual([tenantId, tenantId, null]);
  await keys.revoke(tenantId, office.id);
  expect(all.map((key) => atOnce(key))).toEqual([tenantId, null, null]);
  await clock.advance(499);
  expect(atOnce(anywhere)).toBe(tenantId);
  await clock.advance(1);
  expect(atOnce(anywhere)).toBeNull();
  await keys.stop();
  await database.close();
});
