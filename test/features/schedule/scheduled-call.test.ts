/** A scheduled call counts on the day on which it is placed, not on the day of its request. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { callStore } from "../../../src/call/store/call-store.ts";
import { microEur } from "../../../src/core/money.ts";
import { reportStore } from "../../../src/features/call-log/report-store.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const MADE_AT = Date.UTC(2026, 10, 18, 12);
const DAY_MS = 86_400_000;

async function placed(scheduleId: number | null, afterMs: number) {
  const database = await openTestDatabase(join(tempDir(), "calls.db"), MADE_AT);
  const callUuid = crypto.randomUUID();
  await database.tx(async (queries) => {
    await queries.insert(tenants).values({
      name: "Clinic",
      email: "desk@example.com",
      plan: "start",
      timeZone: "UTC",
      webhookSecretSealed: "",
      webhookSecretPrefix: "",
      createdAt: MADE_AT,
    });
    await callStore(queries).insert(1, {
      callUuid,
      scheduleId,
      agentId: null,
      direction: "outbound",
      status: "queued",
      fromNumber: "+37052123456",
      toNumber: "+37061234567",
      recordingStatus: "none",
      overageRate: microEur(0),
      cost: microEur(0),
      createdAt: MADE_AT,
    });
    await callStore(queries).markDialing(1, callUuid, {
      node: "node-1",
      fromNumber: "+37052123456",
      agentVersion: 0,
      nowMs: MADE_AT + afterMs,
    });
  });
  const callsOf = async (fromMs: number) => {
    const hours = await reportStore(database.read).byHour(1, { fromMs, toMs: fromMs + DAY_MS });
    return hours.reduce((sum, { calls }) => sum + calls, 0);
  };
  const noon = 12 * 3_600_000;
  return {
    onDayMade: await callsOf(MADE_AT - noon),
    onDayPlaced: await callsOf(MADE_AT - noon + 3 * DAY_MS),
    createdAt: (await callStore(database.read).find(1, callUuid))?.createdAt,
  };
}

test("a scheduled call counts on the day on which it is placed", async () => {
  const at = MADE_AT + 3 * DAY_MS;
  expect(await placed(7, 3 * DAY_MS)).toEqual({ onDayMade: 0, onDayPlaced: 1, createdAt: at });
});

test("an immediate call keeps the time of its request", async () => {
  for (const scheduleId of [7, null])
    expect(await placed(scheduleId, 5_000)).toEqual({
      onDayMade: 1,
      onDayPlaced: 0,
      createdAt: MADE_AT,
    });
});
