/**
 * The dashboard over real HTTP on a whole appliance without calls: deliveries, money, lists as CSV, home, the
 * operator.
 */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { callNotesStore } from "../../src/call/store/call-notes-store.ts";
import { monthText, wallClock } from "../../src/core/calendar.ts";
import { microEur } from "../../src/core/money.ts";
import * as operatorHealth from "../../src/features/appliance/health-routes.ts";
import * as operatorNodes from "../../src/features/appliance/nodes-routes.ts";
import * as wallet from "../../src/features/billing/dashboard-routes.ts";
import * as money from "../../src/features/billing/routes.ts";
import * as homes from "../../src/features/call-log/home-routes.ts";
import * as team from "../../src/features/identity/team-routes.ts";
import * as operatorMail from "../../src/features/mail/routes.ts";
import * as operatorTenants from "../../src/features/tenant/operator-routes.ts";
import * as hooks from "../../src/features/webhook/dashboard-routes.ts";
import * as rest from "../../src/features/webhook/routes.ts";
import { calls, mails, planUsage, webhooks } from "../../src/store/schema/index.ts";
import { OWN_NUMBER } from "../support/appliance/appliance.ts";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { errorOf, messageOf, replyOf } from "../support/http/reply.ts";
import { insertCall } from "../support/store/stored-rows.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.171");
const { as } = room;

test("a switched-off webhook is shown, switched on, and gets its failed events", async () => {
  const made = replyOf(
    rest.createWebhook,
    await as("owner").fetch("POST", "/api/v1/webhooks", {
      url: `https://127.0.0.1:${room.receiver.port}/hook`,
      events: ["call.ended"],
    }),
  );
  const { id } = made.webhook;
  await room.world.app.database.tx(async (queries) => {
    await queries.update(webhooks).set({ enabled: false, disabledReason: "410 Gone" });
  });
  const [state] = replyOf(
    hooks.listWebhookStates,
    await as("viewer").ask("GET", "/webhooks"),
  ).webhooks;
  expect(state).toMatchObject({ id, enabled: false, disabled_reason: "410 Gone", failed: 0 });
  const home = replyOf(homes.getHome, await as("viewer").ask("GET", "/home"));
  expect(home.problems.map((problem) => problem.href)).toContain("/app/webhooks");
  expect((await room.stranger.ask("POST", `/webhooks/${id}/enable`, {})).status).toBe(404);
  expect((await as("member").ask("POST", `/webhooks/${id}/resend-failed`, {})).status).toBe(409);
  expect(
    replyOf(hooks.enableWebhook, await as("member").ask("POST", `/webhooks/${id}/enable`, {}))
      .enabled,
  ).toBe(true);
  expect(
    replyOf(hooks.resendFailed, await as("member").ask("POST", `/webhooks/${id}/resend-failed`, {}))
      .queued,
  ).toBe(0);
});

test("the wallet's history: ledger, checkouts, a month as a page and as CSV", async () => {
  const operator = as("operator");
  const credited = await operator.ask("POST", `/operator/tenants/${room.world.tenantId}/credit`, {
    eur: 5,
    note: '=HYPERLINK("x")',
  });
  expect(replyOf(operatorTenants.creditTenant, credited).balance_eur).toBe(5);
  const opened = replyOf(
    money.topUp,
    await as("owner").fetch("POST", "/api/v1/topup", { amount_eur: 10 }),
  );
  const [waiting] = replyOf(
    operatorTenants.listWaitingCheckouts,
    await operator.ask("GET", "/operator/checkouts"),
  ).checkouts;
  if (!waiting) throw new Error("nothing waits");
  expect(waiting).toMatchObject({ id: opened.checkout.id, tenant_name: "Dental clinic" });
  const confirm = `/operator/checkouts/${waiting.id}/confirm`;
  expect(
    replyOf(operatorTenants.confirmCheckout, await operator.ask("POST", confirm, {})).checkout
      .status,
  ).toBe("paid");
  expect(
    replyOf(operatorTenants.confirmCheckout, await operator.ask("POST", confirm, {})).checkout
      .status,
  ).toBe("paid");
  const ledger = replyOf(wallet.listLedger, await as("viewer").ask("GET", "/ledger?limit=10"));
  expect(ledger.total).toBe(2);
  expect(ledger.entries).toMatchObject([
    { kind: "topup", amount_eur: 10, checkout_id: waiting.id },
    { kind: "credit", amount_eur: 5 },
  ]);
  const [checkout] = replyOf(
    wallet.listCheckouts,
    await as("viewer").ask("GET", "/checkouts"),
  ).checkouts;
  expect(checkout).toMatchObject({ status: "paid", amount_eur: 10 });
  expect(replyOf(wallet.listLedger, await room.stranger.ask("GET", "/ledger")).entries).toEqual([]);

  const now = new Date();
  const month = `year=${now.getUTCFullYear()}&month=${now.getUTCMonth() + 1}`;
  const page = await as("viewer").ask("GET", `/statement?${month}`);
  expect(page.headers.get("content-type")).toStartWith("text/html");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.text).toContain("Top-up");
  expect(page.text).not.toContain('=HYPERLINK("x")');
  const csv = await as("viewer").ask("GET", `/statement.csv?${month}`);
  expect(csv.text).toContain(`"'=HYPERLINK(""x"")"`);
  expect((await as("viewer").ask("GET", "/statement?year=2026&month=13")).status).toBe(400);
});

test("calls as CSV: quoted, never a formula, every row once over many pages", async () => {
  const base = Date.parse("2026-01-05T10:00:00Z");
  const rows = Array.from({ length: 1203 }, (_, index) => ({
    tenantId: room.strangerTenant,
    callUuid: `019aa1b2-0000-7000-8000-${String(index).padStart(12, "0")}`,
    direction: "inbound" as const,
    fromNumber: index === 0 ? "=cmd|' /C calc'!A0" : "+37061234567",
    toNumber: OWN_NUMBER,
    status: "completed" as const,
    // Many calls share a timestamp, so that a page ends among equal ones.
    createdAt: base + Math.floor(index / 300),
    recordingStatus: "none" as const,
    overageRate: 0 as never,
    cost: 0 as never,
    summary: index === 1 ? 'He said "no",\nthen left' : null,
  }));
  await room.world.app.database.tx(async (queries) => {
    for (let at = 0; at < rows.length; at += 200)
      await queries.insert(calls).values(rows.slice(at, at + 200));
  });
  const csv = await room.stranger.ask("GET", "/calls.csv?from=2026-01-05&to=2026-01-05");
  const uuids = csv.text.match(/^019aa1b2-[0-9a-f-]+/gm) ?? [];
  expect([uuids.length, new Set(uuids).size]).toEqual([1203, 1203]);
  expect(csv.text).toContain(`'=cmd|' /C calc'!A0`);
  expect(csv.text).toContain(`"He said ""no"",\nthen left"`);
  expect(csv.headers.get("content-disposition")).toStartWith("attachment");
  const own = await as("viewer").ask("GET", "/calls.csv");
  expect(own.text).not.toContain("019aa1b2-");
  const [first = "", second = ""] = uuids;
  const chosen = (reader: typeof room.stranger, list: string) =>
    reader.ask("GET", `/calls.csv?call_uuids=${list}`);
  const two = await chosen(room.stranger, `${second},${first},${first}`);
  expect([...(two.text.match(/^019aa1b2-[0-9a-f-]+/gm) ?? [])]).toEqual(
    [first, second].toSorted().toReversed(),
  );
  expect((await chosen(as("viewer"), first)).text).not.toContain(first);
  const many = await chosen(room.stranger, uuids.slice(0, 200).join());
  expect(many.text.match(/^019aa1b2-/gm)).toHaveLength(200);
  expect((await chosen(as("viewer"), "no-uuid")).status).toBe(400);
  const none = await room.stranger.ask("GET", "/calls.csv?direction=outbound");
  expect(none.text.trim().split("\r\n").length).toBe(1);
});

test("home shows the current state, problems and open steps", async () => {
  const home = replyOf(homes.getHome, await as("viewer").ask("GET", "/home"));
  expect(home.statuses.trunk.state).toBe("ok");
  expect(home.statuses.engine).toEqual({
    state: "ok",
    code: "engine_ready",
    values: {},
    remedy: null,
    sentence: "Ready for calls.",
  });
  expect(home.statuses.mail.state).toBe("warning");
  expect(home.statuses.backup.state).toBe("warning");
  const done = Object.fromEntries(home.checklist.map((step) => [step.id, step.done]));
  expect(done).toEqual({
    agent: true,
    knowledge: true,
    talk: false,
    trunk: true,
    number: true,
    first_call: false,
  });
  const empty = replyOf(homes.getHome, await room.stranger.ask("GET", "/home"));
  expect(empty.statuses.trunk.state).toBe("unknown");
  expect(empty.live_calls).toBe(0);
});

test("home warns before plan and wallet run out, reports when they have, and links to the wallet", async () => {
  const tenantId = room.strangerTenant;
  const { year, month } = wallClock("Europe/Vilnius", Date.now());
  const used = (secondsUsed: number) =>
    room.world.app.database.tx(async (queries) => {
      await queries.delete(planUsage).where(eq(planUsage.tenantId, tenantId));
      const row = { tenantId, month: monthText(year, month), secondsUsed };
      await queries.insert(planUsage).values(row);
    });
  const problem = async () => {
    const { problems } = replyOf(homes.getHome, await room.stranger.ask("GET", "/home"));
    return problems.find(({ code }) => code.startsWith("money"));
  };
  const PLAN_SECONDS = 6000;
  await used(PLAN_SECONDS - 3600);
  expect(await problem()).toBeUndefined();
  const href = "/app/billing?tab=wallet";
  await used(PLAN_SECONDS - 3599);
  expect(await problem()).toMatchObject({ code: "money_low", values: { minutes: 59 }, href });
  await used(PLAN_SECONDS);
  expect(await problem()).toMatchObject({ code: "money_gone", href });
  await used(0);
});

test("a trunk that fails after the first call is a problem, not a step to the first call", async () => {
  await room.world.app.database.tx(async (queries) => {
    await queries.insert(calls).values({
      tenantId: room.strangerTenant,
      callUuid: "019aa1b2-0000-7000-8000-00000000f1c5",
      direction: "inbound",
      fromNumber: "",
      toNumber: OWN_NUMBER,
      status: "completed",
      createdAt: Date.now(),
      recordingStatus: "none",
      overageRate: microEur(0),
      cost: microEur(0),
    });
  });
  const { statuses, checklist } = replyOf(homes.getHome, await room.stranger.ask("GET", "/home"));
  expect(statuses.trunk.state).not.toBe("ok");
  const done = Object.fromEntries(checklist.map((step) => [step.id, step.done]));
  expect(done).toMatchObject({ trunk: true, first_call: true });
});

test("the audit log lists who downloaded recordings, exports and log lines, done or refused", async () => {
  const uuid = "019aa1b2-0000-7000-8000-00000000a0d1";
  const file = `${uuid}.mp3`;
  await room.world.app.database.tx(async (queries) => {
    await queries.insert(calls).values({
      tenantId: room.strangerTenant,
      callUuid: uuid,
      direction: "inbound",
      fromNumber: "+37061234567",
      toNumber: OWN_NUMBER,
      status: "completed",
      createdAt: Date.now(),
      recordingStatus: "ready",
      recordingFile: file,
      overageRate: 0 as never,
      cost: 0 as never,
    });
  });
  await Bun.write(`${room.world.dataDir}/recordings/${file}`, "0123456789");
  const { stranger } = room;
  const pieces = ["bytes=0-3", "bytes=4-9"].map((range) =>
    stranger.ask("GET", `/calls/${uuid}/audio`, undefined, { range }),
  );
  const heard = await Promise.all(pieces);
  expect(heard.map(({ status }) => status)).toEqual([206, 206]);
  await stranger.ask("GET", "/calls.csv");
  await stranger.ask("GET", "/statement.csv?year=2026&month=11");
  await stranger.fetch("GET", "/api/v1/contacts/export");
  await stranger.ask("GET", "/operator/logs");
  await stranger.ask("GET", "/calls.csv");
  const { entries } = replyOf(team.listAudit, await stranger.ask("GET", "/audit?limit=50"));
  const readings = entries.map(({ action, target, outcome }) => `${action} ${target} ${outcome}`);
  const of = (action: string) => readings.filter((line) => line.startsWith(`${action} `));
  expect(of("getCallAudio")).toEqual([`getCallAudio /calls/${uuid}/audio done`]);
  expect(of("getCallsCsv")).toEqual(["getCallsCsv /calls.csv done"]);
  expect(of("getStatementCsv")).toEqual(["getStatementCsv /statement.csv done"]);
  expect(of("exportContacts")).toEqual(["exportContacts /contacts/export done"]);
  // The appliance's entries are in the operator's log, not in a company's.
  expect(of("operatorListLogs")).toEqual([]);
  const all = replyOf(team.listAudit, await as("operator").ask("GET", "/audit?limit=200")).entries;
  expect(all).toContainEqual(
    expect.objectContaining({ action: "operatorListLogs", outcome: "refused" }),
  );
});

describe("the operator", () => {
  test("creates tenants, changes their plan, suspends and resumes them", async () => {
    const operator = as("operator");
    const made = replyOf(
      operatorTenants.createTenant,
      await operator.ask("POST", "/operator/tenants", { name: "New", email: "n@example.com" }),
    );
    expect(made.tenant).toMatchObject({ name: "New", plan: "start", suspended: false });
    const path = `/operator/tenants/${made.tenant.id}`;
    expect(errorOf(await operator.ask("PATCH", path, { plan: "gold" }))).toBe(
      "valid_plan_required",
    );
    const suspended = await operator.ask("PATCH", path, { suspended: true, plan: "start" });
    expect(replyOf(operatorTenants.updateTenant, suspended).tenant.suspended).toBe(true);
    const names = replyOf(
      operatorTenants.listTenants,
      await operator.ask("GET", "/operator/tenants"),
    ).tenants.map((tenant) => tenant.name);
    expect(names).toContain("New");
    expect((await operator.ask("PATCH", "/operator/tenants/99999", {})).status).toBe(404);
  });

  test("reads tenants page by page, and finds them by name and address", async () => {
    const operator = as("operator");
    for (const [name, email] of [
      ["Žalia klinika", "info@green.example"],
      ["Dantys 24", "zalia@teeth.example"],
    ])
      await operator.ask("POST", "/operator/tenants", { name, email });
    const page = async (query: string) =>
      replyOf(operatorTenants.listTenants, await operator.ask("GET", `/operator/tenants?${query}`));
    const all = await page("");
    const ids = all.tenants.map(({ id }) => id);
    expect(all.total).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect(all.tenants.find(({ id }) => id === room.world.tenantId)?.trunk?.status).toBe(
      "registered",
    );
    for (const [limit, offset] of [
      [all.total - 1, 0],
      [all.total, 0],
      [1, all.total - 1],
      [1, all.total],
    ] as const) {
      const { tenants, total } = await page(`limit=${limit}&offset=${offset}`);
      expect(total).toBe(all.total);
      expect(tenants).toEqual(all.tenants.slice(offset, offset + limit));
    }
    const named = async (search: string) =>
      (await page(`search=${encodeURIComponent(search)}`)).tenants.map(({ name }) => name);
    expect(await named("ZALIA")).toEqual(["Žalia klinika", "Dantys 24"]);
    expect(await named("žalia k")).toEqual(["Žalia klinika"]);
    expect(await named("%")).toEqual([]);
    expect((await page("search=zalia&limit=1&offset=1")).total).toBe(2);
    for (const wrong of ["limit=0", "limit=201", "offset=-1", `search=${"a".repeat(121)}`])
      expect((await operator.ask("GET", `/operator/tenants?${wrong}`)).status).toBe(400);
    expect((await operator.ask("GET", `/operator/tenants?search=${"a".repeat(120)}`)).status).toBe(
      200,
    );
    expect((await as("owner").ask("GET", "/operator/tenants")).status).toBe(403);
  });

  test("makes backups, and sees the log without personal data", async () => {
    const operator = as("operator");
    const { backup } = replyOf(
      operatorNodes.createBackup,
      await operator.ask("POST", "/operator/backups", {}),
    );
    expect(backup.file).toMatch(/^linevoice-\d{8}T\d{9}Z\.db$/);
    const list = replyOf(operatorNodes.listBackups, await operator.ask("GET", "/operator/backups"));
    expect(list.backups[0]).toEqual({ ...backup, created_at: expect.any(String) });
    const logs = replyOf(
      operatorMail.listLogs,
      await operator.ask("GET", "/operator/logs?limit=200"),
    );
    expect(logs.lines.map((line) => line.event)).toContain("app.started");
    const warned = replyOf(
      operatorMail.listLogs,
      await operator.ask("GET", "/operator/logs?level=error"),
    );
    expect(warned.lines.every((line) => line.level === "error")).toBe(true);
  });

  test("sees the nodes; a single one cannot be drained", async () => {
    const operator = as("operator");
    const { nodes } = replyOf(
      operatorNodes.listNodes,
      await operator.ask("GET", "/operator/nodes"),
    );
    expect(nodes).toMatchObject([{ state: "active", is_here: true, trunks: 1, calls: 0 }]);
    const drain = { node: nodes[0]?.id, draining: true };
    const refused = await operator.ask("PATCH", "/operator/nodes", drain);
    expect([refused.status, messageOf(refused)]).toEqual([
      409,
      expect.stringContaining("This is the only node"),
    ]);
    const unknown = { node: "elsewhere", draining: false };
    expect((await operator.ask("PATCH", "/operator/nodes", unknown)).status).toBe(404);
    expect((await as("owner").ask("GET", "/operator/nodes")).status).toBe(403);
  });

  test("tests mail, and sends failed mails again", async () => {
    const operator = as("operator");
    const sent = replyOf(
      operatorMail.testMail,
      await operator.ask("POST", "/operator/mail-test", { to: "me@example.com" }),
    );
    expect(sent).toMatchObject({ sent: true, provider: "outbox", error: null });
    const [row] = await room.world.app.database.tx((queries) =>
      queries
        .insert(mails)
        .values({
          tenantId: room.world.tenantId,
          key: "dead:1",
          recipient: "gone@example.com",
          subject: "Dead",
          body: "x",
          status: "dead",
          attempts: 8,
          lastError: "550 no",
          createdAt: Date.now(),
        })
        .returning({ id: mails.id }),
    );
    const { mails: dead } = replyOf(
      operatorMail.listMails,
      await operator.ask("GET", "/operator/mails"),
    );
    expect(dead).toMatchObject([{ id: row?.id, last_error: "550 no", status: "dead" }]);
    expect(replyOf(homes.getHome, await as("viewer").ask("GET", "/home")).statuses.mail.state).toBe(
      "failed",
    );
    const retried = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
    expect(replyOf(operatorMail.retryMail, retried).status).toBe("pending");
    for (let look = 0; look < 100 && !room.world.mails().some((name) => name.length > 0); look++)
      await Bun.sleep(50);
    for (let look = 0; look < 100; look++) {
      const again = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
      if (messageOf(again).includes("sent")) break;
      await Bun.sleep(50);
    }
    const after = await operator.ask("POST", `/operator/mails/${row?.id}/retry`, {});
    expect([after.status, messageOf(after)]).toEqual([409, expect.stringContaining("sent")]);
  });

  test("tries the engine with one request per part; others may not", async () => {
    const say = { say: "Good afternoon.", ask: "When are you open?" };
    const tried = await as("operator").ask("POST", "/operator/engine/try", say);
    const { parts } = replyOf(operatorHealth.tryEngine, tried);
    expect(parts.map(({ part, provider, error }) => [part, provider, error])).toEqual([
      ["llm", "embedded", null],
      ["tts", "embedded", null],
    ]);
    expect((await as("owner").ask("POST", "/operator/engine/try", say)).status).toBe(403);
    const bad = await as("operator").ask("POST", "/operator/engine/try", { stt_wav: "SUQz" });
    expect([bad.status, errorOf(bad)]).toEqual([400, "valid_stt_wav_required"]);
  });

  test("gets an error if the server has no doctor", async () => {
    expect((await as("operator").ask("GET", "/operator/health")).status).toBe(503);
  });
});

test("home shows a bad line, and on which side, to its own company only", async () => {
  const uuid = "019aa1b2-0000-7000-8000-0000000badc0";
  const { database } = room.world.app;
  await insertCall(database, room.strangerTenant, uuid);
  const lines = async (who: { ask: typeof room.stranger.ask }) =>
    replyOf(homes.getHome, await who.ask("GET", "/home")).problems.filter(({ code }) =>
      code.startsWith("line_"),
    );
  expect(await lines(room.stranger)).toEqual([]);
  await database.tx(async (queries) => {
    const [row] = await queries
      .update(calls)
      .set({ createdAt: Date.now() })
      .where(eq(calls.callUuid, uuid))
      .returning({ id: calls.id });
    const note = { kind: "line", atMs: 5000, side: "sent", lossPercent: 30, delayMs: 2 } as const;
    await callNotesStore(queries).add(row?.id ?? 0, note);
  });
  expect(await lines(room.stranger)).toEqual([
    expect.objectContaining({ code: "line_sent", values: { calls: 1 }, href: "/app/calls" }),
  ]);
  expect(await lines(as("viewer"))).toEqual([]);
});
