/** A call's end: its retries, the wait for knowledge sources, and the queued mail. */
import { expect, test } from "bun:test";
import { finishCall } from "../../../src/call/ended/finish.ts";
import { silentLog } from "../../../src/core/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type Arguments = Parameters<typeof finishCall>;

/** `isMailed`: its transaction has queued a mail. */
function world(failures: number, isMailed = true) {
  const clock = fakeClock();
  const triedAtMs: number[] = [];
  let wakes = 0;
  const wake = () => void wakes++;
  const context = {
    clock,
    log: silentLog,
    events: { wake },
    callers: { wake },
    mails: { wake },
    database: {
      async tx() {
        triedAtMs.push(clock.elapsedMs);
        if (triedAtMs.length <= failures) throw new Error("the store is away");
        return { isMailed };
      },
    },
  } as unknown as Arguments[0];
  const call = { tenantId: 1, callUuid: "c" } as unknown as Arguments[1];
  const state = { answeredMs: 0, ending: { reason: "busy" } } as unknown as Arguments[2];
  let outcome = "";
  finishCall(context, call, state, null).then(
    () => {
      outcome = "stored";
    },
    () => {
      outcome = "given up";
    },
  );
  const pass = async (ms: number) => {
    await clock.advance(ms);
    await Bun.sleep(0);
  };
  return { pass, triedAtMs, outcome: () => outcome, wakes: () => wakes };
}

test("is tried five times, after pauses of 1, 2, 4 and 8 seconds", async () => {
  const { pass, triedAtMs, outcome, wakes } = world(5);
  for (const seconds of [0, 1, 2, 4, 8, 60]) await pass(seconds * 1_000);
  expect(triedAtMs).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  expect([outcome(), wakes()]).toEqual(["given up", 0]);
});

test.each([0, 1, 4])(
  "after %d failures it is stored, and its waiters are woken",
  async (failures) => {
    const { pass, triedAtMs, outcome, wakes } = world(failures);
    await pass(0);
    for (const seconds of [1, 2, 4, 8]) await pass(seconds * 1_000);
    expect([triedAtMs.length, outcome(), wakes()]).toEqual([failures + 1, "stored", 3]);
  },
);

test("without a queued mail, the mail queue is not woken", async () => {
  const { pass, outcome, wakes } = world(0, false);
  await pass(0);
  expect([outcome(), wakes()]).toEqual(["stored", 2]);
});

const TURNS = [
  { speaker: "customer", text: "When are you open?" },
  { speaker: "agent", text: "We open at nine." },
];

test("it waits at most 3 seconds for the sources of its answers", async () => {
  const clock = fakeClock();
  const storedAtMs: number[] = [];
  const wake = () => undefined;
  const context = {
    clock,
    log: silentLog,
    events: { wake },
    callers: { wake },
    mails: { wake },
    knowledgeIndex: { sourcesOf: () => new Promise(() => undefined) },
    database: { tx: async () => ({ isMailed: storedAtMs.push(clock.elapsedMs) === 0 }) },
  } as unknown as Arguments[0];
  const channel = {
    close: async () => ({ turns: TURNS }),
    knowledgeScope: { tenantId: 1, files: [{ id: 1, filename: "a.md", format: "md", version: 1 }] },
  } as unknown as Arguments[3];
  const call = { tenantId: 1, callUuid: "c" } as unknown as Arguments[1];
  const state = { answeredMs: 0, ending: { reason: "busy" } } as unknown as Arguments[2];
  const finished = finishCall(context, call, state, channel);
  await Bun.sleep(0);
  await clock.advance(2_999);
  await Bun.sleep(0);
  expect(storedAtMs).toEqual([]);
  await clock.advance(1);
  await finished;
  expect(storedAtMs).toEqual([3_000]);
});

const NO_PRICES = {
  sttPerMinute: 0,
  ttsPerMillionCharacters: 0,
  embeddingPerMillionTokens: 0,
  llmInputPerMillionTokens: 0,
  llmOutputPerMillionTokens: 0,
  trunkPerMinute: 0,
};

/** Mails queued at the end of a call without a recording, and its events. */
async function endOf(answeredMs: number) {
  const mails: { readonly attachment: unknown }[] = [];
  const events: { readonly type: string; readonly data: object }[] = [];
  const done = async () => undefined;
  const row = { id: 5, tenantId: 1, callUuid: "c", agentId: 7, direction: "inbound" };
  const stored = { ...row, fromNumber: "+37060000001", createdAt: 0, answeredAt: 0 };
  const mailed = { transcriptEmailEnabled: true, transcriptEmail: "desk@clinic.example" };
  const agent = { name: "A", language: "en", ...mailed };
  const fails = (_: string, { error }: { readonly error: unknown }) => {
    throw new Error(String(error));
  };
  const context = {
    clock: fakeClock(),
    recordingsInWork: new Set(),
    log: { ...silentLog, error: fails },
    settings: { recordingsDir: "/nowhere", prices: NO_PRICES },
    database: { tx: (work: (queries: object) => Promise<void>) => work({}), read: {} },
    stores: {
      calls: () => ({
        findEnding: async () => ({ call: stored }),
        find: async () => stored,
        finish: done,
        turns: async () => [],
      }),
      setup: () => ({ agent: async () => agent, tenant: async () => ({ timeZone: "UTC" }) }),
      notes: () => ({ of: async () => [] }),
    },
    billing: { settle: async () => ({ cost: 0 }) },
    events: {
      emit: async (_: unknown, __: unknown, ...emitted: typeof events) => events.push(...emitted),
      wake: () => undefined,
    },
    callers: { ended: done, wake: () => undefined },
    mails: {
      enqueue: async (_: unknown, __: unknown, mail: (typeof mails)[number]) => mails.push(mail),
      wake: () => undefined,
    },
  } as unknown as Arguments[0];
  const call = { tenantId: 1, callUuid: "c", direction: "inbound" } as unknown as Arguments[1];
  const ending = { status: "completed", reason: "caller_hangup" };
  const state = { answeredMs, sinceAnswerMs: answeredMs, ending } as unknown as Arguments[2];
  await finishCall(context, call, state, null);
  return { mails: mails.map(({ attachment }) => attachment), events };
}

test("an answered call without a recording is mailed at its end; an unanswered one is not", async () => {
  expect((await endOf(20_000)).mails).toEqual([null]);
  expect((await endOf(0)).mails).toEqual([]);
});

test("a missing transcript and a missing summary are null, as in the REST answer", async () => {
  const { events } = await endOf(20_000);
  expect(events.find(({ type }) => type === "transcript.completed")?.data).toMatchObject({
    transcript: null,
    summary: null,
  });
});
