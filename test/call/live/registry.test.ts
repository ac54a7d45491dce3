/** Live calls are found only by their company and id. */
import { expect, test } from "bun:test";
import type { LiveCall } from "../../../src/call/live/live-call.ts";
import { CallRegistry } from "../../../src/call/live/registry.ts";

const callOf = (tenantId: number, callUuid: string) =>
  ({ identity: { tenantId, callUuid } }) as unknown as LiveCall;

test("a call is found by its own company only, and no longer after its removal", () => {
  const registry = new CallRegistry();
  const call = callOf(1, "a");
  registry.add(call);
  expect(registry.find(1, "a")).toBe(call);
  expect(registry.find(2, "a")).toBeUndefined();
  expect(registry.find(1, "b")).toBeUndefined();
  registry.remove(call);
  expect(registry.find(1, "a")).toBeUndefined();
  expect(registry.size).toBe(0);
});
