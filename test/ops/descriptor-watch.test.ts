/** File descriptors: the configuration against the limit, and calls refused before they run short. */
import { expect, test } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import {
  descriptorsNeeded,
  descriptorsOf,
  tooFewDescriptors,
  watchDescriptors,
} from "../../src/ops/descriptor-watch.ts";
import { fakeClock } from "../support/fake-clock.ts";

const POLL_MS = 1_000;
const demand = { concurrentCalls: 100 };

function watched(limit: () => number, open: () => number) {
  const clock = fakeClock();
  const watch = watchDescriptors({
    descriptors: { limit, open },
    demand: () => demand,
    clock,
    log: silentLog,
  });
  return { clock, watch };
}

test("a quarter is kept free, at most 256, and closed ones are noticed within a second", async () => {
  for (const [limit, open] of [
    [100, 75],
    [10_000, 9_744],
  ] as const) {
    let now: number = open;
    const { clock, watch } = watched(
      () => limit,
      () => now,
    );
    expect(watch.problem()).toBeNull();
    now = open + 1;
    await clock.advance(POLL_MS);
    expect(watch.problem()).toContain(`${open + 1} of ${limit} file descriptors`);
    expect(watch.rejection()).toBe(watch.problem());
    now = open;
    await clock.advance(POLL_MS);
    expect(watch.problem()).toBeNull();
    watch.stop();
    expect(clock.pendingTimers).toBe(0);
  }
});

test("simultaneous accepted calls are counted before their sockets are open", async () => {
  const { clock, watch } = watched(
    () => 100,
    () => 60,
  );
  const asked = () => [1, 2, 3, 4].map(() => watch.rejection() === null);
  expect(asked()).toEqual([true, true, false, false]);
  await clock.advance(POLL_MS);
  expect(asked()).toEqual([true, true, false, false]);
  watch.stop();
});

test("if descriptors cannot be counted, there is no room; a system without limits refuses nothing", () => {
  const broken = watched(
    () => 100,
    () => {
      throw new Error("EMFILE");
    },
  );
  expect(broken.watch.rejection()).not.toBeNull();
  broken.watch.stop();
  const elsewhere = watched(
    () => {
      throw new Error("ENOENT");
    },
    () => 5_000,
  );
  expect([elsewhere.watch.rejection(), elsewhere.watch.warning()]).toEqual([null, null]);
  elsewhere.watch.stop();
});

test("the limit is compared with the needs of calls and connections", () => {
  const needed = descriptorsNeeded(demand);
  expect(tooFewDescriptors(needed, demand)).toBeNull();
  expect(tooFewDescriptors(needed - 1, demand)).toContain(`need ${needed}`);
  const { watch } = watched(
    () => needed - 1,
    () => 10,
  );
  expect(watch.warning()).toContain("LimitNOFILE");
  watch.stop();
});

test("the limit of the systemd unit is enough for the most calls that can be configured", async () => {
  const unit = await Bun.file(new URL("../../systemd/linevoice.service", import.meta.url)).text();
  const limit = Number(/^LimitNOFILE=(\d+)$/m.exec(unit)?.[1]);
  const most = { concurrentCalls: 5_000 };
  expect(tooFewDescriptors(limit, most)).toBeNull();
});

test("this process's own descriptors are counted", async () => {
  const own = descriptorsOf();
  const before = own.open();
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  expect(own.open()).toBeGreaterThan(before);
  server.stop(true);
  expect(own.limit()).toBeGreaterThan(before);
});
