/** The audit log names whose right was changed: the key by its label, the person by the address. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { listAudit } from "../../src/features/identity/team-routes.ts";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { pickId } from "../support/http/api-server.ts";
import { replyOf } from "../support/http/reply.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.213");
const { as } = room;

/** Audit log entries, oldest first: operation, subject, changes. */
async function told(role: "owner" | "operator", actions: readonly string[]) {
  const answer = await as(role).ask("GET", "/audit?limit=100");
  return replyOf(listAudit, answer)
    .entries.filter(({ action }) => actions.includes(action))
    .map(({ action, subject, changes }) => [
      action,
      subject,
      ...changes.map(({ field, from, to }) => `${field}: ${from} → ${to}`),
    ])
    .reverse();
}

test("names keys by label, for every creator and revoker", async () => {
  const owner = as("owner");
  const made = await owner.fetch("POST", "/api/v1/keys", { label: "Booking" });
  await owner.fetch("DELETE", `/api/v1/keys?id=${pickId(made, "key.id")}`);
  const { app, tenantId } = room.world;
  const { id, secret } = await app.ask("key.create", { tenant: tenantId, label: "Shop" });
  const byKey = (method: string, path: string, body?: object) =>
    fetch(`${app.addresses.http}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  await byKey("POST", "/keys", { label: "Second" });
  await byKey("DELETE", `/keys?id=${id}`);
  expect(await told("owner", ["createKey", "revokeKey"])).toEqual([
    ["createKey", "test"],
    ["createKey", "Booking"],
    ["revokeKey", "Booking"],
    ["createKey", "Shop"],
    ["createKey", "Second"],
    ["revokeKey", "Shop"],
  ]);
});

test("names webhooks by address, without the query", async () => {
  const { app, tenantId } = room.world;
  const { secret } = await app.ask("key.create", { tenant: tenantId, label: "Shop" });
  const url = `https://127.0.0.1:${room.receiver.port}/hook`;
  const byKey = (method: string, path: string, body?: object) =>
    fetch(`${app.addresses.http}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const made = await byKey("POST", "/webhooks", { url: `${url}?key=1`, events: ["call.ended"] });
  const { webhook } = (await made.json()) as { webhook: { id: number } };
  await byKey("POST", `/webhooks/${webhook.id}/rotate-secret`);
  await as("owner").ask("POST", `/webhooks/${webhook.id}/enable`, {});
  await as("owner").fetch("DELETE", `/api/v1/webhooks/${webhook.id}`);
  const actions = ["createWebhook", "rotateWebhookSecret", "enableWebhook", "deleteWebhook"];
  expect(await told("owner", actions)).toEqual(actions.map((action) => [action, url]));
});

test("names people by address: invited, changed and removed", async () => {
  const owner = as("owner");
  const invitation = { email: "guest@example.com", role: "viewer" };
  const invited = await owner.ask("POST", "/team/invitations", invitation);
  await owner.ask("DELETE", `/team/invitations/${pickId(invited, "invitation.id")}`);
  const team = await owner.ask("GET", "/team");
  const { members } = team.json as {
    members: { user_id: number; email: string; role: string }[];
  };
  const member = members.find(({ role }) => role === "member");
  if (!member) throw new Error("nobody is a member");
  await owner.ask("PATCH", `/team/${member.user_id}`, { role: "viewer" });
  await owner.ask("DELETE", `/team/${member.user_id}`);
  const actions = ["invite", "withdrawInvitation", "changeRole", "removeMember"];
  expect(await told("owner", actions)).toEqual([
    ["invite", "guest@example.com"],
    ["withdrawInvitation", "guest@example.com"],
    ["changeRole", member.email, "role: member → viewer"],
    ["removeMember", member.email],
  ]);
});

test("names the company changed by an operator", async () => {
  const operator = as("operator");
  const path = `/operator/tenants/${room.strangerTenant}`;
  await operator.ask("PATCH", path, { suspended: true });
  await operator.ask("PATCH", path, { suspended: false });
  await operator.ask("POST", `${path}/credit`, { eur: 5, note: "A gift" });
  const draft = { name: "New company", email: "new@example.com", plan: null };
  const made = await operator.ask("POST", "/operator/tenants", draft);
  const id = pickId(made, "tenant.id");
  await operator.ask("POST", `/operator/tenants/${id}/owner`, { email: "first@example.com" });
  const actions = ["operatorUpdateTenant", "operatorCreditTenant", "operatorCreateTenant"];
  expect(await told("operator", [...actions, "operatorInviteOwner"])).toEqual([
    ["operatorCreateTenant", "Dental clinic"],
    ["operatorUpdateTenant", "Another company", "suspended: false → true"],
    ["operatorUpdateTenant", "Another company", "suspended: true → false"],
    ["operatorCreditTenant", "Another company", "amount_eur: null → 5"],
    ["operatorCreateTenant", "New company"],
    ["operatorInviteOwner", "New company", "email: null → first@example.com"],
  ]);
});
