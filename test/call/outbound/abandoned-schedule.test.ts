/** A call without a dial attempt ends with its true cause, from the specification's list. */
import { expect, test } from "bun:test";
import { abandonSchedule } from "../../../src/call/outbound/abandoned-schedule.ts";
import { AppError, type ErrorCode } from "../../../src/core/errors.ts";

async function endedReasonOf(code: ErrorCode | null): Promise<string> {
  const ended: string[] = [];
  const calls = {
    find: async () => ({ status: "queued" }),
    finish: async (_tenant: number, _uuid: string, { ending }: { ending: { reason: string } }) =>
      void ended.push(ending.reason),
  };
  const context = {
    database: { tx: (run: (queries: object) => unknown) => run({}) },
    stores: { calls: () => calls, schedules: () => ({ leavePending: async () => true }) },
    events: { emit: async () => undefined, wake: () => undefined },
    clock: { now: () => 0 },
  };
  const entry = { tenantId: 1, id: 1, callUuid: "", leaseToken: 1 };
  const error = code && new AppError({ code, publicMessage: "Why." });
  await abandonSchedule(context as never, entry as never, code ? "failed" : "missed", error);
  return ended.join();
}

test.each([
  ["valid_agent_id_required", "declined"],
  ["destination_not_allowed", "declined"],
  ["plan_limit_reached", "declined"],
  ["rate_limited", "declined"],
  ["insufficient_balance", "balance_exhausted"],
  ["unavailable", "interrupted"],
  // Its campaign was paused or cancelled.
  ["conflict", "cancelled"],
  [null, "interrupted"],
] as const)("a call refused with %s ends as %s", async (code, reason) => {
  expect(await endedReasonOf(code)).toBe(reason);
});
