import { expect, test } from "bun:test";
import { CallWorkerDied } from "../../src/call/media-port.ts";
import type { TurnRecord } from "../../src/conversation/call-report.ts";
import { type Log, silentLog } from "../../src/core/log.ts";
import type { WorkerHandle } from "../../src/core/worker-handle.ts";
import type { FromSpeechWorker } from "../../src/engine/embedded/speech-messages.ts";
import { EMBEDDED_ONLY, type EngineSettings } from "../../src/engine/settings.ts";
import { createCallWorkerPool, slicePorts } from "../../src/worker/call-worker-pool.ts";
import { EMPTY_REPORT } from "../../src/worker/empty-report.ts";
import type { FromCallWorker, ToCallWorker } from "../../src/worker/messages.ts";
import { realtimeChoice, sameForAllParts } from "../support/engine/engine-session.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { callConfig, SETTINGS } from "../support/media/scripted-call.ts";

/** A thread that answers as the protocol says, unless its script says otherwise. */
class ScriptedWorker extends EventTarget {
  readonly received: ToCallWorker[] = [];
  terminated = false;
  /** Messages that it does not answer. */
  deafTo = new Set<ToCallWorker["type"]>();

  postMessage(message: ToCallWorker): void {
    this.received.push(message);
    if (this.deafTo.has(message.type)) return;
    if (message.type === "init") this.say({ type: "ready", args: [] });
    if (message.type === "ping") this.say({ type: "pong", args: [] });
    if (message.type === "open") {
      const [{ callId }] = message.args;
      this.say({ type: "opened", args: [callId, 10_000] });
    }
    if (message.type === "openChat") {
      const [{ callId }] = message.args;
      this.say({ type: "chatOpened", args: [callId, "Hello."] });
    }
    if (message.type === "close") {
      const [callId, reason] = message.args;
      const report = { ...EMPTY_REPORT, summary: `closed: ${reason}` };
      this.say({ type: "closed", args: [callId, report] });
    }
  }

  say(data: FromCallWorker): void {
    queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data })));
  }

  /** Sends a message as a speech worker does. */
  tell(data: FromSpeechWorker): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  die(): void {
    this.dispatchEvent(new Event("close"));
  }

  terminate(): void {
    this.terminated = true;
  }

  get calls(): number {
    return this.received.filter((message) => message.type === "open").length;
  }
}

const PROVIDER: EngineSettings = {
  ...EMBEDDED_ONLY,
  label: "realtime",
  providers: sameForAllParts([realtimeChoice("wss://provider.example/v1")]),
};

const asWorker = (worker: ScriptedWorker) => worker as unknown as WorkerHandle;
const turn: TurnRecord = {
  index: 0,
  speaker: "agent",
  text: "Hello.",
  startMs: 0,
  endMs: 900,
  interrupted: false,
  latencyMs: null,
};
const at = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
};

async function scriptedPool(
  workers = 2,
  clock: FakeClock = fakeClock(),
  engine: EngineSettings = EMBEDDED_ONLY,
  log: Log = silentLog,
) {
  const callWorkers: ScriptedWorker[] = [];
  const speechWorkers: ScriptedWorker[] = [];
  const spawn = (list: ScriptedWorker[]) => () => {
    const worker = new ScriptedWorker();
    list.push(worker);
    return asWorker(worker);
  };
  const pool = await createCallWorkerPool({
    workers,
    spawnCallWorker: spawn(callWorkers),
    spawnSpeechWorker: spawn(speechWorkers),
    settings: {
      rtpPorts: { first: 20_001, last: 20_021 },
      rtpTimeoutMs: 20_000,
      holdTimeoutMs: 1_800_000,
      jitterMsMax: 200,
      engine,
      conversation: SETTINGS,
    },
    clock,
    log,
  });
  const brief = (callId: string) => ({ ...callConfig(), callId });
  return { pool, clock, callWorkers, speechWorkers, brief };
}

test("the RTP port range is split into whole pairs, none shared, none beyond the range", () => {
  expect(slicePorts({ first: 20_001, last: 20_021 }, 2)).toEqual([
    { first: 20_002, last: 20_011 },
    { first: 20_012, last: 20_021 },
  ]);
  expect(slicePorts({ first: 10_000, last: 10_006 }, 2)).toEqual([
    { first: 10_000, last: 10_001 },
    { first: 10_002, last: 10_005 },
  ]);
  expect(() => slicePorts({ first: 10_000, last: 10_003 }, 3)).toThrow(RangeError);
});

test("late and lost utterances are counted over all workers", async () => {
  const { pool, speechWorkers } = await scriptedPool();
  at(speechWorkers, 0).tell({ type: "load", event: "waited" });
  at(speechWorkers, 1).tell({ type: "load", event: "waited" });
  at(speechWorkers, 1).tell({ type: "load", event: "lost" });
  expect(pool.speechLoad).toEqual({ waited: 2, lost: 1 });
  await pool.shutdown();
});

test("if more utterances than two per thread wait within ten seconds, `tooManyTalk` is true", async () => {
  const { pool, clock, speechWorkers } = await scriptedPool();
  const wait = () => at(speechWorkers, 1).tell({ type: "load", event: "waited" });
  for (let utterance = 1; utterance <= 8; utterance++) wait();
  expect(pool.tooManyTalk).toBe(false);
  wait();
  expect(pool.tooManyTalk).toBe(true);
  await clock.advance(10_000);
  expect(pool.tooManyTalk).toBe(true);
  await clock.advance(1);
  expect(pool.tooManyTalk).toBe(false);
  wait();
  expect(pool.tooManyTalk).toBe(false);
  await pool.shutdown();
});

test("a failed recogniser is logged, and calls continue", async () => {
  const lines: unknown[] = [];
  const log: Log = { ...silentLog, warn: (event, fields) => lines.push([event, fields]) };
  const { pool, speechWorkers, brief } = await scriptedPool(1, undefined, undefined, log);
  at(speechWorkers, 0).tell({ type: "hearing_failed", detail: "no memory" });
  expect(lines).toEqual([["speech_recognition.failed", { detail: "no memory" }]]);
  await pool.open(brief("a"));
  await pool.shutdown();
});

test("calls are spread over the workers, the least loaded first", async () => {
  const { pool, callWorkers, brief } = await scriptedPool();
  const first = await pool.open(brief("a"));
  await pool.open(brief("b"));
  expect(callWorkers.map((worker) => worker.calls)).toEqual([1, 1]);
  await first.close("caller_hangup");
  await pool.open(brief("c"));
  expect(callWorkers.map((worker) => worker.calls)).toEqual([2, 1]);
  expect(pool.liveCalls).toBe(2);
  await pool.shutdown();
});

test("chats and browser calls share one worker without RTP, and phone calls never run in it", async () => {
  const { pool, callWorkers, speechWorkers, brief } = await scriptedPool();
  const chat = await pool.openChat(brief("chat"), []);
  await pool.openChat(brief("another chat"), []);
  await pool.open({ ...brief("talk"), browser: { sampleRateHz: 8000 } });
  for (let index = 0; index < pool.capacity; index++) await pool.open(brief(`call-${index}`));
  expect(callWorkers).toHaveLength(3);
  const trials = at(callWorkers, 2);
  const opened = trials.received.flatMap((message) =>
    message.type === "open" || message.type === "openChat" ? [message.args[0].callId] : [],
  );
  expect(opened).toEqual(["chat", "another chat", "talk"]);
  const [init] = trials.received;
  expect(init?.type === "init" && init.args[0].rtpPorts).toEqual({ first: 1, last: 0 });
  expect(speechWorkers).toHaveLength(2);
  expect(chat.opening).toBe("Hello.");
  await pool.shutdown();
  expect(trials.terminated).toBe(true);
});

test("when the chat worker dies, calls continue, and the next chat has a new worker", async () => {
  const { pool, clock, callWorkers, speechWorkers, brief } = await scriptedPool(1);
  const failures: string[] = [];
  const call = await pool.open(brief("call"));
  call.on("failed", (event) => failures.push(event.detail));
  await pool.openChat(brief("chat"), []);
  at(callWorkers, 1).die();
  await clock.advance(1_000);
  await pool.openChat(brief("next"), []);
  expect(at(callWorkers, 2).received.at(-1)?.type).toBe("openChat");
  expect(failures).toEqual([]);
  expect(speechWorkers).toHaveLength(1);
  await pool.shutdown();
});

test("the chat worker gets a new port when its shared speech worker is replaced", async () => {
  const { pool, clock, callWorkers, speechWorkers, brief } = await scriptedPool(1);
  await pool.openChat(brief("chat"), []);
  at(speechWorkers, 0).die();
  await clock.advance(1_000);
  expect(at(callWorkers, 1).received.at(-1)?.type).toBe("useSpeechPort");
  await pool.shutdown();
});

test("a full port range refuses the next call instead of queueing it", async () => {
  const { pool, brief } = await scriptedPool(1);
  for (let index = 0; index < pool.capacity; index++) await pool.open(brief(`call-${index}`));
  expect(pool.open(brief("one too many"))).rejects.toMatchObject({ code: "unavailable" });
  await pool.shutdown();
});

test("a dying worker fails its own calls only, and is replaced with its speech worker", async () => {
  const { pool, clock, callWorkers, speechWorkers, brief } = await scriptedPool();
  const lost = await pool.open(brief("lost"));
  const kept = await pool.open(brief("kept"));
  const failures: string[] = [];
  lost.on("failed", (event) => failures.push(`lost ${event.reason}`));
  kept.on("failed", (event) => failures.push(`kept ${event.reason}`));
  at(callWorkers, 0).say({ type: "event", args: ["lost", { type: "turn", turn }] });
  await clock.advance(0);
  at(callWorkers, 0).die();
  expect(failures).toEqual(["lost interrupted"]);
  const report = await lost.close("interrupted");
  expect(report.turns).toEqual([turn]);
  expect(at(speechWorkers, 0).terminated).toBe(true);
  await clock.advance(10);
  expect(callWorkers).toHaveLength(3);
  expect(speechWorkers).toHaveLength(3);
  await pool.open(brief("new"));
  expect(at(callWorkers, 2).calls).toBe(1);
  await pool.shutdown();
});

test("a call being opened when its worker dies fails with that reason; until a new one is ready, others are refused", async () => {
  const { pool, clock, callWorkers, brief } = await scriptedPool(1);
  at(callWorkers, 0).deafTo.add("open");
  const opening = pool.open(brief("a"));
  expect(pool.rejection).toBeNull();
  at(callWorkers, 0).die();
  expect(await opening.catch((error: unknown) => error)).toBeInstanceOf(CallWorkerDied);
  expect(pool.rejection).toBe("The call workers are starting. Try again in a moment.");
  await clock.advance(10);
  expect(pool.rejection).toBeNull();
  await pool.shutdown();
});

test("a call being closed when its worker dies still gets its report", async () => {
  const { pool, callWorkers, brief } = await scriptedPool(1);
  const channel = await pool.open(brief("a"));
  at(callWorkers, 0).deafTo.add("close");
  const closing = channel.close("caller_hangup");
  at(callWorkers, 0).die();
  expect(await closing).toEqual(EMPTY_REPORT);
  await pool.shutdown();
});

test("with an unresponsive worker, open fails and close returns a report within a time limit", async () => {
  const { pool, clock, callWorkers, brief } = await scriptedPool(1);
  const worker = at(callWorkers, 0);
  const channel = await pool.open(brief("a"));
  worker.deafTo.add("open").add("close");
  const opening = pool.open(brief("b"));
  const closing = channel.close("caller_hangup");
  opening.catch(() => {});
  await clock.advance(10_000);
  expect(await closing).toEqual(EMPTY_REPORT);
  await clock.advance(10_000);
  await expect(opening).rejects.toMatchObject({ code: "unavailable" });
  expect(pool.liveCalls).toBe(0);
  await pool.shutdown();
});

test("a dead speech worker is replaced and its call worker gets the new port", async () => {
  const { pool, clock, callWorkers, speechWorkers, brief } = await scriptedPool(1);
  const channel = await pool.open(brief("a"));
  const failures: string[] = [];
  channel.on("failed", (event) => failures.push(event.detail));
  at(speechWorkers, 0).die();
  await clock.advance(1_000);
  expect(speechWorkers).toHaveLength(2);
  expect(at(callWorkers, 0).received.at(-1)?.type).toBe("useSpeechPort");
  expect(failures).toEqual([]);
  await pool.shutdown();
});

test.each([
  ["a provider's engine needs none: calls go on, and nothing is stuck", PROVIDER, true],
  ["the embedded engine cannot do without", EMBEDDED_ONLY, false],
])("while a speech worker cannot start: %s", async (_, engine, works) => {
  const { pool, clock, callWorkers, speechWorkers, brief } = await scriptedPool(
    1,
    undefined,
    engine,
  );
  for (let death = 0; death < 3; death++) {
    at(speechWorkers, speechWorkers.length - 1).die();
    expect(await pool.answers()).toBe(works);
    const opened = pool.open(brief(`call-${death}`)).then(
      () => true,
      () => false,
    );
    expect(await opened).toBe(works);
    await clock.advance(1_000);
  }
  at(callWorkers, 0).deafTo.add("ping");
  const silent = pool.answers();
  await clock.advance(5_000);
  expect(await silent).toBe(false);
  await pool.shutdown();
});

test("a pool for a provider's engine starts without speech workers", async () => {
  const clock = fakeClock();
  const pool = await createCallWorkerPool({
    workers: 1,
    clock,
    log: silentLog,
    spawnCallWorker: () => asWorker(new ScriptedWorker()),
    spawnSpeechWorker() {
      const worker = new ScriptedWorker();
      worker.deafTo.add("init");
      return asWorker(worker);
    },
    settings: {
      rtpPorts: { first: 20_000, last: 20_009 },
      rtpTimeoutMs: 20_000,
      holdTimeoutMs: 1_800_000,
      jitterMsMax: 200,
      engine: PROVIDER,
      conversation: SETTINGS,
    },
  });
  await clock.advance(60_000);
  expect(await pool.answers()).toBe(true);
  await pool.shutdown();
});

test("workers that keep dying are replaced more and more slowly", async () => {
  const { pool, clock, callWorkers } = await scriptedPool(1);
  for (let death = 0; death < 20; death++) {
    at(callWorkers, callWorkers.length - 1).deafTo.add("init");
    at(callWorkers, callWorkers.length - 1).die();
    await clock.advance(1_000);
  }
  expect(callWorkers.length).toBeLessThan(40);
  await pool.shutdown();
});

/** Starts a pool whose workers do not answer until the test lets them. */
function lateWorkers(clock: FakeClock, processorWaitMs?: () => number) {
  const workers: ScriptedWorker[] = [];
  const spawn = () => {
    const worker = new ScriptedWorker();
    worker.deafTo.add("init");
    workers.push(worker);
    return asWorker(worker);
  };
  const starting = createCallWorkerPool({
    workers: 1,
    spawnCallWorker: spawn,
    spawnSpeechWorker: spawn,
    settings: {
      rtpPorts: { first: 20_000, last: 20_009 },
      rtpTimeoutMs: 20_000,
      holdTimeoutMs: 1_800_000,
      jitterMsMax: 200,
      engine: EMBEDDED_ONLY,
      conversation: SETTINGS,
    },
    clock,
    log: silentLog,
    ...(processorWaitMs ? { processorWaitMs } : {}),
  });
  starting.catch(() => {});
  return { workers, starting };
}

test("a pool fails if its workers do not start, and leaves none behind", async () => {
  const clock = fakeClock();
  const { workers, starting } = lateWorkers(clock);
  await clock.advance(30_000);
  await expect(starting).rejects.toMatchObject({ code: "unavailable" });
  expect(workers.every((worker) => worker.terminated)).toBe(true);
  expect(clock.pendingTimers).toBe(0);
});

test.each([
  { share: 0.49, isRefused: true },
  { share: 0.5, isRefused: false },
  { share: 12, isRefused: false },
])(
  "workers whose threads waited for a processor for $share of the time are refused: $isRefused",
  async ({ share, isRefused }) => {
    const clock = fakeClock();
    const { workers, starting } = lateWorkers(clock, () => share * clock.elapsedMs);
    await clock.advance(100_000);
    expect(workers.length).toBe(2);
    if (isRefused) return await expect(starting).rejects.toMatchObject({ code: "unavailable" });
    at(workers, 0).say({ type: "ready", args: [] });
    at(workers, 1).tell({ type: "ready", startMs: 100_000 });
    await clock.advance(1);
    const pool = await starting;
    expect(pool.capacity).toBe(5);
    await pool.shutdown();
    expect(clock.pendingTimers).toBe(0);
  },
);

test("a worker without CPU at first that then hangs is given up", async () => {
  const clock = fakeClock();
  const { starting } = lateWorkers(clock, () => Math.min(clock.elapsedMs, 30_000));
  await clock.advance(59_999);
  const state = await Promise.race([starting.catch(() => "refused"), "waits"]);
  expect(state).toBe("waits");
  await clock.advance(1);
  await expect(starting).rejects.toMatchObject({ code: "unavailable" });
});

test("shutdown closes open calls and ends the workers", async () => {
  const { pool, callWorkers, speechWorkers, clock, brief } = await scriptedPool();
  const channel = await pool.open(brief("a"));
  await pool.shutdown();
  expect((await channel.close("caller_hangup")).summary).toBe("closed: interrupted");
  expect([...callWorkers, ...speechWorkers].every((worker) => worker.terminated)).toBe(true);
  expect(clock.pendingTimers).toBe(0);
  await expect(pool.open(brief("b"))).rejects.toMatchObject({ code: "unavailable" });
});
