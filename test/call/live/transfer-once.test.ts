/** If the carrier has accepted to call a person, we never call them a second time. */
import { expect, test } from "bun:test";
import { causeOfAccepted } from "../../../src/call/live/transfer.ts";

test.each([
  ["nothing final came in time", null, "no_answer"],
  ["the carrier stopped telling while it tried", 100, "no_answer"],
  ["the carrier stopped telling while it rang", 180, "no_answer"],
  ["a redirect: we may", 300, null],
  ["the last word before it", 299, "no_answer"],
  ["busy", 486, "busy"],
  ["declined", 603, "declined"],
  ["busy everywhere", 600, "busy"],
  ...([407, 409, 479, 481, 485, 488, 599, 601, 602, 604] as const).map(
    (code) => [`what ${code} says: we may`, code, null] as const,
  ),
  ["no answer in time", 408, "no_answer"],
  ["not available", 480, "no_answer"],
  ["cancelled", 487, "no_answer"],
  ["the carrier cannot do it: we may", 503, null],
  ["the carrier may not do it: we may", 403, null],
] as const)("accepted, then %s (%p): %p", (_, sipCode, cause) => {
  expect(causeOfAccepted(sipCode)).toBe(cause);
});
