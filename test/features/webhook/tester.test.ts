/** Repeating failed events: how many at once, and for which webhooks. */
import { expect, test } from "bun:test";
import { WebhookTester } from "../../../src/features/webhook/tester.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world(target: { readonly enabled: boolean } | undefined) {
  const clock = fakeClock();
  const log: unknown[] = [];
  const tester = new WebhookTester({
    clock,
    database: { tx: (work: (queries: null) => Promise<unknown>) => work(null) },
    stores: {
      subscribers: () => ({ target: async () => target }),
      outbox: () => ({
        async failedEvents(_: number, __: number, limit: number) {
          log.push(limit);
          return ["evt_1", "evt_2"];
        },
        restart: async (_: number, __: number, events: readonly string[], nowMs: number) =>
          void log.push([...events, nowMs === clock.now()]),
      }),
    },
    wake: () => void log.push("woken"),
  } as unknown as ConstructorParameters<typeof WebhookTester>[0]);
  return { tester, log };
}

test("the oldest thousand are sent again at once", async () => {
  const { tester, log } = world({ enabled: true });
  expect(await tester.resendFailed(1, 2)).toBe(2);
  expect(log).toEqual([1_000, ["evt_1", "evt_2", true], "woken"]);
});

test.each([
  [undefined, "not_found"],
  [{ enabled: false }, "conflict"],
] as const)("a deleted or disabled webhook repeats nothing: %j", async (target, code) => {
  const { tester, log } = world(target);
  await expect(tester.resendFailed(1, 2)).rejects.toMatchObject({ code });
  expect(log).toEqual([]);
});
