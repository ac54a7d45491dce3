/** The cap of calls per minute counts calls when they are dialled: the real API, admission and store. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { Admission } from "../../../src/call/admission/admission.ts";
import { callSetupStore } from "../../../src/call/store/call-setup-store.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { e164 } from "../../../src/core/e164.ts";
import { AppError } from "../../../src/core/errors.ts";
import { scheduleStore } from "../../../src/features/schedule/schedule-store.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  startApiServer,
} from "../../support/http/api-server.ts";
import { newAgent } from "../../support/http/two-tenants.ts";
import { wideDialing } from "../../support/plans.ts";
import { tempDir } from "../../support/temp-dir.ts";

const TO = e164("+37061234567");
const CAP = 3;

let clock: FakeClock;
let server: ApiServer;

beforeAll(async () => {
  clock = fakeClock();
  server = await startApiServer({ directory: tempDir(), clock });
});
afterAll(() => server.stop());

async function tenantWithAgent(cap: number): Promise<ApiTenant> {
  const tenant = await server.tenant();
  await server.credit(tenant.id, 100);
  await server.database.tx((queries) =>
    queries.update(tenants).set({ callsPerMinuteMax: cap }).where(eq(tenants.id, tenant.id)),
  );
  await ask(server, tenant, "POST", "/agents", newAgent);
  return tenant;
}

const placeNow = (tenant: ApiTenant, headers?: Record<string, string>) =>
  ask(server, tenant, "POST", "/calls", { to_number: TO }, headers);
const placeLater = (tenant: ApiTenant) =>
  ask(server, tenant, "POST", "/calls", {
    to_number: TO,
    schedule_at: new Date(clock.now() + 300 * 86_400_000).toISOString(),
  });

/** The admission result of the tenant's next call; "admitted" marks it as dialled, as the dialer does. */
function fire({ id }: ApiTenant, scheduleId: number): Promise<string> {
  const { billing } = server;
  const admission = new Admission({
    stores: callStores,
    billing,
    clock,
    concurrentCallsMax: 100,
    liveCalls: () => 0,
    dialing: () => wideDialing,
  });
  return server.database
    .tx(async (queries) => {
      const setup = callSetupStore(queries);
      const [tenant, trunk] = [await setup.tenant(id), await setup.trunk(id)];
      if (!tenant) throw new Error("no tenant");
      await admission.fire(queries, tenant, trunk, TO);
      await scheduleStore(queries).leavePending(id, scheduleId, "fired", { firedAt: clock.now() });
      return "admitted";
    })
    .catch((error) => {
      if (!(error instanceof AppError)) throw error;
      return error.retryable ? `waits: ${error.code}` : error.code;
    });
}

describe("the cap of calls per minute", () => {
  test("does not count calls scheduled for another day", async () => {
    const tenant = await tenantWithAgent(CAP);
    for (let n = 0; n < CAP + 2; n++) expect((await placeLater(tenant)).status).toBe(200);
    expect((await placeNow(tenant)).status).toBe(200);
  });

  test("answers an immediate call above it with 429 and Retry-After, below and at it with 200", async () => {
    const tenant = await tenantWithAgent(CAP);
    for (let n = 0; n < CAP; n++) expect((await placeNow(tenant)).status).toBe(200);
    const over = await placeNow(tenant);
    expect([over.status, pick(over, "error")]).toEqual([429, "rate_limited"]);
    expect(over.headers.get("retry-after")).toBe("60");
    expect((await placeLater(tenant)).status).toBe(200);
    const neighbour = await tenantWithAgent(CAP);
    expect((await placeNow(neighbour)).status).toBe(200);
    await clock.advance(60_001);
    expect((await placeNow(tenant)).status).toBe(200);
  });

  /** Dials the maximum of a minute, and returns one more due call. */
  async function oneLeftOver() {
    const tenant = await tenantWithAgent(CAP);
    const due: number[] = [];
    for (let n = 0; n < CAP + 1; n++)
      due.push(Number(pick(await placeLater(tenant), "schedule_id")));
    const last = Number(due.pop());
    for (const id of due) expect(await fire(tenant, id)).toBe("admitted");
    return { tenant, last };
  }

  test("allows a call refused above it to be repeated with its Idempotency-Key", async () => {
    const tenant = await tenantWithAgent(1);
    const key = { "idempotency-key": "k" };
    await placeNow(tenant);
    const over = await placeNow(tenant, key);
    expect([over.status, over.headers.get("retry-after")]).toEqual([429, "60"]);
    await clock.advance(60_001);
    const placed = await placeNow(tenant, key);
    expect(placed.status).toBe(200);
    expect((await placeNow(tenant, key)).text).toBe(placed.text);
  });

  test("delays due calls above it, and dials them in the next minute", async () => {
    const { tenant, last } = await oneLeftOver();
    expect(await fire(tenant, last)).toBe("waits: rate_limited");
    expect((await placeNow(tenant)).status).toBe(429);
    await clock.advance(60_001);
    expect(await fire(tenant, last)).toBe("admitted");
  });

  test.each([
    [60_000, "waits: rate_limited"],
    [60_001, "admitted"],
  ])("with a clock set back by %d ms: %s", async (ms, outcome) => {
    const { tenant, last } = await oneLeftOver();
    clock.stepWallClock(-ms);
    expect(await fire(tenant, last)).toBe(outcome);
    clock.stepWallClock(ms + 60_001);
  });
});
