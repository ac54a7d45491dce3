import { expect, test } from "bun:test";
import { FailedTargets } from "../../../src/sip/routing/failed-targets.ts";
import type { Target } from "../../../src/sip/routing/locate.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const target = (host: string, port = 5060): Target => ({
  transport: "UDP",
  remote: { host, port },
});
const [A, B, C] = [target("a"), target("b"), target("c")];

test("failed servers come last, in their order, for five minutes", async () => {
  const clock = fakeClock();
  const failed = new FailedTargets(clock);
  failed.note(B);
  failed.note(A);
  expect(failed.order([A, B, C])).toEqual([C, A, B]);
  await clock.advance(299_000);
  expect(failed.order([A, B, C])).toEqual([C, A, B]);
  await clock.advance(2000);
  expect(failed.order([A, B, C])).toEqual([A, B, C]);
  expect(failed.size).toBe(0);
});

test("Retry-After is used instead, up to 15 minutes", async () => {
  const clock = fakeClock();
  const failed = new FailedTargets(clock);
  failed.note(A, 10_000);
  failed.note(B, 86_400_000);
  await clock.advance(11_000);
  expect([failed.has(A), failed.has(B)]).toEqual([false, true]);
  await clock.advance(900_000);
  expect(failed.has(B)).toBe(false);
});

test("a server that answers counts as working at once", () => {
  const failed = new FailedTargets(fakeClock());
  failed.note(A);
  failed.forgive(A);
  expect(failed.has(A)).toBe(false);
});

test("however many fail, memory is limited", () => {
  const failed = new FailedTargets(fakeClock());
  for (let port = 1; port <= 2000; port++) failed.note(target("a", port));
  expect(failed.size).toBe(512);
});
