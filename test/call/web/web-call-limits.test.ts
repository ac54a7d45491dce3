/** Limits of trial conversations: number, length, and the audio format of the browser's line. */
import { expect, test } from "bun:test";
import { createWebCalls } from "../../../src/call/web/web-call.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import type { TrialMeter, TrialUse } from "../../../src/features/billing/trials.ts";
import { NO_USAGE } from "../../../src/worker/empty-report.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world(maxDurationSeconds = 3_600, trials?: TrialMeter) {
  const clock = fakeClock();
  const events: Record<string, unknown>[] = [];
  const sent: unknown[][] = [];
  const closed: string[] = [];
  const listeners = new Map<string, (event: object) => void>();
  const setup = () => ({
    tenant: async (id: number) => ({ id, name: "A", timeZone: "UTC", suspended: false }),
    agent: async () => ({
      id: 1,
      voice: "Sari",
      language: "en",
      fillerPhrases: "",
      maxDurationSeconds,
    }),
    agentContext: async () => ({ files: [], tools: [], disclosure: null }),
  });
  const ports = {
    clock,
    random: systemRandom,
    log: silentLog,
    database: { read: {} },
    stores: { setup },
    settings: { rtpHost: "127.0.0.1", voiceAliases: {}, callerTagKey: new Uint8Array(32) },
    media: {
      open: async () => ({
        on: (name: string, listener: (event: object) => void) => void listeners.set(name, listener),
        send: (...message: unknown[]) => void sent.push(message),
        async close(reason: string) {
          closed.push(reason);
          return { summary: "", usage: NO_USAGE };
        },
      }),
    },
  } as unknown as Parameters<typeof createWebCalls>[0];
  const calls = createWebCalls(ports, () => false, trials);
  const listener = {
    event: (event: object) => void events.push({ ...event }),
    audio: () => undefined,
  };
  const start = (tenantId: number) =>
    calls.start(tenantId, 1, 8_000, listener as Parameters<typeof calls.start>[3]);
  return { clock, events, sent, closed, listeners, start, calls };
}
const full = { code: "plan_limit_reached" };

test("a company may try three agents at once; with more than ten in all only its first", async () => {
  const { start } = world();
  const first = await start(1);
  for (let count = 2; count <= 3; count++) await start(1);
  await expect(start(1)).rejects.toMatchObject(full);
  for (const tenantId of [2, 2, 2, 3, 3, 3, 4]) await start(tenantId);
  await expect(start(4)).rejects.toMatchObject(full);
  await start(5);
  await expect(start(5)).rejects.toMatchObject(full);
  first.stop();
  await Bun.sleep(0); // it has ended
  await expect(start(5)).rejects.toMatchObject(full);
  for (let tenantId = 6; tenantId <= 45; tenantId++) await start(tenantId);
  await expect(start(46)).rejects.toMatchObject(full);
});

test("a trial without a summary ends with null", async () => {
  const { events, start } = world();
  (await start(1)).stop();
  await Bun.sleep(0);
  expect(events.at(-1)).toEqual({ type: "ended", reason: "caller_hangup", summary: null });
});

test("a trial lasts as long as the agent allows, at most ten minutes", async () => {
  for (const [agentSeconds, seconds] of [
    [30, 30],
    [3_600, 600],
  ] as const) {
    const { clock, closed, start } = world(agentSeconds);
    await start(1);
    await clock.advance(seconds * 1_000 - 1);
    expect(closed).toEqual([]);
    await clock.advance(1);
    expect(closed).toEqual(["max_duration"]);
  }
});

test("the line is A-law in frames of 20 ms", async () => {
  const { sent, start } = world();
  await start(1);
  expect(sent[0]).toMatchObject([
    "connect",
    {
      ptimeMs: 20,
      direction: "sendrecv",
      telephoneEvent: null,
      codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
    },
  ]);
  expect(sent[1]).toEqual(["answered"]);
});

test("the agent counts as speaking until fifteen frames of silence; samples below 8 are silence", async () => {
  const { events, listeners, start } = world();
  await start(1);
  const play = (level: number) =>
    listeners.get("audio_out")?.({ pcm: new Int16Array(160).fill(level) });
  for (let frame = 0; frame < 20; frame++) play(7);
  expect(events).toEqual([]);
  play(-8);
  for (let frame = 0; frame < 14; frame++) play(0);
  expect(events).toEqual([{ type: "state", state: "speaking" }]);
  play(0);
  expect(events.slice(1)).toEqual([{ type: "state", state: "listening" }]);
});

test("four seconds after the announcement of a transfer the conversation ends", async () => {
  const { clock, closed, events, listeners, start } = world();
  await start(1);
  listeners.get("transfer_requested")?.({ target: "+37060000001" });
  await clock.advance(3_999);
  expect([events, closed]).toEqual([[{ type: "transfer", target: "+37060000001" }], []]);
  await clock.advance(1);
  expect(closed).toEqual(["transferred"]);
});

test("a conversation is billed during it and at its end, and ends with the money", async () => {
  const recorded: TrialUse[] = [];
  let hasMoney = true;
  const { clock, closed, listeners, start } = world(600, {
    async require() {
      if (!hasMoney) throw new AppError({ code: "insufficient_balance", publicMessage: "Empty." });
    },
    record: async (_, use) => void recorded.push(use),
  });
  await start(1);
  const heartbeat = async (llmInputTokens: number) => {
    listeners.get("heartbeat")?.({ usage: { ...NO_USAGE, llmInputTokens } });
    await Bun.sleep(0);
  };
  await clock.advance(14_000);
  await heartbeat(100);
  expect(recorded).toEqual([]);
  await clock.advance(1_000);
  await heartbeat(150);
  expect(recorded).toMatchObject([{ durationMs: 15_000, llmInputTokens: 150 }]);
  hasMoney = false;
  await clock.advance(15_000);
  await heartbeat(400);
  expect(recorded[1]).toMatchObject({ durationMs: 15_000, llmInputTokens: 250 });
  expect(closed).toEqual(["balance_exhausted"]);
  await expect(start(1)).rejects.toMatchObject({ code: "insufficient_balance" });
});
