/**
 * The pages that are looked at every day: how the week was, who called and what about, and the call in
 * which something was said. In Chromium, in both themes and on a phone.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { systemClock } from "../../src/core/clock.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { violations } from "../support/axe.ts";
import { storeCalls } from "../support/call-history.ts";
import { chromiumPath, launchChromium } from "../support/chromium.ts";
import { signIn, type Visit, visit } from "../support/dashboard-page.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const { en } = await messageCatalogues();
const inChromium = describe.skipIf(chromiumPath() === null);
const PICTURES = process.env.LINEVOICE_TEST_PICTURES ?? null;
let world: Appliance;
let browser: Browser;
let owner: Visit;
let page: Page;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.95" });
  await storeCalls(world, systemClock.now());
  browser = await launchChromium();
  owner = await visit(browser, { width: 1440, height: 900 });
  page = owner.page;
  await signIn(owner, world.app, { tenantId: world.tenantId, email: "owner@clinic.example" });
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

const address = (path: string) => `${world.app.addresses.http}/app${path}`;

/** Both themes, wide and on a phone: nothing beside the page, nothing that axe knows to be wrong. */
async function looksRight(path: string, name: string, ready: string): Promise<void> {
  for (const theme of ["light", "dark"] as const)
    for (const size of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const seen = await visit(browser, { theme, ...size });
      await seen.context.addCookies(await owner.context.cookies());
      await seen.page.goto(address(path));
      await seen.page.getByText(ready).first().waitFor();
      const at = `${name}-${theme}-${size.width}`;
      if (PICTURES) await seen.page.screenshot({ path: `${PICTURES}/${at}.png` });
      expect({ at, found: await violations(seen.page, at) }).toEqual({ at, found: [] });
      const excess = await seen.page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      expect({ at, excess: Math.max(0, excess) }).toEqual({ at, excess: 0 });
      expect(seen.complaints).toEqual([]);
      await seen.context.close();
    }
}

inChromium("home", () => {
  test("shows seven days as lines, money, and the last calls by name with their summary", async () => {
    await page.goto(address("/"));
    await page.getByRole("heading", { name: en["home.week"] }).waitFor();
    for (const label of [en["nav.calls"], en["home.week_minutes"], en["home.week_answered"]]) {
      const figure = page.locator(".figure").filter({ hasText: label }).first();
      const told = (await figure.getByRole("img").getAttribute("aria-label")) ?? "";
      expect(told.split(";")).toHaveLength(7);
    }
    await page.getByRole("link", { name: "Jonas Petraitis" }).waitFor();
    await page.getByText("booked a check-up for Tuesday").waitFor();
    await page.getByText(en["home.balance"]).waitFor();
    await page.getByRole("link", { name: en["home.all_calls"] }).click();
    await page.waitForURL(/\/calls/);
  });

  test("says in one line that the system is well, and names a problem once", async () => {
    await page.goto(address("/"));
    await page.locator("summary").filter({ hasText: en["home.system"] }).waitFor();
    await page.route("**/api/dashboard/home", async (route) => {
      const response = await route.fetch();
      const home = await response.json();
      home.statuses.mail = {
        ...{ state: "failed", code: "mail_dead", values: {}, sentence: "Mail is stuck." },
        remedy: "Look at the mail settings.",
      };
      home.problems = [{ ...home.statuses.mail, href: null, state: undefined }];
      await route.fulfill({ response, json: home });
    });
    await page.reload();
    await page.getByText(en["home.not_well"]).waitFor();
    await page.locator("summary").filter({ hasText: en["home.system"] }).click();
    const problem = page.locator("section.card").filter({ hasText: en["home.problems"] });
    const sentence = (await problem.locator(".list .strong").first().textContent()) ?? "";
    expect(await page.getByText(sentence, { exact: true }).count()).toBe(1);
    await page.unroute("**/api/dashboard/home");
  });

  test("fits both themes and a phone", () => looksRight("/", "home", en["home.week"]));
});
