/** A trunk's limit of concurrent calls: admission over a real store, below, at and above. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Admission } from "../../../src/call/admission/admission.ts";
import { callSetupStore } from "../../../src/call/store/call-setup-store.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import type { Database } from "../../../src/core/database.ts";
import { AppError } from "../../../src/core/errors.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { trunkStore } from "../../../src/features/trunk/trunk-store.ts";
import { calls } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { startPlan, wideDialing } from "../../support/plans.ts";
import { insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const TO = "+37061234567" as Parameters<Admission["fire"]>[3];
const PLAN_CALLS = 4;
const clock = fakeClock();
let database: Database;
let tenantId = 0;
let admission: Admission;

beforeAll(async () => {
  database = await openTestDatabase(join(tempDir(), "linevoice.db"), clock.now());
  tenantId = await insertTenant(database, { callsPerMinuteMax: 100 });
  const plans = [{ ...startPlan, maxConcurrentCalls: PLAN_CALLS }];
  admission = new Admission({
    stores: callStores,
    billing: new Billing({ database, stores: billingStores, plans, clock }),
    clock,
    concurrentCallsMax: 100,
    liveCalls: () => 0,
    dialing: () => wideDialing,
  });
});
afterAll(() => database.close());

async function arrange(channels: number | null, live: number): Promise<void> {
  await database.tx(async (queries) => {
    await queries.delete(calls);
    const account = { server: "sip.example", port: 0, transport: "udp", username: "u" } as const;
    const rest = { realm: null, outboundProxy: null, callerId: "+37052000001", register: true };
    const trunk = { ...account, ...rest, channels, createdAt: 0, updatedAt: 0 };
    await trunkStore(queries).put(tenantId, trunk, () => "sealed");
  });
  for (let n = 0; n < live; n++) await insertCall(database, tenantId, `live-${n}`);
}

type Way = "fire" | "request now" | "request later" | "inbound";

function verdictOf(way: Way): Promise<string> {
  return database
    .tx(async (queries) => {
      const setup = callSetupStore(queries);
      const [tenant, trunk] = [await setup.tenant(tenantId), await setup.trunk(tenantId)];
      if (!tenant) throw new Error("no tenant");
      if (way === "inbound") admission.inbound(tenant, await admission.loadOf(queries, tenant));
      else if (way === "fire") await admission.fire(queries, tenant, trunk, TO);
      else await admission.request(queries, tenant, trunk, TO, way === "request now");
      return "admitted";
    })
    .catch((error) => {
      if (!(error instanceof AppError)) throw error;
      expect(error.retryable).toBe(true);
      return `${error.code}: ${error.publicMessage.split(/ at once|,/)[0]}`;
    });
}

const ALL_TAKEN =
  "plan_limit_reached: All 2 channels of the trunk are in use. Wait until a call ends";

describe("channels of the trunk", () => {
  test.each([
    ["below", 1, "admitted"],
    ["at", 2, ALL_TAKEN],
    ["above, as callers make it", 3, ALL_TAKEN],
  ])(
    "%s: %d live, an outbound call is checked against them on request and when it is due",
    async (_, live, verdict) => {
      await arrange(2, live);
      expect(await verdictOf("fire")).toBe(verdict);
      expect(await verdictOf("request now")).toBe(verdict);
    },
  );

  test("a scheduled call is accepted: it waits when it is due", async () => {
    await arrange(2, 2);
    expect(await verdictOf("request later")).toBe("admitted");
  });

  test("an inbound call is accepted: the carrier limits its own calls", async () => {
    await arrange(2, 3);
    expect(await verdictOf("inbound")).toBe("admitted");
  });

  test.each([null, PLAN_CALLS + 1])("%p: only the plan limits", async (channels) => {
    await arrange(channels, PLAN_CALLS - 1);
    expect(await verdictOf("fire")).toBe("admitted");
    await arrange(channels, PLAN_CALLS);
    expect(await verdictOf("fire")).toContain("Plan start allows 4 concurrent calls");
  });
});
