/** The operator sees how every company fares, acts as one under a banner, and its owner reads of it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { systemClock } from "../../src/core/clock.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { violations } from "../support/axe.ts";
import { storeCalls } from "../support/call-history.ts";
import { chromiumPath, launchChromium } from "../support/chromium.ts";
import { signIn, visit } from "../support/dashboard-page.ts";
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
  test("sees every company's health, acts as one under a banner, and its owner reads of it", async () => {
    const away = await world.app.ask("tenant.create", {
      ...{ name: "Away Dental", email: "desk@away.example", plan: null },
    });
    const operator = await visit(browser, { width: 1440, height: 900 });
    const owner = await visit(browser, { width: 1440, height: 900 });
    await signIn(operator, world.app, {
      ...{ tenantId: world.tenantId, email: "ops@clinic.example", operator: true },
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
    await bar.getByText("You act as Away Dental until").waitFor();
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
      "ops@clinic.example stopped acting as this company",
      "ops@clinic.example added the agent “Night desk”",
      "ops@clinic.example, an operator of the appliance, acts as this company until",
    ])
      await owner.page.getByText(sentence).waitFor();
    if (PICTURES) await owner.page.screenshot({ path: `${PICTURES}/audit.png` });
    expect(await violations(owner.page, "audit")).toEqual([]);
    expect([...operator.complaints, ...owner.complaints]).toEqual([]);
  });
});
