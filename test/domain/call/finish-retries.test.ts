/** A call's end that cannot be stored is tried again, and for how long. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { finishCall } from "../../../src/domain/call/finish.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type Arguments = Parameters<typeof finishCall>;

function world(failures: number) {
  const clock = fakeClock();
  const triedAtMs: number[] = [];
  let wakes = 0;
  const wake = () => void wakes++;
  const context = {
    ...{ clock, log: silentLog, events: { wake }, callers: { wake }, mails: { wake } },
    database: {
      async tx() {
        triedAtMs.push(clock.monotonic());
        if (triedAtMs.length <= failures) throw new Error("the store is away");
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

test("five times, after pauses of 1, 2, 4 and 8 seconds", async () => {
  const { pass, triedAtMs, outcome, wakes } = world(5);
  for (const seconds of [0, 1, 2, 4, 8, 60]) await pass(seconds * 1_000);
  expect(triedAtMs).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  expect([outcome(), wakes()]).toEqual(["given up", 0]);
});

test.each([0, 1, 4])(
  "after %d failures it is stored, and those who wait for it are woken",
  async (failures) => {
    const { pass, triedAtMs, outcome, wakes } = world(failures);
    await pass(0);
    for (const seconds of [1, 2, 4, 8]) await pass(seconds * 1_000);
    expect([triedAtMs.length, outcome(), wakes()]).toEqual([failures + 1, "stored", 3]);
  },
);
