/**
 * An operator acts as a tenant: after a recent sign-in, for an hour, in the tenant's audit log, and without its
 * secrets, payments and team.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { signedInBrowser } from "../support/browser/dashboard-session.ts";
import { pick } from "../support/http/api-server.ts";
import { timedServer } from "../support/http/timed-server.ts";

setDefaultTimeout(60_000);

const MINUTE = 60_000;
const { clock, server } = await timedServer();

async function world() {
  const [home, away] = [
    await server.tenant({ name: "Home" }),
    await server.tenant({ name: "Away" }),
  ];
  const operator = await signedInBrowser(server, { tenantId: home.id, operator: true });
  const owner = await signedInBrowser(server, { tenantId: away.id });
  const enter = (tenant: { id: number }) =>
    operator.ask("POST", "/active-tenant", { tenant_id: tenant.id });
  const entries = async () =>
    pick(await owner.ask("GET", "/audit"), "entries") as {
      action: string;
      user_email: string;
      acting_until: string | null;
      outcome: string;
    }[];
  return { home, away, operator, owner, enter, entries };
}

test("needs a recent sign-in, ends after an hour, and both ends are in the tenant's audit log", async () => {
  const { away, home, operator, enter, entries } = await world();
  await clock.advance(16 * MINUTE);
  const stale = await enter(away);
  expect([stale.status, pick(stale, "field")]).toEqual([403, "sign_in"]);
  expect((await enter(home)).status).toBe(200);

  const again = await signedInBrowser(server, { tenantId: home.id, operator: true });
  expect((await again.ask("POST", "/active-tenant", { tenant_id: away.id })).status).toBe(200);
  const until = pick(await again.ask("GET", "/session"), "session.acting_until");
  expect(Math.round((Date.parse(String(until)) - clock.now()) / MINUTE)).toBe(60);
  await again.fetch("POST", "/api/v1/agents", {
    name: "Night",
    prompt: "You answer.",
    language: "en",
  });
  await clock.advance(59 * MINUTE);
  expect((await again.fetch("GET", "/api/v1/agents")).status).toBe(200);
  await clock.advance(MINUTE);
  expect((await again.fetch("GET", "/api/v1/agents")).status).toBe(403);
  expect(pick(await again.ask("GET", "/session"), "session.tenant")).toBeNull();
  expect(await entries()).toMatchObject([
    { action: "stopActing", user_email: again.person.email },
    { action: "createAgent", subject: "Night", user_email: again.person.email },
    { action: "setActiveTenant", acting_until: until, user_email: again.person.email },
    { action: "signInLink" },
  ]);
  expect(pick(await operator.ask("GET", "/session"), "session.acting_until")).toBeNull();
});

test("ends when the operator leaves, enters another tenant or signs out", async () => {
  const { away, home, operator, enter, entries } = await world();
  await enter(away);
  await operator.ask("DELETE", "/active-tenant");
  expect(pick(await operator.ask("GET", "/session"), "session.tenant.name")).toBe("Home");
  await enter(away);
  await enter(home);
  await enter(away);
  await operator.ask("POST", "/sign-out");
  const acting = (await entries()).map(({ action }) => action).filter((at) => !/^sign/.test(at));
  expect(acting).toEqual(Array.from({ length: 3 }, () => ["stopActing", "setActiveTenant"]).flat());
});

test("allows no secrets, payments and team changes, and the attempts are in the audit log", async () => {
  const { away, operator, enter, entries } = await world();
  await enter(away);
  const tried = [
    ["POST", "/api/v1/keys", { label: "mine" }],
    ["POST", "/api/v1/webhooks", { url: "https://hostile.example/", events: ["call.ended"] }],
    ["POST", "/api/v1/webhook-secret/regenerate", {}],
    ["POST", "/api/v1/topup", { amount_eur: 10 }],
    ["POST", "/api/dashboard/team/invitations", { email: "me@evil.example", role: "owner" }],
    ["PATCH", `/api/dashboard/team/${operator.person.id}`, { role: "owner" }],
  ] as const;
  for (const [method, path, body] of tried) {
    const answer = await operator.fetch(method, path, body);
    expect([path, answer.status]).toEqual([path, 403]);
  }
  expect((await entries()).filter(({ outcome }) => outcome === "refused").length).toBeGreaterThan(
    4,
  );
});

test("an owner of another tenant cannot act as anybody, and sees nothing of it", async () => {
  const { away, operator, enter } = await world();
  const neighbour = await signedInBrowser(server, {
    tenantId: (await server.tenant({ name: "Neighbour" })).id,
  });
  await enter(away);
  expect((await neighbour.ask("POST", "/active-tenant", { tenant_id: away.id })).status).toBe(404);
  await neighbour.ask("DELETE", "/active-tenant");
  expect(pick(await neighbour.ask("GET", "/session"), "session")).toMatchObject({
    tenant: { name: "Neighbour" },
    acting_until: null,
  });
  expect((await neighbour.ask("GET", "/audit")).text).not.toContain(operator.person.email);
});

test("an impersonating operator revokes neither keys nor invitations", async () => {
  const { away, operator, owner, enter } = await world();
  const made = await owner.fetch("POST", "/api/v1/keys", { label: "CRM" });
  const invited = await owner.ask("POST", "/team/invitations", {
    email: "new@example.com",
    role: "member",
  });
  await enter(away);
  const asked = [
    await operator.fetch("DELETE", `/api/v1/keys?id=${pick(made, "key.id")}`),
    await operator.ask("DELETE", `/team/invitations/${pick(invited, "invitation.id")}`),
  ];
  expect(asked.map(({ status }) => status)).toEqual([403, 403]);
  expect((await owner.fetch("GET", "/api/v1/keys")).text).toContain('"label":"CRM"');
  expect(pick(await owner.ask("GET", "/team"), "invitations")).toHaveLength(1);
});

test("removing a person lists their keys that still work", async () => {
  const { away, owner } = await world();
  const leaving = await signedInBrowser(server, { tenantId: away.id });
  const made = await leaving.fetch("POST", "/api/v1/keys", { label: "CRM" });
  await owner.fetch("POST", "/api/v1/keys", { label: "Own" });
  const removed = await owner.ask("DELETE", `/team/${leaving.person.id}`);
  const [id, prefix] = [pick(made, "key.id"), pick(made, "key.prefix")];
  expect(pick(removed, "api_keys")).toEqual([{ id, label: "CRM", prefix }]);
});
