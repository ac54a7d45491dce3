/**
 * Earlier calls in the agent's prompt (`callback_memory`). A caller at level 1 gets everything. Other callers get
 * the purpose and outcome of the last call in one line, never the words. Two tenants share one number.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { callerStore } from "../../../src/features/contact/caller-store.ts";
import { contactStore } from "../../../src/features/contact/contact-store.ts";
import type { CallerTenant, EndedCall } from "../../../src/features/contact/ports.ts";
import { callMemories, calls, contacts, tenants } from "../../../src/store/schema/index.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { type ApiServer, type ApiTenant, startApiServer } from "../../support/http/api-server.ts";
import { insertCall } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NUMBER = "+37061000101";
const SUMMARY = "Ona asked for the results of her blood test and heard them.";
const LINE = "Test results were discussed.";
const agent = { language: "en", firstMessage: "Good afternoon." } as const;
const caller = { direction: "inbound", number: NUMBER, callUuid: "u" } as const;

let clock: FakeClock;
let server: ApiServer;
let own: ApiTenant;
let other: ApiTenant;

beforeAll(async () => {
  clock = fakeClock();
  server = await startApiServer({ directory: tempDir(), clock });
  [own, other] = [await server.tenant(), await server.tenant()];
  await server.database.tx((queries) => queries.update(tenants).set({ callbackMemory: true }));
});
afterAll(() => server.stop());
beforeEach(() =>
  server.database.tx(async (queries) => {
    await queries.delete(callMemories);
    await queries.delete(contacts);
  }),
);

/** A finished outbound call with its row, as finish.ts stores it. */
async function called(changes: Partial<EndedCall> = {}, reason?: string, sensitive = false) {
  const callUuid = crypto.randomUUID();
  await insertCall(server.database, own.id, callUuid);
  await server.database.tx(async (queries) => {
    if (reason !== undefined)
      await callerStore(queries).putPurpose(own.id, {
        callUuid,
        reason,
        sensitive,
        origin: "api" as const,
        createdAt: clock.now(),
      });
    await queries
      .update(calls)
      .set({ summary: changes.summary ?? SUMMARY })
      .where(eq(calls.callUuid, callUuid));
    await server.callerParts.callers.ended(queries, {
      tenantId: own.id,
      callUuid,
      direction: "outbound",
      number: NUMBER,
      agentId: null,
      status: "completed",
      endedReason: "caller_hangup",
      startedAt: 0,
      answeredMs: 30_000,
      summary: SUMMARY,
      line: LINE,
      transcript: SUMMARY,
      costEur: 0,
      tenant: { callbackMemory: true, crmBridge: false },
      ...changes,
    });
  });
  await clock.advance(60_000);
}

async function told(tenant: ApiTenant, cliIdentity: boolean): Promise<string[]> {
  const features: CallerTenant = {
    id: tenant.id,
    timeZone: "UTC",
    callbackMemory: true,
    namedGreeting: false,
    cliIdentity,
    crmBridge: false,
  };
  const { data, knowledge } = await server.database.tx((queries) =>
    server.callerParts.callers.contextOf(queries, features, agent, caller),
  );
  expect(knowledge?.content ?? "").not.toContain(SUMMARY);
  return data.filter(({ label }) => label === "earlier_call").map(({ text }) => text);
}

const asContact = () =>
  server.database.tx((queries) =>
    contactStore(queries).insert(own.id, {
      numberE164: NUMBER,
      firstName: "Ona",
      lastName: "",
      vocative: null,
      birthday: null,
      language: null,
      notes: "",
      consent: false,
      doNotCall: false,
      pinHash: null,
      createdAt: 1,
      updatedAt: 1,
    }),
  );

test("an unknown caller gets the purpose and outcome of the last call only, in one line", async () => {
  await called({}, "an invoice");
  await called({}, "your appointment");
  const lines = await told(own, true);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^We called this number today at \S+ about: your appointment\. We spoke: /,
  );
  expect(lines[0]).toContain(LINE);
  expect(lines[0]).not.toContain(SUMMARY);
});

test("a contact without recognition gets no more than that", async () => {
  await asContact();
  await called({}, "your appointment");
  const [line] = await told(own, false);
  expect(line).toContain(LINE);
  expect(line).not.toContain(SUMMARY);
});

test("a recognised caller gets three calls, with summaries and promises", async () => {
  await asContact();
  for (const reason of ["one", "two", "three", "four"]) await called({}, reason);
  await server.database.tx((queries) => queries.update(callMemories).set({ promise: "a refund" }));
  const lines = await told(own, true);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain("four");
  for (const line of lines) {
    expect(line).toContain(SUMMARY);
    expect(line).toContain("We promised: a refund");
  }
});

test("without a purpose the line has the outcome only, and never the agent's name", async () => {
  await called();
  const [line] = await told(own, false);
  expect(line).toMatch(
    /^We called this number today at \S+\. We spoke: Test results were discussed\.$/,
  );
  await called({ answeredMs: 0, endedReason: "busy", summary: "", line: "" });
  expect(await told(own, false)).toEqual([expect.stringMatching(/\d\d\. The line was busy\.$/)]);
});

test("a sensitive last call is hidden from an unknown caller, and no earlier call replaces it", async () => {
  await called({}, "an invoice");
  await called({}, "the results of the blood test", true);
  expect(await told(own, false)).toEqual([]);
});

test("an agent of another tenant gets nothing of these calls", async () => {
  await called({}, "your appointment");
  expect(await told(other, true)).toEqual([]);
});

test.each([
  ["birthday", "outbound", { occasion: "birthday", canOptOut: true }],
  ["campaign", "outbound", { occasion: null, canOptOut: true }],
  ["api", "outbound", { occasion: null, canOptOut: false }],
  ["birthday", "inbound", { occasion: null, canOptOut: false }],
] as const)(
  "a %s call that is %s: whether a birthday is in the prompt, and whether the caller may refuse further calls",
  async (origin, direction, expected) => {
    const callUuid = crypto.randomUUID();
    await server.database.tx((queries) =>
      callerStore(queries).putPurpose(own.id, {
        callUuid,
        reason: "best wishes",
        sensitive: false,
        origin,
        createdAt: 1,
      }),
    );
    const tenant = { id: own.id, timeZone: "UTC", callbackMemory: true, namedGreeting: false };
    const features = { ...tenant, cliIdentity: false, crmBridge: false };
    for (const number of [NUMBER, ...(direction === "inbound" ? [""] : [])]) {
      const remoteParty = { direction, number, callUuid };
      const context = await server.database.tx((queries) =>
        server.callerParts.callers.contextOf(queries, features, agent, remoteParty),
      );
      expect(context).toMatchObject(expected);
    }
  },
);

test("a call is remembered for fourteen days", async () => {
  const DAYS_MS = 14 * 24 * 60 * 60_000;
  await called({}, "your appointment");
  for (const [ageMs, lines] of [
    [DAYS_MS, 1],
    [DAYS_MS + 1, 0],
  ] as const) {
    const attemptedAt = clock.now() - ageMs;
    await server.database.tx((queries) => queries.update(callMemories).set({ attemptedAt }));
    expect(await told(own, false)).toHaveLength(lines);
  }
});

test("500 characters of a purpose and of an outcome are kept", async () => {
  await called({ line: "b".repeat(501) }, "a".repeat(501));
  const [memory] = await server.database.read.select().from(callMemories);
  expect([memory?.reason.length, memory?.outcome.length]).toEqual([500, 500]);
});

test("named_greeting greets a contact with one name by that name", async () => {
  const tenant = { id: own.id, timeZone: "UTC", callbackMemory: false, cliIdentity: false };
  const greetingOf = async (namedGreeting: boolean, number: string = NUMBER) =>
    (
      await server.database.tx((queries) =>
        server.callerParts.callers.contextOf(
          queries,
          { ...tenant, namedGreeting, crmBridge: false },
          agent,
          { ...caller, number },
        ),
      )
    ).namedGreeting;
  expect(await greetingOf(true)).toBeNull();
  await asContact();
  expect(await greetingOf(true)).toBe("Good afternoon, Ona.");
  expect(await greetingOf(false)).toBeNull();
  expect(await greetingOf(true, "+37061000999")).toBeNull();
  await server.database.tx((queries) => queries.update(contacts).set({ firstName: "" }));
  expect(await greetingOf(true)).toBeNull();
});
