import { describe, expect, test } from "bun:test";
import { DeliveryLimiter } from "../../../src/features/webhook/delivery-limiter.ts";

const target = (webhookId: number, fields: { call?: string; failing?: boolean } = {}) => ({
  webhookId,
  legacyUrl: null,
  callUuid: fields.call ?? null,
  failingSince: fields.failing ? 1 : null,
});

/** A capacity to which these webhooks have already accepted deliveries. */
function provenBy(limits: ConstructorParameters<typeof DeliveryLimiter>[0], ...ids: number[]) {
  const capacity = new DeliveryLimiter(limits);
  for (const id of ids) capacity.learn(target(id), true);
  return capacity;
}

const take = (capacity: DeliveryLimiter, count: number, of: ReturnType<typeof target>) =>
  Array.from({ length: count }, () => capacity.acquire(of)).filter(Boolean).length;

describe("the delivery capacity", () => {
  test("gives an endpoint its few slots, one while it fails, and the total to all", () => {
    const capacity = provenBy({ total: 10, unstored: 4, perEndpoint: 4 }, 1, 2, 3, 4);
    expect(take(capacity, 6, target(1))).toBe(4);
    expect(take(capacity, 6, target(2, { failing: true }))).toBe(1);
    expect(capacity.busy()).toEqual({ failing: false, webhookIds: [1, 2], legacyUrls: [] });
    expect(take(capacity, 9, target(3)) + take(capacity, 9, target(4))).toBe(5);
    expect(capacity.free).toBe(0);
  });

  test("gives an endpoint one slot until its first accepted delivery, and again after a failed one", () => {
    const capacity = new DeliveryLimiter({ total: 10, unstored: 4, perEndpoint: 4 });
    expect(take(capacity, 6, target(1))).toBe(1);
    expect(capacity.busy().webhookIds).toEqual([1]);
    capacity.learn(target(1), true);
    expect(take(capacity, 6, target(1))).toBe(3);
    capacity.learn(target(1), false);
    for (let count = 0; count < 4; count++) capacity.returnUnsent(target(1));
    expect(take(capacity, 6, target(1))).toBe(1);
  });

  test("reserves half of the slots for working endpoints, however many fail", () => {
    const capacity = provenBy({ total: 10, unstored: 4, perEndpoint: 4 }, 100);
    const dead = Array.from({ length: 50 }, (_, id) => target(id, { failing: true }));
    expect(dead.filter((one) => capacity.acquire(one)).length).toBe(5);
    expect(capacity.busy().failing).toBe(true);
    expect(take(capacity, 4, target(100))).toBe(4);
    for (const one of dead.slice(0, 5)) capacity.returnUnsent(one);
    expect(capacity.busy().failing).toBe(false);
    expect(capacity.free).toBe(6);
  });

  test("sends an endpoint one event of a call at a time", () => {
    const capacity = provenBy({ total: 10, unstored: 4, perEndpoint: 4 }, 1);
    const first = target(1, { call: "a" });
    expect(capacity.acquire(first)).toBe(true);
    expect(capacity.acquire(target(1, { call: "a" }))).toBe(false);
    expect(capacity.acquire(target(1, { call: "b" }))).toBe(true);
    expect(capacity.acquire(target(2, { call: "a" }))).toBe(true);
    capacity.answered();
    expect(capacity.acquire(target(1, { call: "a" }))).toBe(false);
    capacity.release(first);
    expect(capacity.acquire(target(1, { call: "a" }))).toBe(true);
  });

  test("reuses the slots of answered deliveries, up to four times before any outcome is stored", () => {
    const capacity = new DeliveryLimiter({ total: 10, unstored: 4, perEndpoint: 2 });
    const sent = Array.from({ length: 10 }, (_, id) => target(id));
    expect(sent.filter((one) => capacity.acquire(one)).length).toBe(10);
    for (const free of [1, 2, 3, 4, 4]) {
      capacity.answered();
      expect(capacity.free).toBe(free);
    }
    const later = Array.from({ length: 9 }, (_, id) => target(100 + id));
    expect(later.filter((one) => capacity.acquire(one)).length).toBe(4);
    capacity.release(target(0));
    expect(capacity.free).toBe(1);
  });

  test("keeps an endpoint's few slots until outcomes are stored", () => {
    const capacity = provenBy({ total: 10, unstored: 4, perEndpoint: 2 }, 1);
    expect(take(capacity, 3, target(1))).toBe(2);
    capacity.answered();
    expect(capacity.acquire(target(1))).toBe(false);
    expect(capacity.busy().webhookIds).toEqual([1]);
    capacity.release(target(1));
    expect(take(capacity, 3, target(1))).toBe(1);
  });
});
