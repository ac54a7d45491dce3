/**
 * Length of a live call: up to its agent's maximum, unless two people are joined, by the monotonic clock. Real
 * SQLite.
 */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { endingByUs } from "../../../src/call/ending.ts";
import { LiveCall } from "../../../src/call/live/live-call.ts";
import { CallRegistry } from "../../../src/call/live/registry.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import type { CallNote } from "../../../src/conversation/call-report.ts";
import { type Log, silentLog as log } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import type { EventDraft } from "../../../src/features/webhook/ports.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { applianceSettings } from "../../support/appliance/appliance.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { startPlan } from "../../support/plans.ts";
import { UNKNOWN_CALLERS } from "../../support/sip/unknown-callers.ts";
import { insertAgent, insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
const clock = fakeClock();
const database = await openTestDatabase(join(directory, "main.db"), clock.now());
const tenantId = await insertTenant(database);
const agentId = await insertAgent(database, tenantId);
afterAll(async () => {
  await eventually(() => stored === 16, "every call is stored");
  await database.close();
});

const MAX_SECONDS = 30;
let stored = 0;
const ports = {
  database,
  stores: callStores,
  recordingsInWork: new Set(),
  clock,
  random,
  log,
  node: "A",
  registry: new CallRegistry(),
  callers: UNKNOWN_CALLERS,
  mails: { enqueue: async () => undefined, wake: () => undefined },
  settings: { recordingsDir: directory, prices: applianceSettings(directory, "127.0.0.1").prices },
  billing: new Billing({ database, stores: billingStores, plans: [startPlan], clock, random }),
  events: createEventSink({ stores: webhookStores, clock, random, wake: () => undefined }),
  onEnded: () => {
    stored++;
  },
} as unknown as ConstructorParameters<typeof LiveCall>[1];
const plan = {} as Parameters<LiveCall["answered"]>[0];

async function ringingCall(
  changed: Partial<typeof ports>,
  direction = "inbound",
  state: "dialing" | "ringing" = "ringing",
): Promise<LiveCall> {
  const callUuid = crypto.randomUUID();
  await insertCall(database, tenantId, callUuid);
  const identity = {
    tenantId,
    agentId,
    callUuid,
    rowId: 1,
    direction,
    language: "en",
    fromNumber: "+37060000001",
    toNumber: "+37052000000",
    maxDurationSeconds: MAX_SECONDS,
    overageRate: microEur(120_000),
  } as unknown as LiveCall["identity"];
  return new LiveCall(identity, { ...ports, ...changed }, state);
}

async function answeredCall(
  isBridged: boolean,
  isAcknowledged = true,
  changed: Partial<typeof ports> = {},
  direction = "inbound",
): Promise<LiveCall> {
  const call = await ringingCall(changed, direction);
  let acknowledged: () => void = () => undefined;
  const leg = {
    on: (name: string, listener: () => void) => {
      if (name === "answered") acknowledged = listener;
    },
    hangUp: () => undefined,
  };
  call.attachLeg(leg as unknown as Parameters<LiveCall["attachLeg"]>[0]);
  call.answered(plan);
  if (isAcknowledged) acknowledged();
  call.beginTransfer({ isBridged, referral: null, callEnded: () => undefined });
  return call;
}

test("a transfer without a joined person does not lengthen a call", async () => {
  const call = await answeredCall(false);
  await clock.advance(MAX_SECONDS * 1000 - 1);
  expect(call.isLive).toBe(true);
  await clock.advance(1);
  expect(call.state).toMatchObject({ name: "ended", ending: { reason: "max_duration" } });
});

test("an answered call has a length; a ringing or ended one does not", async () => {
  const ringing = await ringingCall({});
  const call = await answeredCall(false);
  await clock.advance(12_345);
  expect([ringing.answeredMs, call.answeredMs]).toEqual([0, 12_345]);
  for (const each of [ringing, call]) each.end(endingByUs("completed", "agent_hangup"));
  expect(call.answeredMs).toBe(0);
  await Promise.all([ringing.finished, call.finished]);
});

test("a call is reported as ringing once, however often the phone reports it", async () => {
  let changes = 0;
  let rings = 0;
  const calls: typeof ports.stores.calls = (queries) => ({
    ...callStores.calls(queries),
    markRinging: async () => {
      rings++;
    },
  });
  const changed = { onChange: () => void changes++, stores: { ...ports.stores, calls } };
  const call = await ringingCall(changed, "outbound", "dialing");
  changes = 0;
  call.ringing(null);
  expect(changes).toBe(1);
  await eventually(() => rings === 1, "it is stored that it rings");
  call.ringing(null);
  expect([call.state.name, changes]).toEqual(["ringing", 1]);
  call.end(endingByUs("cancelled", "cancelled"));
  await call.finished;
  expect(rings).toBe(1);
});

test("monitoring is requested once for all listeners, until the last one leaves", async () => {
  const call = await answeredCall(false);
  const listener = () =>
    ({ ended: () => undefined }) as unknown as Parameters<typeof call.monitor>[0];
  expect(call.monitor(listener())).toBeNull();
  const sent: unknown[][] = [];
  call.attachChannel({
    on: () => undefined,
    send: (...message: unknown[]) => void sent.push(message),
    close: () => Promise.reject(new Error("nobody reports")),
  } as unknown as Parameters<LiveCall["attachChannel"]>[0]);
  const first = call.monitor(listener());
  expect(sent).toEqual([["monitor", true]]);
  const second = call.monitor(listener());
  first?.();
  first?.();
  expect(sent).toEqual([["monitor", true]]);
  second?.();
  expect(sent).toEqual([
    ["monitor", true],
    ["monitor", false],
  ]);
  call.end(endingByUs("completed", "agent_hangup"));
  await call.finished;
});

test("the set-up time of a call is reported at its end", async () => {
  const told: (number | null)[] = [];
  const onEnded: typeof ports.onEnded = (_, { setupMs }) => {
    stored++;
    told.push(setupMs);
  };
  const call = await ringingCall({ onEnded });
  await clock.advance(4_000);
  call.answered(plan);
  await clock.advance(1_000);
  call.end(endingByUs("completed", "agent_hangup"));
  await call.finished;
  expect(told).toEqual([4_000]);
});

test("two joined people may exceed the agent's maximum", async () => {
  const call = await answeredCall(true);
  await clock.advance(MAX_SECONDS * 1000);
  expect(call.isLive).toBe(true);
  await clock.advance((4 * 3600 - MAX_SECONDS) * 1000);
  expect(call.state).toMatchObject({ name: "ended", ending: { reason: "max_duration" } });
});

test.each([
  ["a call", 3_610_000, true],
  ["a call", -3_610_000, true],
  ["a call that is never acknowledged", 3_610_000, false],
  ["a call that is never acknowledged", -3_610_000, false],
])("in %s a wall clock set by %d ms does not change its length", async (_, ms, isAcknowledged) => {
  const call = await answeredCall(false, isAcknowledged);
  await clock.advance(10_000);
  clock.stepWallClock(ms);
  call.end(endingByUs("completed", "agent_hangup"));
  await call.finished;
  const row = await callStores.calls(database.read).find(tenantId, call.identity.callUuid);
  expect((row?.endedAt ?? 0) - (row?.answeredAt ?? 0)).toBe(10_000);
});

test("the answered time is stored by clock, by RTP stream and by recogniser", async () => {
  const call = await answeredCall(false);
  const channel = {
    on: () => undefined,
    send: () => undefined,
    close: async () => ({
      turns: [],
      recording: null,
      answeredRtpMs: 9_980,
      answeredBy: "human",
      summary: "",
      line: "",
      media: { codec: "PCMA", packetsReceived: 500, packetsLost: 0, jitterMs: 0, mos: 4.4 },
      usage: {
        llmInputTokens: 0,
        llmCachedInputTokens: 0,
        llmOutputTokens: 0,
        ttsCharacters: 0,
        sttSeconds: 12.5,
        // Sent to the recogniser twice, and spoken once.
        discarded: { llmInputTokens: 40, llmOutputTokens: 2, ttsCharacters: 9, sttSeconds: 3 },
      },
    }),
  };
  call.attachChannel(channel as unknown as Parameters<LiveCall["attachChannel"]>[0]);
  await clock.advance(10_000);
  call.end(endingByUs("completed", "agent_hangup"));
  await call.finished;
  const row = await callStores.calls(database.read).find(tenantId, call.identity.callUuid);
  expect(row).toMatchObject({
    answeredClockMs: 10_000,
    answeredRtpMs: 9_980,
    answeredEngineMs: 9_500,
    discardedTokens: 42,
    discardedCharacters: 9,
    discardedSttSeconds: 3,
  });
});

test("an answer that cannot be stored is stored a second later", async () => {
  let tries = 0;
  const stores: typeof callStores = {
    ...callStores,
    calls: (queries) => ({
      ...callStores.calls(queries),
      async markAnswered(...answer) {
        if (++tries === 1) throw new Error("the store is away");
        await callStores.calls(queries).markAnswered(...answer);
      },
    }),
  };
  let failures = 0;
  const counting: Log = { ...log, with: () => counting, error: () => void failures++ };
  const call = await answeredCall(false, true, { stores, log: counting });
  await eventually(() => failures === 1, "it has failed");
  await clock.advance(999);
  expect(tries).toBe(1);
  await clock.advance(1);
  await eventually(() => tries === 2, "it is tried again");
  call.end(endingByUs("completed", "agent_hangup"));
  await call.finished;
  const row = await callStores.calls(database.read).find(tenantId, call.identity.callUuid);
  expect(row?.answeredAt).not.toBeNull();
});

test.each([
  ["inbound", true, 1],
  ["outbound", true, 1],
  ["outbound", false, 0],
])(
  "an %s call, answered %p, sends call.answered at most once",
  async (direction, isAnswered, told) => {
    const types: string[] = [];
    const events = {
      emit: async (_: unknown, __: number, { type }: { readonly type: string }) =>
        void types.push(type),
      wake: () => undefined,
    } as unknown as typeof ports.events;
    const call = isAnswered
      ? await answeredCall(false, true, { events }, direction)
      : await ringingCall({ events }, direction);
    call.end(endingByUs("completed", "agent_hangup"));
    await call.finished;
    expect(types.filter((type) => type === "call.answered")).toHaveLength(told);
  },
);

test("the detection result is stored and sent once; other notes send nothing", async () => {
  const told: unknown[] = [];
  const events = {
    emit: async (_: unknown, __: number, { type, data }: EventDraft) => {
      if (type === "call.answered") told.push(data);
    },
    wake: () => undefined,
  } as unknown as typeof ports.events;
  const stored: unknown[] = [];
  const calls: typeof ports.stores.calls = (queries) => ({
    ...callStores.calls(queries),
    setAnsweredBy: async (_, __, answeredBy) => void stored.push(answeredBy),
  });
  const changed = { events, stores: { ...ports.stores, calls } };
  const call = await answeredCall(false, true, changed, "outbound");
  let note: (event: { readonly note: CallNote }) => void = () => undefined;
  call.attachChannel({
    on: (name: string, listener: typeof note) => {
      if (name === "note") note = listener;
    },
    send: () => undefined,
    close: async () => null,
  } as unknown as Parameters<LiveCall["attachChannel"]>[0]);
  note({ note: { kind: "language", atMs: 500, language: "lt" } });
  note({ note: { kind: "answered_by", atMs: 900, result: "machine", cause: "beep" } });
  await eventually(() => told.length + stored.length >= 2, "it is told and stored");
  call.end(endingByUs("completed", "agent_hangup"));
  await call.finished;
  expect(told).toMatchObject([{ answered_by: "machine" }]);
  expect(stored).toEqual(["machine"]);
});
