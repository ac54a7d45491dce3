/**
 * One in thirty answers of a real libSQL server is lost with its connection: inbound calls are still accepted.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt, seededRandom } from "../../src/core/random.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { type DelayingRelay, startDelayingRelay } from "../support/net/delaying-relay.ts";
import { type SqldServer, startSqld } from "../support/store/sqld-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const CALLS = 20;
const AT_ONCE = 2;
const ONE_OF = 30;

let sqld: SqldServer;
let relay: DelayingRelay;
let appliance: Appliance;
let phones: Phone[];

beforeAll(async () => {
  sqld = await startSqld();
  relay = await startDelayingRelay({ host: "127.0.0.1", port: sqld.port });
  const remote = { url: `http://127.0.0.1:${relay.port}`, authToken: sqld.token };
  appliance = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.8.71",
    settings: (settings) => ({
      ...settings,
      plans: settings.plans.map((plan) => ({ ...plan, maxConcurrentCalls: 50 })),
      storage: { ...settings.storage, remote, shared: true },
    }),
  });
  phones = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => appliance.phone(`+3706888800${n}`)),
  );
});
afterAll(async () => {
  relay.losesAnswer = () => false;
  await appliance.close();
  relay.close();
  await sqld.stop();
});

async function isTaken(phone: Phone): Promise<boolean> {
  const call = await phone.call(OWN_NUMBER);
  try {
    await call.answered;
  } catch {
    return false;
  }
  await call.hangUp();
  return true;
}

test("twenty calls are accepted while one in thirty answers is lost", async () => {
  const chance = seededRandom(3);
  let lost = 0;
  relay.losesAnswer = () => {
    const isLost = randomInt(chance, ONE_OF) === 0;
    if (isLost) lost++;
    return isLost;
  };
  let taken = 0;
  for (let n = 0; n < CALLS / AT_ONCE; n++)
    for (const isIn of await Promise.all(phones.map(isTaken))) taken += isIn ? 1 : 0;
  relay.losesAnswer = () => false;
  console.log(`${lost} answers lost: ${taken} of ${CALLS} calls were taken`);
  expect(lost).toBeGreaterThan(2);
  expect(taken).toBeGreaterThanOrEqual(CALLS - 1);
});
