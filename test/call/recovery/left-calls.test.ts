/** When another node ends a call without heartbeats. */
import { expect, test } from "bun:test";
import { watchLeftCalls } from "../../../src/call/recovery/recovery.ts";
import { sleep } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

/**
 * End time of a call without heartbeats, and the number of checks. `secondLookMs`: the store's time for the
 * second.
 */
async function endOfSilentCall(secondLookMs: number) {
  const clock = fakeClock();
  let looks = 0;
  let endedAtMs = 0;
  const lost: unknown[][] = [];
  const call = { tenantId: 1, callUuid: "c", node: "A", heartbeatAt: 1, answeredAt: null };
  const calls = () => ({
    async leftLive() {
      looks++;
      if (looks === 2) await sleep(clock, secondLookMs);
      return [call];
    },
    leftUnprocessed: async () => [],
  });
  const leftByOtherNodes = async (...asked: unknown[]) => {
    lost.push(asked);
    return [];
  };
  const timer = watchLeftCalls({
    clock,
    log: silentLog,
    node: "B",
    registry: { all: [], find: () => undefined },
    stores: { calls, recordings: () => ({ leftByOtherNodes }) },
    database: {
      read: {},
      async tx() {
        endedAtMs ||= clock.elapsedMs;
      },
    },
    events: { wake: () => undefined },
    mails: { wake: () => undefined },
    callers: { wake: () => undefined },
  } as unknown as Parameters<typeof watchLeftCalls>[0]);
  for (let second = 0; second < 120 && endedAtMs === 0; second++) {
    await clock.advance(1_000);
    await Bun.sleep(0);
  }
  timer.cancel();
  return { looks, endedAtMs, lost };
}

test("calls are checked every ten seconds; one without a heartbeat for sixty is ended", async () => {
  const { lost, ...ended } = await endOfSilentCall(0);
  expect(ended).toEqual({ looks: 7, endedAtMs: 70_000 }); // seen first at 10 s
  // A hundred recordings of lost nodes are checked each time.
  expect(lost).toEqual(Array(7).fill(["B", 100]));
});

test.each([
  ["within 30 s of the check before it, the earlier sightings still count", 20_000, 70_000],
  ["later than that, the sixty seconds start again", 21_000, 110_000], // seen at 41 s, checked every 10 s
])("if a check is answered %s", async (_, secondLookMs, endedAtMs) => {
  expect(await endOfSilentCall(secondLookMs)).toMatchObject({ endedAtMs });
});
