/** Every way to end a leg has a reason for the call and a sentence for people. */
import { describe, expect, test } from "bun:test";
import { endingAnswered, endingUnanswered } from "../../src/call/ending.ts";
import type { LegEnd } from "../../src/call/sip-port.ts";
import { ENDED_REASONS } from "../../src/core/ended-reason.ts";
import * as ends from "../../src/sip/session/leg-end.ts";

/** Checks for one or two plain sentences without internal names. */
function expectSentence({ explanation }: LegEnd): void {
  expect(explanation).toMatch(/^[A-Z].{15,}\.$/s);
  expect(explanation).not.toMatch(/undefined|null|[a-z]_[a-z]+_[a-z]/);
}

test("every final code of SIP ends the call with a reason and a sentence", () => {
  for (let code = 300; code < 700; code++) {
    const end = ends.endOfRejectedCall(code);
    expect(end.sipCode).toBe(code);
    expectSentence(end);
    expect(ENDED_REASONS).toContain(endingUnanswered(end).reason);
    expectSentence(ends.endOfRejectedCaller(code));
  }
});

test.each([
  [301, "trunk_unavailable"],
  [403, "trunk_unavailable"],
  [404, "invalid_number"],
  [408, "no_answer"],
  [433, "trunk_unavailable"],
  [480, "no_answer"],
  [484, "invalid_number"],
  [485, "invalid_number"],
  [486, "busy"],
  [487, "no_answer"],
  [488, "declined"],
  [500, "trunk_unavailable"],
  [503, "trunk_unavailable"],
  [600, "busy"],
  [603, "declined"],
  [604, "invalid_number"],
  [606, "declined"],
  [607, "declined"],
] as const)("%d ends a call as %s", (code, reason) => {
  expect(endingUnanswered(ends.endOfRejectedCall(code)).reason).toBe(reason);
});

test.each([
  [480, 'Q.850;cause=17;text="User busy"', "busy"],
  [500, "Q.850;cause=1", "invalid_number"],
  [503, 'q.850 ; text="x" ; cause=28', "invalid_number"],
  [480, "Q.850;cause=21", "declined"],
  [503, "Q.850;cause=34", "trunk_unavailable"],
  [480, "Q.850;cause=16", "no_answer"],
  [480, 'SIP;cause=200;text="a, b", q.850 ; cause=1', "invalid_number"],
  [480, "SIP;cause=17", "no_answer"],
  [486, "Q.850;cause=1", "busy"],
  [404, "Q.850;cause=17", "invalid_number"],
] as const)("%d with Reason %s ends a call as %s", (code, reason, ended) => {
  const end = ends.endOfRejectedCall(code, ['SIP;cause=200;text="x"', reason]);
  expect(end.sipCode).toBe(code);
  expect(endingUnanswered(end).reason).toBe(ended);
});

test("400, 401, 402, 403 and 500 each have another sentence", () => {
  const sentences = [400, 401, 402, 403, 500, 503].map(
    (code) => ends.endOfRejectedCall(code).explanation,
  );
  expect(new Set(sentences).size).toBe(sentences.length);
});

describe("without a code of the remote party", () => {
  const all: readonly LegEnd[] = [
    ends.noCommonCodec("us"),
    ends.hungUp("us"),
    ends.hungUp("caller"),
    ends.hungUp("callee"),
    ends.cancelled("us", null),
    ends.cancelled("caller", 487),
    ends.ringTimedOut(null),
    ends.transportFailed(),
    ends.sessionExpired(),
    ends.ackMissing(),
  ];

  test("each end has its sentence and its reason, answered or not", () => {
    for (const end of all) {
      expectSentence(end);
      expect(ENDED_REASONS).toContain(endingUnanswered(end).reason);
      expect(ENDED_REASONS).toContain(endingAnswered(end).reason);
    }
  });

  test("an unanswered call is never media_lost", () => {
    const refused = Array.from({ length: 400 }, (_, at) => ends.endOfRejectedCall(300 + at));
    for (const end of [...all, ...refused])
      expect(endingUnanswered(end).reason).not.toBe("media_lost");
    // Answered with unusable media: the trunk's fault, and nobody declined.
    const unusable = ends.noCommonCodec("us", 200);
    expect(endingUnanswered(unusable)).toMatchObject({ reason: "trunk_unavailable", sipCode: 200 });
    expect(endingUnanswered(ends.cancelled("us", 200)).reason).toBe("cancelled");
  });

  test("lost media is never called a hang-up", () => {
    for (const end of [ends.sessionExpired(), ends.transportFailed()])
      expect(endingAnswered(end)).toMatchObject({ reason: "media_lost", fault: "carrier" });
  });
});
