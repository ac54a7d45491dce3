/** Payments by bank transfer. */
import { expect, test } from "bun:test";
import { manualPayments } from "../../../../src/features/billing/payments/manual.ts";

test("a bank transfer has fourteen days", () => {
  expect(manualPayments(() => "https://voice.example/").validForMs).toBe(14 * 86_400_000);
});
