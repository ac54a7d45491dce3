/** Rights of a session, contract by contract: role, second factor, suspension, acting as a tenant. */
import { expect, test } from "bun:test";
import { AppError } from "../../../src/core/errors.ts";
import type { ActiveSession } from "../../../src/features/identity/sessions.ts";
import { authorise } from "../../../src/http/session/rights.ts";

type Contract = Parameters<typeof authorise>[0];

const ROLES = ["viewer", "member", "owner"] as const;
const tenant = { id: 1, name: "T", suspended: false, requiresSecondFactor: false, timeZone: "UTC" };
const user = { operator: false, totpSealed: null };
const OPERATOR = { user: { ...user, operator: true } };

/** `allowed`, or the error code. */
function verdict(contract: Partial<Contract>, session: object = {}): string {
  const full = { tenant, user, role: "owner", method: "password", actingUntil: null, ...session };
  try {
    authorise({ method: "POST", ...contract }, full as unknown as ActiveSession);
    return "allowed";
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.code, error.messageName.reason ?? error.field].filter(Boolean).join(": ");
  }
}

test("each role has its own rights and those of the roles below", () => {
  for (const [rank, role] of ROLES.entries())
    for (const [needs, needed] of ROLES.entries())
      expect([role, needed, verdict({ role: needed }, { role })]).toEqual([
        role,
        needed,
        rank >= needs ? "allowed" : "forbidden",
      ]);
});

test("without a stated role viewers may read and members may change", () => {
  expect(verdict({ method: "GET" }, { role: "viewer" })).toBe("allowed");
  for (const method of ["POST", "PATCH", "DELETE"] as const) {
    expect(verdict({ method }, { role: "viewer" })).toBe("forbidden");
    expect(verdict({ method }, { role: "member" })).toBe("allowed");
  }
});

test("operator routes are closed to everybody else, and need no tenant", () => {
  for (const role of ROLES) expect(verdict({ role: "operator" }, { role })).toBe("forbidden");
  const none = { tenant: null, role: null };
  expect(verdict({ role: "operator" }, { ...OPERATOR, ...none })).toBe("allowed");
});

test("without a tenant, or a role in it, only one's own account is accessible", () => {
  for (const missing of [{ tenant: null }, { role: null }]) {
    expect(verdict({ method: "GET" }, missing)).toBe("forbidden");
    expect(verdict({ method: "POST", scope: "user" }, missing)).toBe("allowed");
  }
});

test("a suspended tenant is closed to its people, not to an operator", () => {
  const suspended = { tenant: { ...tenant, suspended: true } };
  expect(verdict({ method: "GET" }, suspended)).toBe("forbidden: suspended");
  expect(verdict({ method: "GET" }, { ...suspended, ...OPERATOR })).toBe("allowed");
  expect(verdict({ method: "GET", scope: "user" }, suspended)).toBe("allowed");
});

test("a tenant that requires a second factor accepts only a passkey or an authenticator", () => {
  const strict = { tenant: { ...tenant, requiresSecondFactor: true } };
  for (const method of ["password", "link"])
    expect(verdict({ method: "GET" }, { ...strict, method })).toBe("forbidden: second_factor");
  expect(verdict({ method: "GET" }, { ...strict, ...OPERATOR })).toBe("forbidden: second_factor");
  expect(verdict({ method: "GET" }, { ...strict, method: "passkey" })).toBe("allowed");
  const sealed = { user: { ...user, totpSealed: "sealed" } };
  expect(verdict({ method: "GET" }, { ...strict, ...sealed })).toBe("allowed");
  expect(verdict({ method: "GET", scope: "user" }, strict)).toBe("allowed");
});

test("an impersonating operator cannot use the rights reserved for the tenant's people", () => {
  const acting = { ...OPERATOR, actingUntil: 1 };
  expect(verdict({ notWhenActing: true }, acting)).toBe("forbidden: acting");
  expect(verdict({}, acting)).toBe("allowed");
  expect(verdict({ notWhenActing: true }, OPERATOR)).toBe("allowed");
});
