import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { type ReinviteOutcome, Renegotiation } from "../../../src/sip/session/renegotiation.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function bench(weCalled: boolean, outcomes: ReinviteOutcome[]) {
  const clock = fakeClock();
  const sentAtMs: number[] = [];
  const refused: (number | null)[] = [];
  const renegotiation = new Renegotiation({
    clock,
    random: seededRandom(7),
    weCalled,
    ask: async () => {
      sentAtMs.push(clock.elapsedMs);
      return outcomes.shift() ?? { kind: "accepted" };
    },
    onRefused: ({ sipCode }) => refused.push(sipCode),
  });
  return { clock, sentAtMs, refused, renegotiation };
}

const glare: ReinviteOutcome = { kind: "refused", sipCode: 491 };

test.each([
  ["who called waits 2.1 to 4 s", true, 2100, 4000],
  ["who was called waits up to 2 s", false, 0, 2000],
] as const)("after a glare %s", async (_, weCalled, minMs, maxMs) => {
  for (let seed = 0; seed < 20; seed++) {
    const { clock, sentAtMs, refused, renegotiation } = bench(weCalled, [glare]);
    renegotiation.request();
    await clock.advance(0);
    await clock.advance(5000);
    expect(sentAtMs).toHaveLength(2);
    expect(sentAtMs[1]).toBeGreaterThanOrEqual(minMs);
    expect(sentAtMs[1]).toBeLessThanOrEqual(maxMs);
    expect(refused).toEqual([]);
  }
});

test("a remote party with permanent glare is given up after six attempts", async () => {
  const { clock, sentAtMs, refused, renegotiation } = bench(true, Array(20).fill(glare));
  renegotiation.request();
  await clock.advance(0);
  await clock.advance(60_000);
  expect([sentAtMs.length, refused]).toEqual([6, [491]]);
});

test("another rejection is reported and not retried", async () => {
  const { clock, sentAtMs, refused, renegotiation } = bench(true, [
    { kind: "refused", sipCode: 488 },
  ]);
  renegotiation.request();
  await clock.advance(60_000);
  expect([sentAtMs.length, refused]).toEqual([1, [488]]);
});

test("two requests during one in progress cause one more, not two", async () => {
  const { clock, sentAtMs, renegotiation } = bench(true, []);
  for (let ask = 0; ask < 4; ask++) renegotiation.request();
  await clock.advance(60_000);
  expect(sentAtMs).toHaveLength(2);
});

test("after closing, it sends nothing more and has no timer", async () => {
  const { clock, sentAtMs, renegotiation } = bench(true, [glare]);
  renegotiation.request();
  await clock.advance(100);
  renegotiation.close();
  await clock.advance(60_000);
  renegotiation.request();
  expect([sentAtMs.length, clock.pendingTimers]).toEqual([1, 0]);
});
