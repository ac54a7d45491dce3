/** API keys are looked up in the store once in a while, not with each request. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { apiKeyStore } from "../../../src/adapter/store/api-key-store.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { ApiKeys } from "../../../src/domain/tenant/api-keys.ts";
import { NO_LIMITS } from "../../../src/domain/tenant/key-limits.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertTenant } from "../../support/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openTestDatabase } from "../../support/test-store.ts";

test("the keys of several clients that ask in turn are each kept for 1.5 s", async () => {
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

test("a key is kept from when it was asked for: it may have been revoked while the answer was on its way", async () => {
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
  // By another node: this one is not told.
  await database.tx((queries) => apiKeyStore(queries).revoke(tenantId, id, clock.now()));
  await clock.advance(499);
  expect(await keys.identify(secret, "192.0.2.1")).not.toBeNull();
  await clock.advance(1);
  expect(await keys.identify(secret, "192.0.2.1")).toBeNull();
  await keys.stop();
  await database.close();
});
