/** Changed settings in the audit log: names, old and new values, and never a secret. */
import { expect, test } from "bun:test";
import type { Contract, Route } from "../../../src/http/contract.ts";
import type { RequestContext } from "../../../src/http/request-context.ts";
import { createAuditDetails } from "../../../src/http/session/audit-details.ts";

const contractOf = (method: Contract["method"], path: string, more: Partial<Contract> = {}) =>
  ({ operationId: method + path, method, path, recordsChanges: true, ...more }) as Contract;
const routeOf = (contract: Contract): Route => ({ contract, handle: async () => ({}) });

const set = contractOf("POST", "/trunk", { versioned: true });
const remove = contractOf("DELETE", "/agents/{id}");
const make = contractOf("POST", "/agents");
const patch = contractOf("PATCH", "/agents/{id}");
const reader = createAuditDetails([
  [
    ...[set, remove, make, patch].map(routeOf),
    routeOf(contractOf("GET", "/trunk", { recordsChanges: undefined as never })),
    routeOf(contractOf("GET", "/agents/{id}", { recordsChanges: undefined as never })),
  ],
]);

async function told(contract: Contract, former: unknown, reply: unknown, body: unknown) {
  const context = { session: {}, details: null } as unknown as RequestContext;
  const done = await reader.before(contract, context, async () => former);
  done?.(reply, body);
  return context.details;
}

test("shows old and new values of the requested fields, and of a secret only that it changed", async () => {
  const trunk = { server: "sip.a.example", port: 5060, status: "registered", transport: "udp" };
  const details = await told(
    set,
    { ok: true, trunk },
    { ok: true, trunk: { ...trunk, server: "sip.b.example", status: "registering" } },
    { server: "sip.b.example", port: 5060, transport: "udp", password: "swordfish" },
  );
  expect(details).toEqual({
    subject: "sip.a.example",
    changes: [
      { field: "server", from: "sip.a.example", to: "sip.b.example" },
      { field: "password", from: null, to: "•••" },
    ],
  });
  expect(JSON.stringify(details)).not.toContain("swordfish");
});

test("hides queries of addresses, and secrets inside groups", async () => {
  const agent = { name: "A", webhook_url: "https://u:pw@a.example/x?key=k1", set: { token: "t1" } };
  const to = { ...agent, webhook_url: "https://a.example/y?key=k2", set: { token: "t2" } };
  const body = { webhook_url: to.webhook_url, set: to.set };
  const details = JSON.stringify(await told(patch, { agent }, { agent: to }, body));
  for (const secret of ["pw", "k1", "k2", "t1", "t2"]) expect(details).not.toContain(secret);
  expect(details).toContain("https://a.example/y");
});

test("shortens long texts around their first difference", async () => {
  const [from, to] = [`${"a".repeat(500)}old${"b".repeat(500)}`, `${"a".repeat(500)}new`];
  const details = await told(
    patch,
    { agent: { name: "A", prompt: from } },
    { agent: { name: "A", prompt: to } },
    { prompt: to },
  );
  const [change] = details?.changes ?? [];
  expect(change?.from).toContain("old");
  expect(change?.to).toContain("new");
  expect((change?.from ?? "").length).toBeLessThan(130);
});

test("names created and deleted records, without values", async () => {
  const agent = { id: 1, name: "Night", prompt: "Say hello." };
  expect(await told(make, null, { ok: true, agent }, agent)).toEqual({ subject: "Night" });
  expect(await told(remove, { ok: true, agent }, null, null)).toEqual({ subject: "Night" });
});
