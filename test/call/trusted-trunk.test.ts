/** Trunks whose caller ID counts towards level 2. */
import { expect, test } from "bun:test";
import type { RegistrationStatus } from "../../src/call/sip-port.ts";
import { isTrusted } from "../../src/call/trusted-trunk.ts";
import { trunkSettings } from "../support/sip/sip-stack.ts";

const trunk = (registration: RegistrationStatus, tenantId = 1) => ({
  settings: trunkSettings({ tenantId, register: registration.name !== "not_required" }),
  registration,
});

test.each([
  [{ name: "registered", expiresAtMs: 1 }, true],
  [{ name: "not_required" }, true],
  [{ name: "registering" }, false],
  [{ name: "unregistered" }, false],
  [{ name: "failed", lastCode: 403, explanation: "", nextAttemptAtMs: 1 }, false],
] as const)("a tenant's own trunk with %j: %p", (registration, trusted) => {
  expect(isTrusted(trunk(registration), 1)).toBe(trusted);
});

test("another tenant's trunk at the same provider, or no trunk, is not trusted", () => {
  expect(isTrusted(trunk({ name: "not_required" }, 2), 1)).toBe(false);
  expect(isTrusted(trunk({ name: "registered", expiresAtMs: 1 }, 2), 1)).toBe(false);
  expect(isTrusted(undefined, 1)).toBe(false);
});
