/** When a call's line counts as bad, and on which side. */
import { expect, test } from "bun:test";
import { LineProblems } from "../../../src/call/live/line-problems.ts";
import type { MediaStatistics } from "../../../src/core/media-plan.ts";

const media = (figures: Partial<MediaStatistics>): MediaStatistics => ({
  codec: "PCMA",
  packetsSent: 250,
  packetsReceived: 250,
  packetsLost: 0,
  packetsDiscarded: 0,
  jitterMs: 2,
  mos: 4.4,
  ...figures,
});
const reported = (recentLoss: number, jitterMs = 1) => ({ packetsLost: 0, recentLoss, jitterMs });
const sidesOf = (figures: Partial<MediaStatistics>) =>
  new LineProblems().check(media(figures), 5000).map(({ side }) => side);

test.each([
  ["no packet lost", {}, []],
  ["7.9 % lost", { packetsReceived: 921, packetsLost: 79 }, []],
  ["8 % lost", { packetsReceived: 920, packetsLost: 80 }, ["received"]],
  [
    "lost and late together 8 %",
    { packetsReceived: 960, packetsLost: 40, packetsDiscarded: 43 },
    ["received"],
  ],
  ["9 lost of 50", { packetsReceived: 41, packetsLost: 9 }, []],
  ["10 lost of 50", { packetsReceived: 40, packetsLost: 10 }, ["received"]],
  ["jitter of 79 ms", { jitterMs: 79 }, []],
  ["jitter of 80 ms", { jitterMs: 80 }, ["received"]],
  ["7 % lost at the other side", { reported: reported(0.07) }, []],
  ["8 % lost at the other side", { reported: reported(0.08) }, ["sent"]],
  ["jitter of 80 ms at the other side", { reported: reported(0, 80) }, ["sent"]],
  ["799 ms there and back", { roundTripMs: 799 }, []],
  ["800 ms there and back", { roundTripMs: 800 }, ["both"]],
] as const)("%s: %p gives %p", (_, figures, sides) => {
  expect(sidesOf(figures)).toEqual([...sides]);
});

test("two seconds of silence in a long good call count where they happen", () => {
  const problems = new LineProblems();
  expect(problems.check(media({ packetsReceived: 60_000 }), 1_200_000)).toEqual([]);
  const after = media({ packetsReceived: 60_150, packetsLost: 100 });
  expect(problems.check(after, 1_205_000)).toEqual([
    { kind: "line", atMs: 1_205_000, side: "received", lossPercent: 40, delayMs: 2 },
  ]);
});

test("a bad stretch is reported once; a call reports at most 20", () => {
  const problems = new LineProblems();
  const bad = media({ reported: reported(0.3) });
  expect(problems.check(bad, 0)).toHaveLength(1);
  expect(problems.check(bad, 5000)).toEqual([]);
  let noted = 1;
  for (let n = 0; n < 40; n++) {
    noted += problems.check(media({ reported: reported(0) }), n).length;
    noted += problems.check(bad, n).length;
  }
  expect(noted).toBe(20);
});
