/** How often live calls send heartbeats, and which of them end as a result. */
import { expect, test } from "bun:test";
import { startHeartbeat } from "../../../src/call/recovery/heartbeat.ts";
import { silentLog } from "../../../src/core/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world(uuids: readonly string[]) {
  const clock = fakeClock();
  const ended: string[] = [];
  const beats: [readonly string[], number][] = [];
  const open = new Set(uuids);
  const registry = {
    all: uuids.map((callUuid) => ({
      identity: { callUuid },
      isLive: !callUuid.startsWith("over"),
      end: () => void ended.push(callUuid),
    })),
  };
  const heartbeat = async (beating: readonly string[], nowMs: number) => {
    beats.push([beating, nowMs]);
    return open;
  };
  const timer = startHeartbeat({
    registry,
    clock,
    log: silentLog,
    stores: { calls: () => ({ heartbeat }) },
    database: { tx: async (work: (queries: object) => unknown) => work({}) },
  } as unknown as Parameters<typeof startHeartbeat>[0]);
  return { clock, ended, beats, open, timer };
}

test("live calls send a heartbeat every five seconds; one no longer live in the store ends", async () => {
  const { clock, ended, beats, open, timer } = world(["a", "b", "over"]);
  const startMs = clock.now();
  await clock.advance(4_999);
  expect(beats).toEqual([]);
  await clock.advance(1);
  expect(beats).toEqual([[["a", "b"], startMs + 5_000]]);
  expect(ended).toEqual([]);
  open.delete("b");
  await clock.advance(5_000);
  expect([beats.length, ended]).toEqual([2, ["b"]]);
  timer.cancel();
});

test("without a live call nothing is written to the store", async () => {
  const { clock, beats, timer } = world(["over"]);
  await clock.advance(20_000);
  expect(beats).toEqual([]);
  timer.cancel();
});
