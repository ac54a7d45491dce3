/**
 * Many events to 200 endpoints, 20 of them dead, during a call. Nothing here is timed: the dead ones hang for the
 * whole test. `npm run bench -- webhooks` measures the delay of the healthy ones.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { inArray } from "drizzle-orm";
import { callStarted } from "../../../src/features/webhook/catalogue.ts";
import { outbox } from "../../../src/store/schema/index.ts";
import { OWN_NUMBER, startAppliance } from "../../support/appliance/appliance.ts";
import { eventually } from "../../support/eventually.ts";
import { facts } from "../../support/http/delivery-world.ts";
import { answer, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { storeEndpoints } from "../../support/store/many-endpoints.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(120_000);

const HOST = "127.48.0.3";
const ENDPOINTS = 200;
const SILENT = 10;
const CLOSED = 10;
const EVENTS_EACH = 5;
/** Longer than the test. */
const TIMEOUT_MS = 600_000;

const directory = tempDir();
const ca = testCa(directory);
const certificate = ca.issue([`IP:${HOST}`]);
const healthy = await httpsReceiver(certificate, answer(200), HOST);
const silent = await httpsReceiver(certificate, () => {}, HOST);
const gone = await httpsReceiver(certificate, answer(200), HOST);
await gone.close();
let masterKey = new Uint8Array();
const world = await startAppliance({
  dataDir: directory,
  host: HOST,
  settings(given) {
    masterKey = Uint8Array.from(given.masterKey);
    const httpClient = { ...given.httpClient, caPem: ca.caPem, webhookTimeoutMs: TIMEOUT_MS };
    return { ...given, httpClient };
  },
});
const { database, events } = world.app;
afterAll(async () => {
  await world.close();
  await healthy.close();
  await silent.close();
});

const urlOf = (index: number): string => {
  if (index < SILENT) return `https://${HOST}:${silent.port}/${index}`;
  return `https://${HOST}:${index < SILENT + CLOSED ? gone.port : healthy.port}/${index}`;
};

test("every healthy endpoint gets all of its events while the dead ones hang, and the call continues", async () => {
  const urls = Array.from({ length: ENDPOINTS }, (_, index) => urlOf(index));
  const endpoints = await storeEndpoints(database, masterKey, urls);
  const caller = await world.phone("+37061000091");
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  await call.waitForReply();
  // The dead ones first, and repeatedly between the others'.
  for (let round = 0; round < EVENTS_EACH; round++)
    await database.tx(async (queries) => {
      for (const { tenantId } of endpoints)
        await events.emit(queries, tenantId, callStarted(facts(null), "ringing"));
    });
  events.wake();
  const expected = (ENDPOINTS - SILENT - CLOSED) * EVENTS_EACH;
  await eventually(() => healthy.requests.length >= expected, "all of theirs", 90_000);

  const perPath = Map.groupBy(healthy.requests, ({ path }) => path);
  expect(perPath.size).toBe(ENDPOINTS - SILENT - CLOSED);
  const ids = (requests: readonly { body: string }[]) =>
    new Set(requests.map(({ body }) => JSON.parse(body).id));
  for (const requests of perPath.values()) expect(ids(requests).size).toBe(EVENTS_EACH);
  const waited = endpoints.slice(0, SILENT).map(({ webhookId }) => webhookId);
  const rows = await database.read
    .select({ status: outbox.status, attempts: outbox.attempts })
    .from(outbox)
    .where(inArray(outbox.webhookId, waited));
  expect(rows).toHaveLength(SILENT * EVENTS_EACH);
  expect(rows.every(({ status, attempts }) => status === "pending" && attempts === 0)).toBe(true);
  // One of an endpoint's five is in progress, the others wait until it has accepted one.
  const begun = () => silent.requests.length;
  await eventually(() => begun() >= SILENT, "one of each is under way", 30_000);
  expect(begun()).toBe(SILENT);

  expect(call.state).toBe("active");
  await call.press("0");
  await call.hangUp();
});
