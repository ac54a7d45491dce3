/** How long an API key may live. */
import { expect, test } from "bun:test";
import { NO_LIMITS, requireSaneLimits } from "../../../src/domain/tenant/key-limits.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

test.each([
  ["2026-11-22T12:00:00Z", false],
  ["2026-11-22T12:00:01Z", true],
  ["2036-11-22T12:00:00Z", true],
  ["2037-11-22T12:00:00Z", false],
])("a key that ends at %s, made on 22 November 2026: %p", (time, isTaken) => {
  const make = () => requireSaneLimits({ ...NO_LIMITS, expiresAt: Date.parse(time) }, NOW);
  if (isTaken) expect(make).not.toThrow();
  else expect(make).toThrow("ten years");
});
