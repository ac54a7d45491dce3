/** Other calls' holds after a charge took plan seconds that they held. */
import { expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import { extendHolds } from "../../../src/features/billing/hold.ts";
import type { Hold } from "../../../src/features/billing/stores.ts";

const MONTH = "2026-11";
/** 0.10 EUR per second. */
const RATE = microEur(6_000_000);

/**
 * One other call holds 60 plan seconds and 1 EUR; the charge takes 70 of 100 plan seconds and costs 2 EUR.
 */
async function backed(balanceEur: number): Promise<Hold | undefined> {
  const [first] = await backedAll(balanceEur, 100, [held("other", 60, 1)]);
  return first;
}

const held = (callUuid: string, planSeconds: number, euros: number): Hold => ({
  callUuid,
  month: MONTH,
  planSeconds,
  amount: microEur(euros * 1_000_000),
});

/** The charge takes 70 plan seconds of `planSecondsLeft` and costs 2 EUR. */
async function backedAll(
  balanceEur: number,
  planSecondsLeft: number,
  otherHolds: readonly Hold[],
): Promise<Hold[]> {
  const written: Hold[] = [];
  await extendHolds(
    { holds: { put: async (_tenantId: number, hold: Hold) => void written.push(hold) } },
    1,
    {
      month: MONTH,
      planSecondsLeft,
      balance: microEur(balanceEur * 1_000_000),
      otherHolds,
    },
    { includedSeconds: 70, cost: microEur(2_000_000) },
    async () => RATE,
    0,
  );
  return written;
}

test("lost plan seconds are replaced by money that is neither held nor charged", async () => {
  // 30 seconds are lost; they cost 3 EUR.
  const cases = [
    [5, 30, 3],
    [6, 30, 4],
    [7, 30, 4],
    [3, 30, 1],
    [2, 30, 1],
  ] as const;
  for (const [balance, planSeconds, euros] of cases)
    expect(await backed(balance)).toMatchObject({ planSeconds, amount: euros * 1_000_000 });
});

test("the longest holds lose first, and share the free money", async () => {
  // 10 of the 40 held plan seconds remain: 30 are lost. 4 of 6 EUR are free.
  const others = [held("short", 5, 0), held("long", 20, 0), held("middle", 15, 0)];
  expect(await backedAll(6, 80, others)).toEqual([held("long", 0, 2), held("middle", 5, 1)]);
  // 1.50 EUR are free: the first gets them all.
  expect(await backedAll(3.5, 80, others)).toEqual([held("long", 0, 1.5), held("middle", 5, 0)]);
});

test("holds with all their plan seconds stay unchanged", async () => {
  expect(await backedAll(6, 130, [held("one", 60, 1)])).toEqual([]);
  expect(await backedAll(6, 129, [held("one", 60, 1)])).toMatchObject([{ planSeconds: 59 }]);
});
