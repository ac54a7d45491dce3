/**
 * The operator sees the health of every company, and impersonates one under a banner; its owner
 * sees that in the audit log.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { systemClock } from "../../src/core/clock.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { violations } from "../support/browser/axe.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, visit } from "../support/browser/dashboard-page.ts";
import { storeCalls } from "../support/store/call-history.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const { en } = await messageCatalogues();
const inChromium = describe.skipIf(chromiumPath() === null);
const PICTURES = process.env.LINEVOICE_TEST_PICTURES ?? null;
let world: Appliance;
let browser: Browser;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.96" });
  await storeCalls(world, systemClock.now());
  browser = await launchChromium();
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

const address = (path: string) => `${world.app.addresses.http}/app${path}`;

inChromium("the operator", () => {
  test("sees every company's health and impersonates one under a banner, which its owner sees in the audit log", async () => {
    const away = await world.app.ask("tenant.create", {
      name: "Away Dental",
      email: "desk@away.example",
      plan: null,
    });
    const operator = await visit(browser, { width: 1440, height: 900 });
    const owner = await visit(browser, { width: 1440, height: 900 });
    await signIn(operator, world.app, {
      tenantId: world.tenantId,
      email: "ops@clinic.example",
      operator: true,
    });
    await signIn(owner, world.app, { tenantId: away.id, email: "owner@away.example" });
    const { page } = operator;
    await page.goto(address("/operator"));
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("Away Dental").getByText(en["operator.no_trunk"]).waitFor();
    const own = row("office@example.com").or(page.getByRole("row").nth(1));
    await own
      .getByText(/\d of \d/)
      .first()
      .waitFor();
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/operator-health.png` });

    await row("Away Dental").getByRole("button", { name: en["operator.act"] }).click();
    await page.getByRole("alertdialog").getByText("For an hour").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: en["operator.act"] }).click();
    const bar = page.locator(".acting-bar");
    await bar.getByText("You are acting for Away Dental until").waitFor();
    await page.goto(address("/agents/new"));
    await page.getByLabel(en["form.name"], { exact: true }).fill("Night desk");
    await page.getByLabel(en["agents.prompt"]).fill("You answer at night.");
    await page.getByRole("button", { name: en["agents.create"] }).click();
    await page.waitForURL(/\/agents\/\d+/);
    await bar.waitFor();
    expect(await violations(page, "acting")).toEqual([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/operator-acting.png` });
    await bar.getByRole("button", { name: en["acting.stop"] }).click();
    await page.waitForURL(/\/operator/);
    await row("Away Dental").waitFor();
    expect(await bar.count()).toBe(0);

    await owner.page.goto(address("/team?tab=audit"));
    for (const sentence of [
      "ops@clinic.example stopped acting for this company",
      "ops@clinic.example added the agent “Night desk”",
      "ops@clinic.example, an operator of the appliance, acts for this company until",
    ])
      await owner.page.getByText(sentence).waitFor();
    if (PICTURES) await owner.page.screenshot({ path: `${PICTURES}/audit.png` });
    expect(await violations(owner.page, "audit")).toEqual([]);
    expect([...operator.complaints, ...owner.complaints]).toEqual([]);
  });

  test("creates a company and invites its first owner, which nobody else can", async () => {
    const operator = await visit(browser);
    const { page } = operator;
    const email = "ops3@clinic.example";
    await signIn(operator, world.app, { tenantId: world.tenantId, email, operator: true });
    await page.goto(address("/operator"));
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: en["operator.new_tenant"] }).click();
    await dialog.getByLabel(en["auth.company"]).fill("Smile");
    await dialog.getByLabel(en["settings.email"]).fill("rasa@smile.example");
    await dialog.getByRole("button", { name: en["operator.new_tenant"] }).click();
    await dialog.getByText(en["team.invite_owner"].replace("{name}", "Smile")).waitFor();
    expect(await violations(page, "invite the owner")).toEqual([]);
    await dialog.getByRole("button", { name: en["team.invite"], exact: true }).click();
    const link = (await dialog.locator("code").textContent()) ?? "";
    const owner = await visit(browser);
    await owner.page.goto(link);
    await owner.page.getByLabel(en["auth.name"]).fill("Rasa");
    await owner.page.getByLabel(en["auth.password"]).fill("four words without relation");
    await owner.page.locator("form button[type=submit]").click();
    await owner.page.getByRole("heading", { name: en["nav.home"], level: 1 }).waitFor();
    await owner.page.goto(address("/team"));
    await owner.page.getByRole("button", { name: en["team.invite"] }).waitFor();

    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: `${en["action.more"]}: Smile` }).click();
    await page.getByRole("menuitem", { name: en["operator.invite_owner"] }).click();
    await dialog.getByRole("button", { name: en["team.invite"], exact: true }).click();
    await dialog
      .getByText("This company already has an owner, who can invite other people.")
      .waitFor();
    await page.keyboard.press("Escape");
    const row = page.getByRole("row").filter({ hasText: "Smile" });
    await row.getByRole("button", { name: en["operator.act"] }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: en["operator.act"] }).click();
    await page.locator(".acting-bar").waitFor();
    await page.goto(address("/team"));
    await page.getByText("rasa@smile.example").waitFor();
    expect(await page.getByRole("button", { name: en["team.invite"] }).count()).toBe(0);
    await operator.context.close();
    await owner.context.close();
  });

  test("reads a call's signalling as a ladder diagram, exports it, and sees costs in words", async () => {
    const { page, context } = await visit(browser, { width: 1440, height: 900 });
    await signIn({ page, context, complaints: [] }, world.app, {
      tenantId: world.tenantId,
      email: "sip@clinic.example",
      operator: true,
    });
    await page.route("**/details", async (route) => {
      const response = await route.fetch();
      const reply = await response.json();
      const message = (at_ms: number, direction: "in" | "out", line: string) => ({
        at_ms,
        direction,
        line,
        detail: line.startsWith("INVITE") ? "SDP: PCMA" : null,
      });
      reply.details.sip = [
        message(0, "in", "INVITE (1 INVITE)"),
        message(400, "out", "200 OK (1 INVITE)"),
        message(9_000, "in", "BYE (2 BYE)"),
      ];
      await route.fulfill({ response, json: reply });
    });
    await page.goto(address("/"));
    const link = page.getByRole("link", { name: "Jonas Petraitis" }).first();
    const uuid = (await link.getAttribute("href"))?.match(/[0-9a-f-]{36}/)?.[0] ?? "";
    await page.goto(address(`/calls/${uuid}?tab=quality`));
    await page.locator(".ladder summary").filter({ hasText: "INVITE" }).first().click();
    await page.getByText("SDP: PCMA").waitFor();
    expect(await violations(page, "ladder")).toEqual([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/ladder.png`, fullPage: true });
    const [taken] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: en["call.pcap"] }).click(),
    ]);
    expect(taken.suggestedFilename()).toBe(`${uuid}.pcap`);
    await page.goto(address(`/calls/${uuid}?tab=cost`));
    await page.locator("summary").filter({ hasText: en["call.cost_measured"] }).click();
    expect(await violations(page, "cost")).toEqual([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/cost.png`, fullPage: true });
    await page.goto(address("/billing"));
    await page.getByText(en["billing.by_day_note"]).waitFor();
    expect(await page.locator(".bars line.before").count()).toBeGreaterThan(0);
    expect(await violations(page, "usage")).toEqual([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/usage.png`, fullPage: true });
    await context.close();
  });

  test("pages through many companies and finds one by its name", async () => {
    for (let n = 0; n < 50; n++)
      await world.app.ask("tenant.create", {
        name: `Branch ${n}`,
        email: `branch${n}@clinic.example`,
        plan: null,
      });
    const visitor = await visit(browser, { width: 1440, height: 900 });
    const { page, context } = visitor;
    await signIn(visitor, world.app, {
      tenantId: world.tenantId,
      email: "ops2@clinic.example",
      operator: true,
    });
    await page.goto(address("/operator"));
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("Branch 5").first().waitFor();
    expect(await row("Branch 49").count()).toBe(0);
    await page.getByRole("button", { name: en["pager.next"] }).click();
    await row("Branch 49").waitFor();
    expect(await violations(page, "companies")).toEqual([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/operator-companies.png` });
    await page.getByLabel(en["operator.search"]).fill("branch 7");
    await row("branch7@clinic.example").waitFor();
    await row("Branch 49").waitFor({ state: "detached" });
    await page.getByLabel(en["operator.search"]).fill("giraffe");
    await page.getByText(en["operator.none_match"]).waitFor();
    await context.close();
  });
});
