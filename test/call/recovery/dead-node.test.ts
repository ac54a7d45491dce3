/**
 * A node on a shared store dies during a call. The others end the call, and the recording on its disk waits for
 * its restart.
 */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { CallRegistry } from "../../../src/call/live/registry.ts";
import { recoverCalls, watchLeftCalls } from "../../../src/call/recovery/recovery.ts";
import type { CallContext } from "../../../src/call/service/context.ts";
import { callStore } from "../../../src/call/store/call-store.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import type { CallRecords } from "../../../src/call/stores.ts";
import type { Database, Queries } from "../../../src/core/database.ts";
import { silentLog as log } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../../src/features/billing/ledger.ts";
import type { EndedCall } from "../../../src/features/contact/ports.ts";
import { LOST_AFTER_MS } from "../../../src/features/mail/mail-queue.ts";
import type { MailDraft } from "../../../src/features/mail/ports.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { repairWav, wavHeader } from "../../../src/media/recording/wav.ts";
import { calls, events, holds, turns } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { startPlan } from "../../support/plans.ts";
import { insertAgent, insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openRemote } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(30_000);

const directory = tempDir();
let one: Database;
let two: Database;
let tenantId = 0;
/** Call ends reported to contacts, CRM and campaigns. */
const toldOf: EndedCall[] = [];

beforeAll(async () => {
  const path = join(directory, "shared.db");
  one = await openRemote(path);
  two = await openRemote(path);
  tenantId = await insertTenant(one);
});
afterAll(async () => {
  await one.close();
  await two.close();
});

/** The services that recovery uses; the rest of a node is missing. */
function node(name: string, database: Database, clock: FakeClock): CallContext {
  const recordingsDir = join(directory, name);
  mkdirSync(recordingsDir, { recursive: true });
  const billing = new Billing({
    database,
    stores: billingStores,
    plans: [startPlan],
    clock,
    random,
  });
  return {
    database,
    stores: callStores,
    node: name,
    clock,
    random,
    log,
    billing,
    registry: new CallRegistry(),
    recordingsInWork: new Set(),
    settings: { recordingsDir },
    events: createEventSink({ stores: webhookStores, clock, random, wake: () => undefined }),
    mails: { enqueue: async () => undefined, wake: () => undefined },
    callers: {
      ended: async (_: unknown, call: EndedCall) => toldOf.push(call),
      wake: () => undefined,
    },
    encoder: {
      repair: repairWav,
      encode: async (wav: string, mp3: string) => {
        copyFileSync(wav, mp3);
        return { durationMs: 1, bytes: 1, peaks: null };
      },
    },
    links: { urlFor: () => ({ url: "https://voice.example/r", expiresAtMs: 0 }) },
  } as unknown as CallContext;
}

async function liveCall(context: CallContext): Promise<string> {
  const uuid = crypto.randomUUID();
  const { clock, database } = context;
  await insertCall(database, tenantId, uuid);
  const heartbeatAt = clock.now();
  await database.tx(async (queries) => {
    await context.billing.hold(queries, tenantId, uuid);
    await queries
      .update(calls)
      .set({ node: context.node, language: "en", answeredAt: heartbeatAt - 20_000, heartbeatAt })
      .where(eq(calls.callUuid, uuid));
  });
  const pcm = Buffer.alloc(32_001);
  const header = wavHeader({ sampleRateHz: 8000, channels: 2 }, 0);
  writeFileSync(join(context.settings.recordingsDir, `${uuid}.wav`), Buffer.concat([header, pcm]));
  return uuid;
}

const rowOf = async (uuid: string) =>
  (await two.read.select().from(calls).where(eq(calls.callUuid, uuid)))[0];

/** Advances the clock in steps of ten seconds, the watch's interval. */
async function pass(clock: FakeClock, ms: number, beat?: () => Promise<void>): Promise<void> {
  for (let left = ms; left > 0; left -= 5_000) {
    await beat?.();
    await clock.advance(5_000);
    await Bun.sleep(20);
  }
}

/**
 * Advances the clock until the watch has done one whole check that starts after this call, even on a slow store.
 */
async function lookWhole(clock: FakeClock, looks: () => number): Promise<void> {
  const before = looks();
  await eventually(async () => {
    await pass(clock, 5_000);
    return looks() >= before + 2; // the next check begins when the one before has ended
  }, "the watch looks");
}

test("a call without heartbeat for a minute is ended, billed, reported and remembered once by another node", async () => {
  const [a, b] = [fakeClock(), fakeClock(fakeClock().now() + 3_600_000)];
  const [dead, alive] = [node("A", one, a), node("B", two, b)];
  const uuid = await liveCall(dead);
  await one.tx(async (queries) => {
    const callId = (await rowOf(uuid))?.id ?? 0;
    const times = { startMs: 0, endMs: 900, interrupted: false };
    const said = { callId, ...times };
    await queries.insert(turns).values([
      { ...said, turnIndex: 0, speaker: "agent", text: "Hello." },
      { ...said, turnIndex: 1, speaker: "customer", text: "Hi." },
    ]);
  });
  const watch = watchLeftCalls(alive);
  await pass(b, 55_000);
  expect((await rowOf(uuid))?.status).toBe("in_progress");
  await pass(b, 30_000);
  await eventually(async () => {
    await pass(b, 10_000); // a check that was in progress is repeated by the next
    return (await rowOf(uuid))?.status === "failed";
  }, "it is ended");
  watch.cancel();
  expect(await rowOf(uuid)).toMatchObject({
    endedReason: "interrupted",
    billableSeconds: 20,
    recordingStatus: "processing",
    recordingFile: `${uuid}.wav`,
  });
  const told = (await two.read.select().from(events)).filter((event) => event.callUuid === uuid);
  expect(told.map(({ type }) => type)).toEqual(["call.failed", "transcript.completed"]);
  expect(JSON.parse(told[1]?.body ?? "{}").data).toEqual({
    call_id: uuid,
    transcript: "Agent: Hello.\nCustomer: Hi.",
    summary: null,
    language: "en",
  });
  const facts = { callUuid: uuid, endedReason: "interrupted", answeredMs: 20_000 };
  expect(toldOf).toEqual([
    expect.objectContaining({ ...facts, transcript: "Agent: Hello.\nCustomer: Hi." }),
  ]);
  expect(await two.read.select().from(holds)).toEqual([]);
  expect(await verifyLedger(billingStores(two.read))).toEqual([]);

  // The dead node restarts: nothing is ended again, and its recording is repaired and encoded.
  expect(await recoverCalls(node("A", one, a))).toBe(0);
  await eventually(async () => (await rowOf(uuid))?.recordingStatus === "ready", "it is encoded");
  expect(await rowOf(uuid)).toMatchObject({ recordingMs: 1000, recordingFile: `${uuid}.mp3` });
  expect(existsSync(join(directory, "A", `${uuid}.mp3`))).toBe(true);
});

test("a recording not processed by its node for a day is given up: its mail goes without it", async () => {
  const [a, b] = [fakeClock(), fakeClock(0)];
  const mailed: MailDraft[] = [];
  const mails = {
    enqueue: async (_: unknown, __: number, mail: MailDraft) => void mailed.push(mail),
    wake: () => undefined,
  };
  let looks = 0;
  const counted = (queries: Queries): CallRecords => ({
    ...callStores.calls(queries),
    leftLive() {
      looks++;
      return callStores.calls(queries).leftLive();
    },
  });
  const stores = { ...callStores, calls: counted };
  const watcher = { ...node("B", two, b), mails, stores } as unknown as CallContext;
  const transcriptEmail = "desk@clinic.example";
  const agentId = await insertAgent(one, tenantId, {
    transcriptEmail,
    transcriptEmailEnabled: true,
  });
  const uuid = await liveCall(node("A", one, a));
  await one.tx(async (queries) => {
    await queries.update(calls).set({ agentId }).where(eq(calls.callUuid, uuid));
    const left = { status: "processing", file: `${uuid}.wav` } as const;
    await callStore(queries).setRecording(tenantId, uuid, left);
    await queries.update(calls).set({ status: "failed" }).where(eq(calls.callUuid, uuid));
  });
  const watch = watchLeftCalls(watcher);
  const startedAt = b.now();
  await lookWhole(b, () => looks);
  await b.advance(LOST_AFTER_MS - 60_000 - (b.now() - startedAt));
  await pass(b, 5_000);
  expect((await rowOf(uuid))?.recordingStatus).toBe("processing");
  expect(mailed).toEqual([]);
  await eventually(async () => {
    await pass(b, 20_000);
    return (await rowOf(uuid))?.recordingStatus === "failed";
  }, "it is given up");
  await lookWhole(b, () => looks);
  watch.cancel();
  expect(mailed).toMatchObject([{ recipient: transcriptEmail, callUuid: uuid, attachment: null }]);
});

test("a call with heartbeats continues, even if another node's clock is years off", async () => {
  const [a, b] = [fakeClock(), fakeClock(0)];
  const [carrier, other] = [node("A", one, a), node("B", two, b)];
  const uuid = await liveCall(carrier);
  const watch = watchLeftCalls(other);
  await pass(b, 150_000, async () => {
    await a.advance(5_000);
    const open = await one.tx((queries) => callStore(queries).heartbeat([uuid], a.now()));
    expect(open.has(uuid)).toBe(true);
  });
  watch.cancel();
  expect((await rowOf(uuid))?.status).toBe("in_progress");
  await one.tx((queries) => carrier.billing.settle(queries, tenantId, uuid, 1, microEur(0)));
  await one.tx((queries) =>
    queries
      .update(calls)
      .set({ status: "completed", endedReason: "caller_hangup" })
      .where(eq(calls.callUuid, uuid)),
  );
});

for (const how of ["refuses", "does not answer"] as const)
  test(`a store that ${how} for 70 s ends no call: only missing heartbeats seen afterwards count`, async () => {
    const [a, b] = [fakeClock(), fakeClock(0)];
    const uuid = await liveCall(node("A", one, a));
    const context = node("B", two, b);
    let away: Promise<void> | null = null;
    const reads = (queries: Queries): CallRecords => ({
      ...callStores.calls(queries),
      async leftLive() {
        if (away && how === "refuses") throw new Error("the store is away");
        await away;
        return await callStores.calls(queries).leftLive();
      },
    });
    const stores = { ...callStores, calls: reads };
    const watch = watchLeftCalls({ ...context, stores });
    await pass(b, 20_000);
    const back = Promise.withResolvers<void>();
    away = back.promise;
    await pass(b, 70_000);
    away = null;
    back.resolve();
    // The other node's heartbeat waits in a queue.
    await pass(b, 50_000);
    expect((await rowOf(uuid))?.status).toBe("in_progress");
    await pass(b, 30_000);
    await eventually(async () => {
      await pass(b, 10_000);
      return (await rowOf(uuid))?.status === "failed";
    }, "without any heartbeat it is ended after all");
    watch.cancel();
  });

test("a heartbeat that arrives during recovery saves the call", async () => {
  const [a, b] = [fakeClock(), fakeClock(0)];
  const uuid = await liveCall(node("A", one, a));
  const context = node("B", two, b);
  let beats = 0;
  /** Order: the query is answered, then the heartbeat is stored, then the call would be ended. */
  const late = async <Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> => {
    await one.tx((own) => callStore(own).heartbeat([uuid], a.now() + ++beats * 5_000));
    return await two.tx(work);
  };
  const watch = watchLeftCalls({ ...context, database: { ...two, read: two.read, tx: late } });
  await eventually(async () => {
    await pass(b, 10_000);
    return beats >= 2;
  }, "the call would have been ended twice");
  watch.cancel();
  expect((await rowOf(uuid))?.status).toBe("in_progress");
});

test("a suspended node learns from its heartbeat that its call has ended, and cannot revive it", async () => {
  const a = fakeClock();
  const uuid = await liveCall(node("A", one, a));
  await two.tx((queries) =>
    queries
      .update(calls)
      .set({ status: "failed", endedReason: "interrupted" })
      .where(eq(calls.callUuid, uuid)),
  );
  const open = await one.tx((queries) => callStore(queries).heartbeat([uuid], a.now()));
  expect(open.has(uuid)).toBe(false);
  await one.tx((queries) => callStore(queries).markAnswered(tenantId, uuid, a.now(), true));
  expect((await rowOf(uuid))?.status).toBe("failed");
});

test("a starting node ends its own calls, not those of another node", async () => {
  const clock = fakeClock();
  const foreign = await liveCall(node("A", one, clock));
  const own = await liveCall(node("C", one, clock));
  expect(await recoverCalls(node("C", two, clock))).toBe(1);
  expect([(await rowOf(own))?.status, (await rowOf(foreign))?.status]).toEqual([
    "failed",
    "in_progress",
  ]);
});
