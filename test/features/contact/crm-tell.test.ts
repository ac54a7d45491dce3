/** The CRM message about a call, as stored with the call's end. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { crmOutcomeReporter } from "../../../src/features/contact/crm/crm-outcome.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("a talk of 61.001 s is reported as 62 seconds, counted from its answer", async () => {
  const clock = fakeClock(Date.parse("2026-11-22T12:01:01.001Z"));
  const database = await openTestDatabase(join(tempDir(), "crm.db"), clock.now());
  const bodies: string[] = [];
  const teller = crmOutcomeReporter({
    records: () => ({
      target: async () => ({ url: "https://crm.example/", secretSealed: null, mapping: {} }),
      enqueue: async (_tenantId, _callUuid, body) => void bodies.push(body),
    }),
    agentName: async () => "Reception",
    clock,
    wake: () => {},
  });
  await teller.ended(database.read, {
    tenantId: 1,
    callUuid: "u1",
    direction: "inbound",
    number: "+37061000301",
    agentId: 7,
    status: "completed",
    endedReason: "caller_hangup",
    startedAt: Date.parse("2026-11-22T11:59:58Z"),
    answeredMs: 61_001,
    summary: "A visit.",
    line: "",
    transcript: "Agent: Hello.",
    costEur: 0.15,
    tenant: { callbackMemory: false, crmBridge: true },
  });
  expect(bodies.map((body) => JSON.parse(body))).toEqual([
    expect.objectContaining({
      call_id: "u1",
      agent: "Reception",
      number: "+37061000301",
      duration_sec: 62,
      started_at: "2026-11-22T11:59:58+00:00",
      cost_eur: 0.15,
      summary: "A visit.",
    }),
  ]);
  await database.close();
});

test("50,000 characters of a transcript are sent", async () => {
  const clock = fakeClock();
  const bodies: string[] = [];
  const teller = crmOutcomeReporter({
    records: () => ({
      target: async () => ({ url: "https://crm.example/", secretSealed: null, mapping: {} }),
      enqueue: async (_tenantId, _callUuid, body) => void bodies.push(body),
    }),
    agentName: async () => "Reception",
    clock,
    wake: () => {},
  });
  await teller.ended({} as Parameters<typeof teller.ended>[0], {
    tenantId: 1,
    callUuid: "u1",
    direction: "inbound",
    number: "",
    agentId: null,
    status: "completed",
    endedReason: "caller_hangup",
    startedAt: 0,
    answeredMs: 1,
    summary: "",
    line: "",
    transcript: "x".repeat(50_001),
    costEur: 0,
    tenant: { callbackMemory: false, crmBridge: true },
  });
  expect(bodies[0]?.match(/x/g)).toHaveLength(50_000);
  // Missing values are null, as in REST and webhooks.
  const none = { agent: null, number: null, summary: null };
  expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ ...none, duration_sec: 1 });
});
