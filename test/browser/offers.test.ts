/**
 * Pages offer only actions that the server allows, show times in the company's zone, and money in
 * one format. In Chromium with a whole appliance.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { monthText, wallClock } from "../../src/core/calendar.ts";
import { calls, planUsage } from "../../src/store/schema/index.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, type Visit, visit } from "../support/browser/dashboard-page.ts";
import { storeCalls } from "../support/store/call-history.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const { en } = await messageCatalogues();
const inChromium = describe.skipIf(chromiumPath() === null);
const PAST = {
  direction: "inbound",
  status: "completed",
  summary: "The customer asked for the price of a consultation and will call again on Monday.",
  said: ["Hello."],
} as const;
const EXTENSION = "1001";
const CALLER = "+37061000701";
let world: Appliance;
let browser: Browser;
let owner: Visit;
let page: Page;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.214" });
  // 23:30 in Vilnius, afternoon in New York.
  const late = Date.parse("2026-11-20T21:30:00Z");
  const past = [EXTENSION, CALLER].map((number) => ({ ...PAST, number, agoMs: 0 }));
  await storeCalls(world, late, past);
  await world.app.database.tx((queries) =>
    queries.update(calls).set({ endedReason: "caller_hangup" }),
  );
  browser = await launchChromium();
  owner = await visit(browser, { timeZone: "America/New_York" });
  page = owner.page;
  await signIn(owner, world.app, { tenantId: world.tenantId, email: "owner@clinic.example" });
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

const address = (path: string) => `${world.app.addresses.http}/app${path}`;
const button = (name: string) => page.getByRole("button", { name, exact: true });

inChromium("an action", () => {
  test("to call a caller back is offered only if calls can be placed", async () => {
    for (const [number, isOffered] of [
      [CALLER, true],
      [EXTENSION, false],
    ] as const) {
      await page.goto(address("/calls"));
      await page.getByRole("link", { name: number }).first().click();
      await page.getByRole("heading", { name: number, level: 1 }).waitFor();
      await button(en["contacts.erase"]).waitFor();
      expect([number, await button(en["call.back"]).count()]).toEqual([number, isOffered ? 1 : 0]);
    }
  });

  test("to remove or demote an owner is offered only if there is a second owner", async () => {
    const row = page.getByRole("row").filter({ hasText: "owner@clinic.example" });
    await page.goto(address("/team"));
    await row.getByText(en["team.only_owner"]).waitFor();
    expect(await row.getByRole("button").count()).toBe(0);
    expect(await row.getByRole("combobox").count()).toBe(0);
    const second = { tenant: world.tenantId, email: "second@clinic.example", operator: false };
    await world.app.ask("user.create", { ...second, role: "owner" });
    await page.reload();
    await row.getByRole("combobox").waitFor();
    expect(await row.getByRole("button").count()).toBe(1);
    expect(await page.getByText(en["team.only_owner"]).count()).toBe(0);
  });
});

inChromium("money", () => {
  test("uses the usual format when it is used up", async () => {
    const { year, month } = wallClock("Europe/Vilnius", Date.now());
    await world.app.database.tx(async (queries) => {
      const used = { month: monthText(year, month), secondsUsed: 1_000_000 };
      await queries.delete(planUsage);
      await queries.insert(planUsage).values({ tenantId: world.tenantId, ...used });
    });
    await page.goto(address("/"));
    await page.getByText("Plan minutes and wallet are used up (€0.00)").waitFor();
    await world.app.database.tx((queries) => queries.delete(planUsage));
  });

  test("asks the operator, not the payer, to set a missing bank account", async () => {
    const { body } = await world.api("POST", "/topup", { amount_eur: 25 });
    const { checkout_url } = body as unknown as { checkout_url: string };
    for (const language of ["en", "lt", "lv", "ru"]) {
      await page.goto(`${checkout_url}?language=${language}`);
      expect(await page.locator("main").innerText()).not.toMatch(/\.toml|payments\.manual/);
    }
    const operator = await visit(browser);
    const as = { tenantId: world.tenantId, email: "operator@clinic.example", operator: true };
    await signIn(operator, world.app, as);
    await operator.page.goto(address("/operator?tab=payments"));
    await operator.page.getByText("[payments.manual]").waitFor();
    await operator.page.goto(address("/billing?tab=wallet"));
    await operator.page.getByText("[payments.manual]").waitFor();
    await page.goto(address("/billing?tab=wallet"));
    await page.getByText(en["billing.not_ready"]).waitFor();
    expect(await button(en["billing.to_payment"]).count()).toBe(0);
    await page.goto(address("/billing?tab=plan"));
    await page.getByText(en["billing.not_ready"]).waitFor();
    expect(await button(en["billing.buy"]).count()).toBe(0);
    await operator.context.close();
  });
});

inChromium("times", () => {
  test("use the company's time zone in lists and filters, wherever the reader is", async () => {
    await page.goto(address("/calls?from=2026-11-20&to=2026-11-20"));
    const row = page.getByRole("row").filter({ hasText: CALLER });
    await row.getByText("20 Nov 2026, 23:30").waitFor();
    await page.goto(address("/calls?from=2026-11-21"));
    await page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0);
    expect(await row.count()).toBe(0);
  });

  test("use the company's time zone when a call is scheduled", async () => {
    await page.goto(address("/schedules"));
    await button(en["calls.place"]).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Time zone: Europe/Vilnius.").waitFor();
    await dialog.getByLabel(en["calls.place_to"]).fill("+37061000702");
    await dialog.getByLabel(en["calls.when"]).fill("2027-03-02T10:00");
    await button(en["calls.place_now"]).click();
    const row = page.getByRole("row").filter({ hasText: "+37061000702" });
    await row.getByText("2 Mar 2027, 10:00").waitFor();
    const { body } = await world.api("GET", "/schedules");
    expect(JSON.stringify(body)).toContain("2027-03-02T08:00:00+00:00");
  });

  test("follow a change of the company's time zone immediately", async () => {
    await page.goto(address("/settings"));
    await page.getByLabel(en["settings.time_zone"]).fill("Asia/Tokyo");
    await button(en["action.save"]).click();
    await page.getByText(en["form.saved"]).first().waitFor();
    await page.getByRole("link", { name: en["nav.calls"], exact: true }).first().click();
    const row = page.getByRole("row").filter({ hasText: CALLER });
    await row.getByText("21 Nov 2026, 06:30").waitFor();
  });
});

inChromium("long names", () => {
  const NAME = "Konstantinas Grigaliūnavičienėtė";
  const AGENT = "Registratūros asistentė Bartholomeus";

  /** Words of these names, and numbers, that are broken over two lines. */
  const broken = () =>
    page.evaluate(
      (words) => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found: string[] = [];
        for (let node = texts.nextNode(); node; node = texts.nextNode())
          for (const word of words) {
            const at = node.textContent?.indexOf(word) ?? -1;
            if (at < 0 || node.parentElement?.closest("option, .visually-hidden")) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
            if (lines.size > 1) found.push(word);
          }
        return found;
      },
      [NAME, AGENT, CALLER, "+37061000702"].flatMap((name) => name.split(" ")),
    );

  test("break between words at any width", async () => {
    const [first = "", last = ""] = NAME.split(" ");
    const person = { number_e164: CALLER, first_name: first, last_name: last };
    await world.api("POST", "/contacts", person);
    await world.api("PATCH", `/agents/${world.agentId}`, { name: AGENT });
    const found: string[] = [];
    for (const path of ["/", "/calls", "/schedules", "/contacts", "/agents", "/numbers", "/live"]) {
      await page.goto(address(path));
      await page.locator("main h1").first().waitFor();
      await page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0);
      for (const width of [1440, 1280, 1210, 1101, 1024, 820, 660, 390]) {
        await page.setViewportSize({ width, height: 860 });
        await page.evaluate(() => new Promise(requestAnimationFrame));
        found.push(...(await broken()).map((word) => `${path} at ${width}: ${word}`));
      }
    }
    expect(found).toEqual([]);
  });
});
