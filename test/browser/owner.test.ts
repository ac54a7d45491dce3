/**
 * What the owner of a clinic meets on the pages for numbers, the phone line and campaigns. In
 * Chromium with a whole appliance. About 30 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
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
  await buildDashboard();
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

inChromium("the trunk's test", () => {
  test("runs by itself after saving, next to the form; another account clears it", async () => {
    const { page: at, context } = await visit(browser, { width: 1440, height: 900 });
    const { id: tenant } = await world.app.ask("tenant.create", {
      name: "A clinic with a new line",
      email: "line@clinic.example",
      plan: null,
    });
    await signIn({ page: at, context, complaints: [] }, world.app, {
      tenantId: tenant,
      email: "line@clinic.example",
    });
    const silent = await Bun.udpSocket({ hostname: "127.0.9.58", port: 0 });
    const save = at.getByRole("button", { name: "Save", exact: true });
    const status = at.getByRole("status");
    await goTo(at, world.app, "/trunk");
    await at.getByLabel("SIP server").fill("127.0.9.58");
    await at.getByLabel("Port", { exact: true }).fill(String(silent.port));
    await at.getByLabel("User name").fill("clinic");
    await at.getByLabel("Password").fill("horse");
    await at.getByLabel("Default caller ID").fill("+37052000099");
    await save.click();
    await status.getByText("Asking the provider").waitFor();
    await status.getByText("Registration.").waitFor({ timeout: 30_000 });
    expect(await status.getByText("Registration.").isVisible()).toBe(true);
    const box = await at
      .locator("section.card")
      .filter({ hasText: "Test the trunk" })
      .boundingBox();
    const form = await at.locator("form.form").boundingBox();
    // Side by side, and within the window.
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(form?.x ?? 0);
    expect(box?.y ?? -1).toBeGreaterThanOrEqual(0);
    await status.getByText("Calls will not work").waitFor({ timeout: 40_000 });

    // Somebody else saves another account.
    await world.app.ask("trunk.set", {
      tenant,
      server: "127.0.9.57",
      port: silent.port,
      transport: "udp",
      register: false,
      username: "clinic",
      password: "horse",
      caller_id: "+37052000099",
    });
    await at.getByText("127.0.9.57", { exact: false }).first().waitFor();
    await status.getByText("Calls will not work").waitFor({ state: "detached" });
    silent.close();
    await context.close();
  });
});
