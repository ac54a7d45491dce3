/** Actions that need a sign-in of the last 15 minutes, and companies that require a second factor. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { sessions } from "../../src/store/schema/index.ts";
import { browserOf } from "../support/browser/appliance-browser.ts";
import type { Browser } from "../support/browser/dashboard-session.ts";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { pick, pickText } from "../support/http/api-server.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.74");
const { as } = room;
const MINUTE = 60_000;

/** Ages all sign-ins to this many minutes. */
const age = (minutes: number) =>
  room.world.app.database.tx((queries) =>
    queries.update(sessions).set({ createdAt: Date.now() - minutes * MINUTE }),
  );

const statusOf = async (browser: Browser, method: string, path: string, body?: unknown) => {
  const answer = await browser.ask(method, path, body);
  return [answer.status, pick(answer, "field") ?? null];
};

test("trunk, dialling rules and exports need a recent sign-in; other settings do not", async () => {
  const owner = as("operator");
  const trunk = { server: "127.0.0.9", username: "u", password: "p", caller_id: "+37052000000" };
  const asked = [
    ["POST", "/trunk", trunk],
    ["DELETE", "/trunk", undefined],
    ["PATCH", "/tenant-settings", { allowed_prefixes: ["+371"] }],
    ["PATCH", "/tenant-settings", { daily_spend_max_eur: 77 }],
    ["PATCH", "/tenant-settings", { calls_per_minute_max: 7 }],
    ["GET", "/calls.csv", undefined],
  ] as const;
  await age(16);
  for (const [method, path, body] of asked)
    expect([path, ...(await statusOf(owner, method, path, body))]).toEqual([path, 403, "sign_in"]);
  const contacts = await owner.fetch("GET", "/api/v1/contacts/export");
  expect([contacts.status, pick(contacts, "field")]).toEqual([403, "sign_in"]);
  // Unchanged values need no recent sign-in, and neither does the name.
  const settings = pick(await owner.ask("GET", "/tenant-settings"), "settings") as {
    allowed_prefixes: unknown;
  };
  const same = { name: "Renamed", allowed_prefixes: settings.allowed_prefixes };
  expect((await owner.ask("PATCH", "/tenant-settings", same)).status).toBe(200);
  await age(14);
  expect((await owner.ask("GET", "/calls.csv")).status).toBe(200);
  expect((await owner.fetch("GET", "/api/v1/contacts/export")).status).toBe(200);
  expect((await owner.ask("PATCH", "/tenant-settings", { calls_per_minute_max: 7 })).status).toBe(
    200,
  );
});

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

async function setUpTotp(browser: Browser): Promise<void> {
  const secret = pickText(await browser.ask("POST", "/totp/begin"), "secret");
  const on = await browser.ask("POST", "/totp/confirm", { code: codeOf(secret) });
  expect(on.status).toBe(200);
}

test("a company that requires a second factor admits members who have one, and all to their profile", async () => {
  const { app, tenantId } = room.world;
  const owner = await browserOf(app, { tenantId });
  const member = await browserOf(app, { tenantId, role: "member" });
  const require = (on: boolean) =>
    owner.ask("PATCH", "/tenant-settings", { requires_second_factor: on });
  const alone = await require(true);
  expect([alone.status, pick(alone, "field")]).toEqual([409, "requires_second_factor"]);
  await setUpTotp(owner);
  expect((await require(true)).status).toBe(200);

  expect(await statusOf(member, "GET", "/team")).toEqual([403, "second_factor"]);
  const rest = await member.fetch("GET", "/api/v1/agents");
  expect([rest.status, pick(rest, "field")]).toEqual([403, "second_factor"]);
  const session = async () => pick(await member.ask("GET", "/session"), "session");
  expect(await session()).toMatchObject({ second_factor_needed: true });
  await setUpTotp(member);
  expect(await session()).toMatchObject({ second_factor_needed: false });
  expect((await member.ask("GET", "/team")).status).toBe(200);
  // Another company does not require it.
  expect((await room.stranger.ask("GET", "/team")).status).toBe(200);
  const keyed = await fetch(`${app.addresses.http}/api/v1/tenant`, {
    headers: { authorization: `Bearer ${room.world.apiKey}` },
  });
  expect(keyed.status).toBe(200);
  expect((await require(false)).status).toBe(200);
  const [row] = await app.database.read
    .select()
    .from(sessions)
    .where(eq(sessions.tenantId, tenantId));
  expect(row).toBeDefined();
});
