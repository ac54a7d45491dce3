/** How many trial conversations run, how long, and what the browser's line is told. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../../src/core/log.ts";
import { systemRandom } from "../../../../src/core/random.ts";
import { createWebCalls } from "../../../../src/domain/call/web/web-call.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

function world(maxDurationSeconds = 3_600) {
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
  const calls = createWebCalls({
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
          return { summary: "" };
        },
      }),
    },
  } as unknown as Parameters<typeof createWebCalls>[0]);
  const listener = {
    event: (event: object) => void events.push({ ...event }),
    audio: () => undefined,
  };
  const start = (tenantId: number) =>
    calls.start(tenantId, 1, 8_000, listener as Parameters<typeof calls.start>[3]);
  return { clock, events, sent, closed, listeners, start, calls };
}
const full = { code: "plan_limit_reached" };

test("a tenant tries three agents at once, all tenants together ten", async () => {
  const { start } = world();
  const first = await start(1);
  for (let count = 2; count <= 3; count++) await start(1);
  await expect(start(1)).rejects.toMatchObject(full);
  for (const tenantId of [2, 2, 2, 3, 3, 3, 4]) await start(tenantId);
  await expect(start(5)).rejects.toMatchObject(full);
  first.stop();
  await Bun.sleep(0); // it has ended
  await start(5);
});

test("a trial without a summary ends with null", async () => {
  const { events, start } = world();
  (await start(1)).stop();
  await Bun.sleep(0);
  expect(events.at(-1)).toEqual({ type: "ended", reason: "caller_hangup", summary: null });
});

test("a trial lasts as long as the agent says, ten minutes at most", async () => {
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

test("the agent speaks until fifteen frames of silence have passed; below 8 it is silent", async () => {
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

test("four seconds after a transfer is said the talk is over", async () => {
  const { clock, closed, events, listeners, start } = world();
  await start(1);
  listeners.get("transfer_requested")?.({ target: "+37060000001" });
  await clock.advance(3_999);
  expect([events, closed]).toEqual([[{ type: "transfer", target: "+37060000001" }], []]);
  await clock.advance(1);
  expect(closed).toEqual(["transferred"]);
});
