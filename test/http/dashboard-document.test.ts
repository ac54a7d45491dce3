/** The dashboard's OpenAPI document: names, roles and open routes. */
import { expect, test } from "bun:test";
import { allContracts } from "../../src/app/server/contracts.ts";
import { dashboardContracts } from "../../src/app/server/dashboard-contracts.ts";
import { dashboardDocument } from "../../src/app/server/dashboard-document.ts";

test("a changing operation's name has one meaning in both documents, because the audit log shows it", () => {
  const changing = [...allContracts(), ...dashboardContracts()].filter(
    ({ method }) => method !== "GET",
  );
  const names = changing.map(({ operationId }) => operationId);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  expect(twice).toEqual([]);
});

test("open routes are listed here: a route opened by mistake fails this test", () => {
  const open = [...allContracts(), ...dashboardContracts()].filter((contract) => contract.open);
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    "GET /invitation",
    "GET /owner-link",
    "GET /ping",
    // By signature (recording-links.ts).
    "GET /recordings/{uuid}",
    "GET /reset-password",
    "GET /session",
    "POST /forgot-password",
    "POST /invitation",
    "POST /owner-link",
    "POST /reset-password",
    "POST /sign-in",
    "POST /sign-in/link",
    "POST /sign-in/passkey",
    "POST /sign-in/passkey/options",
    "POST /sign-in/totp",
    "POST /sign-out",
  ]);
});

test("routes reserved for owners are listed here", () => {
  const owned = [...allContracts(), ...dashboardContracts()].filter(({ role }) => role === "owner");
  const names = new Set(owned.map(({ operationId }) => operationId));
  for (const name of [
    ...["createKey", "revokeKey", "topUp", "openCheckout", "regenerateWebhookSecret"],
    ...["invite", "withdrawInvitation", "changeRole", "removeMember", "listAudit"],
  ])
    expect([name, names.has(name)]).toEqual([name, true]);
});

test("routes below /operator are for operators only", () => {
  const below = dashboardContracts().filter(({ path }) => path.startsWith("/operator"));
  expect(below.length).toBeGreaterThan(10);
  expect(below.filter(({ role }) => role !== "operator").map(({ path }) => path)).toEqual([]);
});

test("every closed operation names the session as its key, and the refusal of a role", () => {
  const document = dashboardDocument("0") as {
    security: unknown;
    paths: Record<string, Record<string, { security?: unknown[]; responses: object }>>;
  };
  expect(document.security).toEqual([{ session: [] }]);
  for (const contract of dashboardContracts()) {
    const operation = document.paths[contract.path]?.[contract.method.toLowerCase()];
    expect(operation?.security).toEqual(contract.open ? [] : undefined);
    if (!contract.open) expect(JSON.stringify(operation?.responses)).toContain('"forbidden"');
  }
});
