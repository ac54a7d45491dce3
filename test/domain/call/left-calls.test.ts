/** When a call whose heartbeat stands still is ended by another node. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { watchLeftCalls } from "../../../src/domain/call/recovery.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("every ten seconds calls are looked at; after sixty without a heartbeat one is ended", async () => {
  const clock = fakeClock();
  let looks = 0;
  let endedAtMs: number | null = null;
  const call = { tenantId: 1, callUuid: "c", node: "A", heartbeatAt: 1, answeredAt: null };
  const calls = () => ({
    async leftLive() {
      looks++;
      return [call];
    },
    leftUnprocessed: async () => [],
  });
  const timer = watchLeftCalls({
    ...{ clock, log: silentLog, node: "B", registry: { find: () => undefined } },
    stores: { calls, recordings: () => ({ leftByOtherNodes: async () => [] }) },
    database: {
      read: {},
      async tx() {
        endedAtMs ??= clock.monotonic();
      },
    },
    ...{ events: { wake: () => undefined }, mails: { wake: () => undefined } },
  } as unknown as Parameters<typeof watchLeftCalls>[0]);
  for (let second = 0; second < 90; second++) {
    await clock.advance(1_000);
    await Bun.sleep(0);
  }
  expect(looks).toBe(9);
  expect(endedAtMs as number | null).toBe(70_000); // seen first at 10 s
  timer.cancel();
});
