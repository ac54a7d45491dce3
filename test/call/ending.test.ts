/** Cause of a call that could not be opened; a campaign's breaker and the reports use it. */
import { expect, test } from "bun:test";
import { endingUnopened } from "../../src/call/ending.ts";
import { CallWorkerDied } from "../../src/call/media-port.ts";

test.each([
  ["its call worker died", new CallWorkerDied("out of memory"), "interrupted", "us"],
  ["anything else went wrong", new Error("no voice"), "engine_failure", "engine"],
] as const)("a call that was being opened when %s", (_, error, reason, fault) => {
  expect(endingUnopened(error, 503)).toMatchObject({
    status: "failed",
    reason,
    fault,
    sipCode: 503,
  });
});
