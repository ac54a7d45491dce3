/**
 * Access of one company's owner to another company's records over the dashboard's API: every route with a record
 * is walked, so that new routes are included; and every id in a body.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dashboardContracts } from "../../src/app/server/dashboard-contracts.ts";
import { type Contract, requiredRole } from "../../src/http/contract.ts";
import { calls, passkeys } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { browserOf } from "../support/browser/appliance-browser.ts";
import type { Browser } from "../support/browser/dashboard-session.ts";
import { pick, pickId } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const MARKER = "zyx-foreign-zyx";
const CALL = "019aa1b2-0000-7000-8000-00000000000a";
const NO_CALL = "019aa1b2-0000-7000-8000-00000000000b";

let world: Appliance;
let owner: Browser;
let stranger: Browser;
/** Ids by the beginning of a path. */
let ids: Readonly<Record<string, number | string>>;

const TOOL = {
  name: "find_booking",
  description: MARKER,
  url: "https://127.0.0.1:9/find",
  secret: "canary-secret",
  secret_header: "X-Secret",
  parameters: { type: "object", properties: {} },
};
const SITE = { url: `https://127.0.0.1:9/${MARKER}`, every_hours: 0 };

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.8.75" });
  const { app, tenantId, agentId } = world;
  const other = await app.ask("tenant.create", { name: "Other", email: "o@b.example", plan: null });
  owner = await browserOf(app, { tenantId });
  stranger = await browserOf(app, { tenantId: other.id });
  writeFileSync(join(world.dataDir, "recordings", "marked.mp3"), MARKER);
  const made = async (path: string, body: unknown, at: string) =>
    pickId(await owner.fetch("POST", path, body), at);
  const user = pickId(await owner.ask("GET", "/session"), "session.user.id");
  await app.database.tx(async (queries) => {
    await queries.insert(calls).values({
      callUuid: CALL,
      tenantId,
      agentId,
      direction: "inbound",
      status: "completed",
      fromNumber: "+37061234567",
      toNumber: OWN_NUMBER,
      summary: MARKER,
      createdAt: 1,
      recordingStatus: "ready",
      recordingFile: "marked.mp3",
      overageRate: 0 as never,
      cost: 0 as never,
    });
    await queries.insert(passkeys).values({
      userId: user,
      credentialId: MARKER,
      publicKey: "",
      counter: 0,
      transports: [],
      name: MARKER,
      createdAt: 1,
    });
  });
  await owner.ask("POST", `/calls/${CALL}/comments`, { text: MARKER });
  const webhook = { url: `https://127.0.0.1:9/${MARKER}`, events: ["call.ended"] };
  const invitation = { email: `${MARKER}@example.com`, role: "viewer" };
  ids = {
    "/agents/": agentId,
    "/call-comments/": pickId(
      await owner.ask("GET", `/calls/${CALL}/annotations`),
      "comments.0.id",
    ),
    "/calls/": CALL,
    "/knowledge-sites/": await made("/api/dashboard/knowledge-sites", SITE, "site.id"),
    "/passkeys/": pickId(await owner.ask("GET", "/passkeys"), "passkeys.0.id"),
    "/sessions/": pickId(await owner.ask("GET", "/sessions"), "sessions.0.id"),
    "/team/invitations/": await made(
      "/api/dashboard/team/invitations",
      invitation,
      "invitation.id",
    ),
    "/team/": user,
    "/tools/": await made("/api/dashboard/tools", TOOL, "tool.id"),
    "/webhooks/": await made("/api/v1/webhooks", webhook, "webhook.id"),
  };
});
afterAll(() => world.close());

/** Bodies for the routes that need one. */
const BODIES: Readonly<Record<string, object>> = {
  addCallComment: { text: "x" },
  addCallTag: { tag: "x" },
  changeRole: { role: "viewer" },
  chatWithAgent: { message: "Hello." },
  removeCallTag: { tag: "x" },
  tryTool: { arguments: {} },
  updateTool: { description: "x" },
};

const named = dashboardContracts()
  .filter(
    (contract) => /\{(id|uuid)\}/.test(contract.path) && requiredRole(contract) !== "operator",
  )
  .map((contract) => [`${contract.method} ${contract.path}`, contract] as const);

function askAs(browser: Browser, contract: Contract, id: number | string) {
  const { method, operationId } = contract;
  const body = method === "GET" || method === "DELETE" ? undefined : (BODIES[operationId] ?? {});
  const path = contract.path.replace(/\{(id|uuid)\}/, String(id));
  return browser.ask(method, path, body, { "x-request-id": "r" });
}

function idOf({ path }: Contract): number | string {
  const found = Object.entries(ids).find(([beginning]) => path.startsWith(beginning));
  if (!found) throw new Error(`no record of the other company stands for ${path}`);
  return found[1];
}

test("there are many routes with a record", () => expect(named.length).toBeGreaterThan(20));

test.each(named)(
  "%s is 404 for another company's record, as for an unknown one",
  async (_, contract) => {
    const foreign = await askAs(stranger, contract, idOf(contract));
    const none = await askAs(
      stranger,
      contract,
      contract.path.includes("{uuid}") ? NO_CALL : 999_999,
    );
    expect([foreign.status, pick(foreign, "error")]).toEqual([404, "not_found"]);
    expect(foreign.text).toBe(none.text);
    expect(foreign.text).not.toContain(MARKER);
  },
);

test.each(named.filter(([, { method }]) => method === "GET"))(
  "%s accepts the record's own company",
  async (_, contract) => {
    const answer = await askAs(owner, contract, idOf(contract));
    // A file that is not a recording has no waveform.
    expect([200, contract.operationId === "getCallPeaks" ? 404 : 200]).toContain(answer.status);
  },
);

test.each([
  ["POST", "/tools", () => ({ ...TOOL, name: "other", agent_id: world.agentId })],
  ["POST", "/knowledge-sites", () => ({ ...SITE, agent_id: world.agentId })],
  ["POST", "/active-tenant", () => ({ tenant_id: world.tenantId })],
] as const)(
  "%s %s: an id of another company in the body is not found",
  async (method, path, body) => {
    const answer = await stranger.ask(method, path, body());
    expect([answer.status, pick(answer, "error")]).toEqual([404, "not_found"]);
  },
);

test("lists, searches and files show nothing of another company, and the other company's are complete", async () => {
  const lists = dashboardContracts().filter(
    (contract) =>
      contract.method === "GET" &&
      !contract.path.includes("{") &&
      !contract.replyType?.includes("audio"),
  );
  for (const { path } of lists)
    expect((await stranger.ask("GET", path)).text).not.toContain(MARKER);
  for (const query of [`?words=${MARKER}`, `?agent_id=${world.agentId}`])
    expect(pick(await stranger.ask("GET", `/calls${query}`), "calls")).toEqual([]);
  expect((await stranger.ask("GET", `/calls.csv?call_uuids=${CALL}`)).text).not.toContain(CALL);
  expect((await owner.ask("GET", `/calls.csv?call_uuids=${CALL}`)).text).toContain(CALL);
  expect((await owner.ask("GET", "/team")).text).toContain(MARKER);
});
