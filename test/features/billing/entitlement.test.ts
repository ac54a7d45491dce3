/** Refunded payments of add-ons and plans: what ends, and what returns when the refund fails. */
import { expect, test } from "bun:test";
import { syncEntitlement } from "../../../src/features/billing/entitlement.ts";
import type { Books, Checkout } from "../../../src/features/billing/stores.ts";

const NOW_MS = Date.parse("2026-11-21T12:00:00Z");

function world({ lastPaidAt = NOW_MS, paidAfter = false, blocks = 0 } = {}) {
  const keys = new Set<string>();
  const done: string[] = [];
  const notes: string[] = [];
  const books = {
    ledger: {
      planKeysSince: async () => ["checkout:chk_1", ...keys],
      hasKey: async (_: number, key: string) => keys.has(key),
      insertTransaction: async (_: number, { key, note }: Record<"key" | "note", string>) => {
        keys.add(key);
        notes.push(note);
        return keys.size;
      },
      insertEntries: async () => undefined,
    },
    accounts: {
      find: async () => ({ timeZone: "UTC", retentionBlocks: blocks }),
      setCrmBridge: async (_: number, isOn: boolean) => void done.push(`bridge ${isOn}`),
      setRetentionBlocks: async (_: number, count: number) => void done.push(`blocks ${count}`),
    },
    renewals: {
      isPaidAfter: async () => paidAfter,
      lapse: async (_: number, item: string) => void done.push(`lapse ${item}`),
      endPlanMonth: async (_: number, month: string) => void done.push(`end ${month}`),
      restorePlanMonth: async (_: number, month: string) => void done.push(`restore ${month}`),
    },
    checkouts: { lastPaidAt: async () => lastPaidAt },
  } as unknown as Books;
  const sync = async (kind: Checkout["kind"], isWhole: boolean, isFinal = true) => {
    done.length = 0;
    const checkout = { id: "chk_1", tenantId: 1, kind, item: "2", paidAt: NOW_MS } as Checkout;
    const status = { cause: "refunds", isWhole, isFinal };
    await syncEntitlement(books, checkout, status, NOW_MS + 1_000);
    return [...done];
  };
  return { sync, notes };
}

test("a refund switches the bridge off and cancels its due months; a failed refund only switches it on", async () => {
  const { sync } = world();
  expect(await sync("crm_bridge", true)).toEqual(["bridge false", "lapse crm_bridge"]);
  expect(await sync("crm_bridge", true)).toEqual([]);
  expect(await sync("crm_bridge", false)).toEqual(["bridge true"]);
  expect(await sync("crm_bridge", false)).toEqual([]);
});

test.each([
  ["bought again since", { lastPaidAt: NOW_MS + 1 }],
  ["paid by the wallet since", { paidAfter: true }],
])("a bridge that was %s stays on", async (_, since) => {
  expect(await world(since).sync("crm_bridge", true)).toEqual([]);
});

test("a refunded plan ends its month; a failed refund restores the month", async () => {
  const { sync } = world();
  expect(await sync("plan", true)).toEqual(["end 2026-11"]);
  expect(await sync("plan", false)).toEqual(["restore 2026-11"]);
});

test("a final refund removes retention blocks, down to 0; a failed refund restores at most five", async () => {
  const { sync } = world({ blocks: 5 });
  expect(await sync("retention", true, false)).toEqual([]);
  expect(await sync("retention", true)).toEqual(["blocks 3"]);
  expect(await sync("retention", false)).toEqual(["blocks 5"]);
  expect(await world({ blocks: 1 }).sync("retention", true)).toEqual(["blocks 0"]);
});

test("the statement lists services ended by a refund, and services restored", async () => {
  const { sync, notes } = world();
  for (const kind of ["crm_bridge", "plan", "retention"] as const) {
    await sync(kind, true);
    await sync(kind, false);
  }
  expect(notes).toEqual([
    "The CRM bridge ended: its payment was taken back",
    "The CRM bridge is back",
    "The month of plan 2 ended: its payment was taken back",
    "The month of plan 2 is back",
    "Transcript retention, 2 × 30 days, ended: its payment was taken back",
    "Transcript retention, 2 × 30 days, is back",
  ]);
});

test("a top-up changes no entitlement", async () => {
  expect(await world().sync("topup", true)).toEqual([]);
});
