/**
 * What the owner of a clinic meets on the pages for numbers, the phone line and campaigns. In
 * Chromium with a whole appliance. About 30 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { microEur } from "../../src/core/money.ts";
import { calls } from "../../src/store/schema/index.ts";
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

inChromium("a caller who was turned away", () => {
  test("is on Home with the way to more lines, and in the list and on the call's page with the reason", async () => {
    const why = "Plan start allows 2 concurrent calls. Wait until one ends, or change the plan.";
    const callUuid = crypto.randomUUID();
    await world.app.database.tx((queries) =>
      queries.insert(calls).values({
        callUuid,
        tenantId: world.tenantId,
        direction: "inbound",
        fromNumber: "+37061000077",
        toNumber: "+37052000001",
        status: "busy",
        endedReason: "plan_limit_reached",
        endedExplanation: why,
        createdAt: Date.now() - 60_000,
        endedAt: Date.now() - 60_000,
        recordingStatus: "none",
        overageRate: microEur(0),
        cost: microEur(0),
      }),
    );
    await page.goto(`${world.app.addresses.http}/app/`);
    const problems = page.locator("section.card").filter({ hasText: "Needs attention" });
    const busy = problems.getByRole("listitem").filter({ hasText: "all lines of your plan busy" });
    expect(await busy.getByRole("link", { name: "Fix" }).getAttribute("href")).toContain(
      "/billing?tab=plan",
    );
    const backup = problems.getByRole("listitem").filter({ hasText: "backup" });
    expect(await backup.getByRole("link").getAttribute("href")).toContain("tab=backups");
    const mail = problems.getByRole("listitem").filter({ hasText: "Emails are not sent" });
    expect(await mail.getByRole("link").getAttribute("href")).toContain("tab=mail");

    await open("/calls");
    const row = page.getByRole("row").filter({ hasText: "+37061000077" });
    await row.getByText("All lines of your plan were busy.").waitFor();
    await open(`/calls/${callUuid}`);
    await page.getByText(why).waitFor();
    await page.getByRole("link", { name: "Change the plan" }).waitFor();
  });

  test("a time in the past is refused without speaking of another time zone", async () => {
    await open("/schedules");
    await button("Place a call").first().click();
    await dialog().getByLabel("Number to call").fill("8 610 00099");
    await dialog().getByLabel("When").fill("2020-03-01T10:00");
    await dialog().getByRole("button", { name: "Call", exact: true }).click();
    await dialog().getByRole("alert").getByText("Is in the past. Choose a later time.").waitFor();
    await page.goto(`${world.app.addresses.http}/app/`);
  });
});

inChromium("a campaign", () => {
  test("shows each bad line before it is made, and count, hours, minutes and cost before it starts", async () => {
    await open("/campaigns");
    await button("New campaign").first().click();
    await dialog().getByLabel("Name").fill("Check-ups");
    await dialog()
      .getByLabel("CSV")
      .fill(
        "number,name\n860000551,Ona\n+37060000551,Ona\nnobody,Rūta\n+12025550123,Jim\n8 600 00552,Jonas",
      );
    await dialog().getByRole("button", { name: "Preview" }).click();
    const words =
      "To be called: 2. Repeated: 1. Invalid rows: 1. Not allowed, will not be called: 1.";
    await dialog().getByText(words).waitFor();
    await dialog().getByText('Line 4: "nobody" is not a telephone number.').waitFor();
    await dialog().getByText("+12025550123: Only numbers in the country").waitFor();
    await dialog().getByRole("cell", { name: "+37060000551" }).waitFor();
    const make = dialog().getByRole("button", { name: "New campaign" });
    expect(await make.isDisabled()).toBe(true);
    await dialog().getByText("Skip invalid rows").click();
    await make.click();
    const row = page.getByRole("row").filter({ hasText: "Check-ups" });
    await row.getByRole("button", { name: "Start" }).click();
    const question = page.getByRole("alertdialog");
    await question.getByText("10:00–18:00").waitFor();
    await question.getByText("People to call").waitFor();
    await question.getByText("Minutes, about").waitFor();
    await question.getByText("Beyond the plan, about").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await row.getByText("Draft").waitFor();
  });
});
