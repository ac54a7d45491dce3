/** What other calls' holds get when a charge takes plan seconds that they hold. */
import { expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import { backHolds } from "../../../src/domain/billing/hold.ts";
import type { Hold } from "../../../src/domain/billing/stores.ts";

const MONTH = "2026-11";
/** 0.10 EUR a second. */
const RATE = microEur(6_000_000);

/** One other call holds 60 plan seconds and 1 EUR; the charge takes 70 of 100 plan seconds and costs 2 EUR. */
async function backed(balanceEur: number): Promise<Hold | undefined> {
  const written: Hold[] = [];
  const other: Hold = {
    callUuid: "other",
    month: MONTH,
    planSeconds: 60,
    amount: microEur(1_000_000),
  };
  await backHolds(
    { holds: { put: async (_tenantId: number, hold: Hold) => void written.push(hold) } },
    1,
    {
      month: MONTH,
      planSecondsLeft: 100,
      balance: microEur(balanceEur * 1_000_000),
      otherHolds: [other],
    },
    { includedSeconds: 70, cost: microEur(2_000_000) },
    async () => RATE,
    0,
  );
  return written[0];
}

test("seconds that a charge took are paid with money that no call holds and the charge leaves", async () => {
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
