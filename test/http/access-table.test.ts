/**
 * Access rights of every route in both documents. The routes are walked, not listed, so that new routes are
 * included.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { allContracts } from "../../src/app/server/contracts.ts";
import { dashboardContracts } from "../../src/app/server/dashboard-contracts.ts";
import { type Contract, requiredRole } from "../../src/http/contract.ts";
import type { Role } from "../../src/http/contracts/operation.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { browserOf as browserAt } from "../support/browser/appliance-browser.ts";
import { Browser } from "../support/browser/dashboard-session.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const MOUNT = "/api/dashboard";
const RANK: Readonly<Record<Role, number>> = { viewer: 1, member: 2, owner: 3, operator: 4 };
const ROLES: readonly Role[] = ["viewer", "member", "owner", "operator"];

/** Paths with unknown ids: an allowed request ends as not_found or as a bad body, and does no harm. */
const pathOf = ({ path }: Contract): string =>
  path
    .replace("{id}", "999999")
    .replace("{uuid}", "019aa1b2-0000-7000-8000-000000000001")
    .replace("{delivery_id}", `del_${"0".repeat(32)}`)
    .replace("{checkout_id}", `chk_${"0".repeat(32)}`)
    .replace("{month}", "2026-11");

const everyRoute = [
  ...allContracts().map((contract) => ({ mount: "/api/v1", contract })),
  ...dashboardContracts().map((contract) => ({ mount: MOUNT, contract })),
].map(({ mount, contract }) => ({ mount, contract, path: mount + pathOf(contract) }));

const closed: (typeof everyRoute)[number][] = [];

const label = ({ contract, path }: (typeof everyRoute)[number]) => `${contract.method} ${path}`;

let world: Appliance;
let base = "";
/** Sends the requests of all mounted routes, two each: a session may send 600 per minute. */
let asker: Browser;
const browsers = new Map<Role, Browser>();

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.8.73" });
  base = world.app.addresses.http;
  for (const role of ROLES)
    browsers.set(
      role,
      await signIn({
        tenantId: world.tenantId,
        role: role === "operator" ? "viewer" : role,
        operator: role === "operator",
      }),
    );
  asker = await signIn({ tenantId: world.tenantId });
  for (const route of everyRoute)
    if (!route.contract.open && (await isMounted(route))) closed.push(route);
});
afterAll(() => world.close());

const signIn = (draft: Parameters<typeof browserAt>[1]) => browserAt(world.app, draft);

const browserOf = (role: Role): Browser => {
  const browser = browsers.get(role);
  if (!browser) throw new Error(`nobody is ${role}`);
  return browser;
};

const knock = (browser: Browser, route: (typeof everyRoute)[number], headers = {}) => {
  const { method, body } = route.contract;
  return browser.fetch(method, route.path, body && method !== "GET" ? {} : undefined, headers);
};

const errorOf = (json: unknown) => (json as { error?: string } | null)?.error ?? "";

const isMounted = async (route: (typeof everyRoute)[number]): Promise<boolean> => {
  const answer = await asker.fetch("OPTIONS", route.path);
  return (answer.headers.get("allow") ?? "").includes(route.contract.method);
};

test("the documents contain every route", async () => {
  const missing: string[] = [];
  for (const route of everyRoute) if (!(await isMounted(route))) missing.push(label(route));
  expect(missing).toEqual([]);
});

describe("every route", () => {
  test("is closed without a session or key, with a made-up cookie and with a made-up key", async () => {
    const wrong: string[] = [];
    const stranger = new Browser(base);
    for (const route of closed) {
      const cookie = { cookie: `__Host-linevoice=${"A".repeat(43)}` };
      for (const headers of [{}, cookie, { authorization: "Bearer lv_live_0" }]) {
        const { status } = await knock(stranger, route, headers);
        if (status !== 401) wrong.push(`${label(route)}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  for (const role of ROLES)
    test(`requires of a session what its contract says: ${role}`, async () => {
      const wrong: string[] = [];
      for (const route of closed) {
        const { contract } = route;
        const needed = requiredRole(contract);
        const may = contract.scope === "user" ? needed !== "operator" : RANK[role] >= RANK[needed];
        const { status, json } = await knock(browserOf(role), route);
        const refused = status === 403 && errorOf(json) === "forbidden";
        if (refused === may || status === 401)
          wrong.push(`${label(route)}: ${status} ${errorOf(json)}, may: ${may}`);
      }
      expect(wrong).toEqual([]);
    });

  test("of the dashboard accepts no API key", async () => {
    const wrong: string[] = [];
    for (const route of closed.filter(({ mount }) => mount === MOUNT)) {
      const key = { authorization: `Bearer ${world.apiKey}`, "x-lv-api-key": world.apiKey };
      const { status } = await knock(new Browser(base), route, key);
      if (status !== 401) wrong.push(`${label(route)}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  test("that changes something refuses a session with a cross-site request", async () => {
    const wrong: string[] = [];
    const { cookie } = browserOf("operator");
    for (const route of everyRoute) {
      if (route.contract.method === "GET") continue;
      if (route.mount !== MOUNT && route.contract.open) continue;
      const { method, body } = route.contract;
      const response = await fetch(base + route.path, {
        method,
        headers: {
          cookie: cookie ?? "",
          "sec-fetch-site": "same-site",
          ...(body ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { body: "{}" } : {}),
      });
      if (errorOf(await response.json()) !== "forbidden")
        wrong.push(`${label(route)}: ${response.status}`);
    }
    expect(wrong).toEqual([]);
  });

  test("of a tenant is closed to a removed person, and to a suspended tenant's people", async () => {
    const { id } = await world.app.ask("tenant.create", {
      name: "Closed",
      email: "closed@example.com",
      plan: null,
    });
    const stayer = await signIn({ tenantId: id, role: "owner" });
    const leaver = await signIn({ tenantId: id, role: "member" });
    const team = await stayer.ask("GET", "/team");
    const { members } = team.json as { members: { user_id: number; role: string }[] };
    const left = members.find(({ role }) => role === "member")?.user_id;
    expect((await stayer.ask("DELETE", `/team/${left}`)).status).toBe(200);
    await world.app.ask("tenant.suspend", { tenant: id });
    const wrong: string[] = [];
    for (const route of closed) {
      if (route.contract.scope === "user") continue;
      for (const browser of [leaver, stayer]) {
        const { status, json } = await knock(browser, route);
        if (errorOf(json) !== "forbidden") wrong.push(`${label(route)}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

test("an API key works as before, with any cookie", async () => {
  const made = await fetch(`${base}/api/v1/keys`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.apiKey}`,
      cookie: browserOf("viewer").cookie ?? "",
      "sec-fetch-site": "cross-site",
      "content-type": "application/json",
    },
    body: '{"label":"second"}',
  });
  expect(made.status).toBe(200);
});
