/** When a call's closing message begins: as late as its length allows. */
import { expect, test } from "bun:test";
import { CallLength } from "../../../src/conversation/session/call-length.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("a phrase of 4 s begins 5 s before the limit; 250 ms before it the call is cut", async () => {
  const clock = fakeClock();
  const seen: string[] = [];
  const note = (what: string) => () => void seen.push(`${what} ${clock.elapsedMs}`);
  const length = new CallLength({
    clock,
    limitMs: 30_000,
    phraseMs: () => 4_000,
    applies: () => true,
    close: note("close"),
    cut: note("cut"),
  });
  length.begin();
  await clock.advance(60_000);
  expect(seen).toEqual(["close 25000", "cut 29750"]);
});

test("the length of the phrase is requested 15 seconds before the limit, whenever the answer was", async () => {
  const clock = fakeClock();
  await clock.advance(100_000);
  const seen: string[] = [];
  const note = (what: string) => () => void seen.push(`${what} ${clock.elapsedMs - 100_000}`);
  const length = new CallLength({
    clock,
    limitMs: 30_000,
    applies: () => true,
    close: note("close"),
    cut: note("cut"),
    phraseMs() {
      note("asked")();
      return 4_000;
    },
  });
  length.begin();
  await clock.advance(60_000);
  expect(seen).toEqual(["asked 15000", "close 25000", "cut 29750"]);
});
