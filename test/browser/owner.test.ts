/**
 * What the owner of a clinic meets on the pages for numbers, the phone line and campaigns. In
 * Chromium with a whole appliance. About 30 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { goTo, signIn, visit } from "../support/browser/dashboard-page.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const inChromium = describe.skipIf(chromiumPath() === null);
let world: Appliance;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.59" });
  browser = await launchChromium();
  const owner = await visit(browser);
  page = owner.page;
  await signIn(owner, world.app, {
    tenantId: world.tenantId,
    email: "owner@clinic.example",
    operator: true,
  });
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser.close();
  await world.close();
});

const open = (path: string) => goTo(page, world.app, path);
const dialog = () => page.getByRole("dialog");
const button = (name: string) => page.getByRole("button", { name, exact: true });

inChromium("a number typed as people dial it", () => {
  test("is read in the trunk's country: as own number, of a contact, and to erase", async () => {
    await open("/numbers");
    await button("Add a number").first().click();
    await dialog().getByLabel("Number").fill("8 5 200 0000");
    await dialog().getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("+37052000000").first().waitFor();

    await open("/contacts");
    await button("New contact").first().click();
    await dialog().getByLabel("Number").fill("860000055");
    await dialog().getByLabel("First name").fill("Ona");
    await button("Save").click();
    await page.getByRole("cell", { name: "+37060000055" }).waitFor();
    await button("Edit: Ona").click();
    await dialog().getByLabel("Number").fill("112");
    await button("Save").click();
    await dialog().getByRole("alert").getByText("its country code").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("alertdialog").count()).toBe(1);
  });
});
