/**
 * Everything that opens over a page or replaces it: dialogs, questions, menus, the drawer, rejected
 * forms, failed pages. Checks accessibility with axe in both themes, the width of a phone, and the
 * language of errors. In Chromium with a whole appliance. About 20 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { serverMessages } from "../../src/dashboard/web/i18n/server-messages.ts";
import { callMemories, tools } from "../../src/store/schema/index.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { loaded, violations } from "../support/browser/axe.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import {
  goTo,
  signIn,
  type Visit,
  type VisitOptions,
  visit,
} from "../support/browser/dashboard-page.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(480_000);

const { lt } = await messageCatalogues();
const PERSON = "+37061000401";
const inChromium = describe.skipIf(chromiumPath() === null);
let world: Appliance;
let browser: Browser;
let owner: Visit;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.86" });
  await world.api("POST", "/contacts", { number_e164: PERSON, first_name: "Jonas" });
  await world.api("POST", "/webhooks", { url: "https://127.0.9.86:1/h", events: ["call.ended"] });
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const wish = { to_number: PERSON, agent_id: world.agentId };
  await world.api("POST", "/calls", { ...wish, schedule_at: later });
  const csv = `number\n${PERSON}`;
  await world.api("POST", "/campaigns", { name: "Check-ups", agent_id: world.agentId, csv });
  await world.app.database.tx(async (queries) => {
    await queries.insert(callMemories).values({
      tenantId: world.tenantId,
      numberE164: PERSON,
      callUuid: "call-1",
      reason: "A check-up",
      outcome: "Nobody answered",
      attemptedAt: Date.now(),
    });
    await queries.insert(tools).values({
      tenantId: world.tenantId,
      name: "find_booking",
      description: "Finds a booking.",
      url: "https://tools.example/find",
      secretHeader: "X-Tool-Secret",
      secretSealed: "x",
      parameters: { type: "object" },
      createdAt: 0,
      updatedAt: 0,
    });
  });
  browser = await launchChromium();
  owner = await newcomer("owner@clinic.example");
});

afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

const address = (path: string) => `${world.app.addresses.http}/app${path}`;

/** A new person who is owner and operator. The caller must close the context. */
async function newcomer(email: string, options: VisitOptions = {}): Promise<Visit> {
  const visitor = await visit(browser, options);
  await signIn(visitor, world.app, { tenantId: world.tenantId, email, operator: true });
  return visitor;
}

/** The caller must close the context. */
const somebody = (options: VisitOptions = {}) => visit(browser, { ...options, as: owner });

/**
 * Controls to press on a page, in order. A last item `>…` submits a form that the server rejects.
 */
type Opening = readonly [path: string, ...presses: string[]];

/** One of each kind, and every form. */
const OPENINGS: readonly Opening[] = [
  ["/", "Account:"],
  ["/schedules", "Place a call", "Show as curl"],
  ["/schedules", "Place a call", ">Call"],
  ["/contacts", "New contact", ">Save"],
  ["/contacts", "Import CSV", ">Preview"],
  ["/contacts", "Delete: Jonas"],
  ["/campaigns", "New campaign", ">Preview"],
  ["/features", "Edit"],
  ["/knowledge", "Add knowledge", ">Add"],
  ["/tools/new", ">Save"],
  ["/numbers", "Add a number", ">Add"],
  ["/trunk", "Run the test"],
  ["/webhooks", "Add a webhook", ">Add"],
  ["/keys", "New key", ">New key"],
  ["/team", "Invite", ">Invite"],
  ["/profile", "Set up", ">Turn on"],
  ["/operator", "New company", ">New company"],
  ["/operator", "More: Dental clinic"],
];

/** More of them, with LINEVOICE_EVERY_DIALOG=1. */
const MORE: readonly Opening[] = [
  ["/schedules", "Cancel"],
  ["/campaigns", "Cancel campaign"],
  ["/features", `Delete: ${PERSON}`],
  ["/agents/1", "Call me"],
  ["/agents/1", "Delete"],
  ["/agents/1", "Show as curl"],
  ["/knowledge/1", "Delete"],
  ["/tools/1", "Delete"],
  ["/numbers", "Remove: +37052000001"],
  ["/trunk", "Disconnect"],
  ["/webhooks/1", "More"],
  ["/keys", "Revoke"],
  ["/billing?tab=wallet", "Show as curl"],
  ["/profile", "Add a passkey"],
  ["/profile", ">Change password"],
];
const opened = process.env.LINEVOICE_EVERY_DIALOG ? [...OPENINGS, ...MORE] : OPENINGS;

async function press(page: Page, presses: readonly string[]): Promise<void> {
  for (const word of presses) {
    const name = word.replace(/^>/, "");
    const dialog = page.getByRole("dialog").last();
    const inDialog = (await dialog.count()) > 0;
    const scope = inDialog ? dialog : page.locator("body");
    const button = scope.getByRole("button", { name, exact: name !== "Account:" }).first();
    await button.click({ timeout: 15_000 });
    if (word.startsWith(">"))
      await scope.locator("[role=alert], :invalid").first().waitFor({ state: "attached" });
    else if (name === "Run the test") await page.getByText("Codecs of your provider").waitFor();
    else await page.locator("[role=dialog], [role=alertdialog], [role=menu]").first().waitFor();
  }
}

/** Boxes that extend beyond the window, or whose content overflows them. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("[role=dialog], [role=alertdialog], [role=menu], html")]
      .filter((box) => {
        const { left, right } = box.getBoundingClientRect();
        return left < 0 || right > innerWidth || box.scrollWidth > box.clientWidth + 1;
      })
      .map((box) => box.getAttribute("role") ?? "page"),
  );

/** Retries, because floating elements are moved some frames after a window resize. */
async function stillCutOff(page: Page): Promise<string[]> {
  let found = await cutOff(page);
  for (let tries = 0; found.length > 0 && tries < 20; tries++) {
    await page.waitForTimeout(100);
    found = await cutOff(page);
  }
  return found;
}

inChromium("a dialog, menu or form over a page", () => {
  test("is accessible in both themes and fits, also on a phone", async () => {
    const visitor = await somebody();
    const { page } = visitor;
    const wrong: string[] = [];
    for (const [path, ...presses] of opened) {
      const at = [path, ...presses].join(" ");
      await goTo(page, world.app, path);
      await loaded(page);
      await press(page, presses).catch((error: Error) => wrong.push(`${at}: ${error.message}`));
      wrong.push(...(await violations(page, at)));
      await page.emulateMedia({ colorScheme: "dark" });
      wrong.push(...(await violations(page, `${at}, dark`, ["color-contrast"])));
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 375, height: 812 });
      wrong.push(
        ...(await stillCutOff(page)).map((box) => `${at}: ${box} is too wide for a phone`),
      );
      await page.setViewportSize({ width: 1280, height: 860 });
    }
    expect(wrong).toEqual([]);
    await visitor.context.close();
  });

  test("is accessible in the phone's drawer", async () => {
    const visitor = await somebody({ width: 375, height: 812 });
    const { page } = visitor;
    await page.goto(address("/calls"));
    await page.getByRole("button", { name: "Open navigation" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Numbers" }).waitFor();
    expect(await violations(page, "drawer")).toEqual([]);
    await visitor.context.close();
  });
});

inChromium("a page that failed", () => {
  test("is accessible after a server error, without connection, for a missing record, and without rights", async () => {
    const { page, context } = await somebody();
    const body = { ok: false, error: "engine", message: "x", field: null, request_id: "abc123" };
    await page.route("**/api/v1/phone-numbers", (to) => to.fulfill({ status: 500, json: body }));
    await page.route("**/api/dashboard/trunk", (to) => to.abort("connectionrefused"));
    for (const path of ["/numbers", "/trunk", "/calls/01a1fdec-0000-7000-8000-000000000000"]) {
      await page.goto(address(path));
      await page.getByRole("alert").first().waitFor({ timeout: 30_000 });
      expect(await violations(page, path)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, `${path}, dark`, ["color-contrast"])).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
    }
    await context.close();
  });

  test("a short error notice is accessible", async () => {
    const { page, context } = await somebody();
    const body = { ok: false, error: "rate_limited", message: "x", field: null };
    await page.route("**/api/dashboard/trunk/test", (to) =>
      to.fulfill({ status: 429, json: body }),
    );
    await page.goto(address("/trunk"));
    await page.getByRole("button", { name: "Run the test" }).click();
    await page.locator(".toast.bad").waitFor();
    expect(await violations(page, "toast")).toEqual([]);
    await context.close();
  });
});

inChromium("a notice", () => {
  test("stays while it has the pointer or the focus, then disappears", async () => {
    const { page, context } = await somebody();
    await page.clock.install();
    await page.goto(address("/numbers"));
    const answered = page.getByRole("checkbox").first();
    await answered.waitFor();
    await page.route("**/api/v1/phone-numbers/*", (to) => to.abort("connectionrefused"));
    await answered.click();
    const said = page.locator(".toast");
    await said.hover();
    await page.clock.runFor(60_000);
    expect(await said.count()).toBe(1);
    await said.getByRole("button").focus();
    await page.mouse.move(0, 0);
    await page.clock.runFor(60_000);
    expect(await said.count()).toBe(1);
    await answered.focus();
    await page.clock.runFor(6_000);
    await said.waitFor({ state: "detached" });
    await context.close();
  });
});

inChromium("a notice while a dialog is open", () => {
  test("appears inside the dialog, can be closed, and stays when the dialog closes", async () => {
    const { page, context } = await somebody();
    await page.goto(address("/schedules"));
    await page.getByRole("button", { name: "Place a call" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Number to call").fill("+37061000099");
    await dialog.getByRole("button", { name: "Show as curl" }).click();
    const inner = page.getByRole("dialog").last();
    const copy = inner.getByRole("button", { name: "Copy" });
    await copy.click();
    const said = inner.locator(".toast");
    await said.getByRole("button", { name: "Close" }).click();
    await said.waitFor({ state: "detached" });
    await copy.click();
    await said.waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".toast").waitFor();
    expect(await page.locator(".toast").count()).toBe(1);
    await context.close();
  });
});

inChromium("in the reader's language", () => {
  test("shows rejections by the server and the results of the trunk's test", async () => {
    const { page, context } = await newcomer("lt@clinic.example", {
      locale: "lt",
      width: 375,
      height: 812,
    });
    await page.goto(address("/profile"));
    await page.getByLabel("Language").selectOption("lt");
    await page.getByRole("button", { name: "Save", exact: true }).first().click();
    await page.getByRole("heading", { name: lt["nav.profile"] }).waitFor();

    await page.goto(address("/numbers"));
    const add = page.getByRole("button", { name: lt["numbers.new"] }).first();
    await add.click();
    const dialog = page.getByRole("dialog");
    const number = dialog.getByLabel(lt["numbers.number"], { exact: true });
    const send = dialog.getByRole("button", { name: lt["action.add"], exact: true });
    await number.fill("8610");
    await send.click();
    await page.getByRole("alert").getByText(serverMessages["field.number"].lt).waitFor();
    await number.fill("+37052000001");
    await send.click();
    await page.getByRole("alert").getByText(serverMessages["problem.number_taken"].lt).waitFor();

    await page.goto(address("/trunk"));
    await page.getByRole("button", { name: lt["trunk.test_run"] }).click();
    await page.getByText(serverMessages["check.registration.ok"].lt).waitFor({ timeout: 30_000 });
    const told = await page.getByRole("status").allTextContents();
    expect(told.join(" ")).not.toMatch(/The far end|The provider|The server|The trunk/);
    await context.close();
  });
});
