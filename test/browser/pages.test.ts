/**
 * Every page of the dashboard in Chromium, with a whole appliance that has taken a call: no
 * violation found by axe in either theme, not wider than a phone, no browser error. With
 * LINEVOICE_SCREENSHOTS=DIR it also stores a screenshot of each page. About 60 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { campaignTargets } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { doctorOf } from "../support/appliance/resident-doctor.ts";
import { loaded, violations } from "../support/browser/axe.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { goTo, signIn, type Theme, type Visit, visit } from "../support/browser/dashboard-page.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(480_000);

const CALLER = "+37061000082";
const HOST = "127.0.9.82";
const PHONE = { width: 375, height: 812 };
/** Time limit for the doctor's checks of a whole appliance, which run once. */
const HEALTH_MS = 90_000;
const screenshots = process.env.LINEVOICE_SCREENSHOTS;

/** `UUID` is replaced by the call's id. */
const PAGES = [
  "/",
  "/live",
  "/calls",
  "/calls?direction=outbound",
  "/calls/UUID",
  "/calls/UUID?tab=timeline",
  "/calls/UUID?tab=quality",
  "/calls/UUID?tab=delivery",
  "/calls/UUID?tab=cost",
  "/schedules",
  "/contacts",
  "/campaigns",
  "/campaigns/1",
  "/features",
  "/features?tab=birthdays",
  "/features?tab=crm",
  "/agents",
  "/rehearsals",
  "/agents/new",
  "/agents/1",
  "/agents/1?tab=knowledge",
  "/agents/1?tab=tools",
  "/agents/1?tab=numbers",
  "/agents/1?tab=test",
  "/knowledge",
  "/knowledge/1",
  "/tools",
  "/tools/new",
  "/numbers",
  "/trunk",
  "/webhooks",
  "/keys",
  "/billing",
  "/billing?tab=wallet",
  "/billing?tab=plan",
  "/billing?tab=statements",
  "/team",
  "/team?tab=audit",
  "/settings",
  "/profile",
  "/operator",
  "/operator?tab=payments",
  "/operator?tab=health",
  "/operator?tab=nodes",
  "/operator?tab=backups",
  "/operator?tab=logs",
  "/operator?tab=mail",
  "/nowhere",
];
const PAGES_WITH_TABLES = [
  "/calls/UUID?tab=delivery",
  "/contacts",
  "/campaigns",
  "/campaigns/1",
  "/agents",
  "/agents/1?tab=numbers",
  "/knowledge",
  "/numbers",
  "/webhooks",
  "/keys",
  "/billing?tab=wallet",
  "/billing?tab=statements",
  "/team",
  "/operator",
  "/operator?tab=nodes",
  "/operator?tab=logs",
];
const LANGUAGES = ["en", "lt", "lv", "ru"] as const;
type Language = (typeof LANGUAGES)[number];
const DOORS = ["/sign-in", "/forgot-password", "/owner", "/invitation", "/reset-password"];

const inChromium = describe.skipIf(chromiumPath() === null);
let world: Appliance;
let browser: Browser;
let uuid: string;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  const dataDir = tempDir();
  world = await startAppliance({
    dataDir,
    host: HOST,
    doctor: await doctorOf(dataDir, HOST),
    agent: { transcriptEmailEnabled: false },
  });
  await world.api("POST", "/contacts", { number_e164: CALLER, first_name: "Jonas" });
  await world.api("POST", "/webhooks", { url: "https://nowhere.example/", events: ["call.ended"] });
  await world.api("POST", "/campaigns", {
    name: "Half-yearly check-up reminders",
    agent_id: world.agentId,
    csv: `number,name,time\n${CALLER},Jonas Kazlauskas,half past ten\n+37061000083,Ona,eleven`,
  });
  browser = await launchChromium();
  const caller = await world.phone(CALLER, "m3");
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  await call.waitForReply();
  await call.say("What are your opening hours?");
  await call.waitForReply();
  await call.hangUp();
  const { body } = await world.api("GET", "/calls");
  uuid = body.calls[0]?.call_uuid ?? "";
  const tried = { status: "failed", outcome: "media_lost", attempts: 2, callUuid: uuid } as const;
  await world.app.database.tx(async (queries) => {
    await queries.update(campaignTargets).set(tried).where(eq(campaignTargets.numberE164, CALLER));
  });
  await world.callWhen(uuid, ({ recording_status }) => recording_status === "ready");
});

afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser.close();
  await world.close();
});

/**
 * Waits until the page has loaded, then runs axe: all rules in the light theme, colours in the dark
 * one. Also checks a phone's width.
 */
async function examine(visitor: Visit, path: string): Promise<string[]> {
  const { page } = visitor;
  await goTo(page, world.app, path);
  await loaded(page, HEALTH_MS);
  const light = await violations(page, path);
  await paint(visitor, "light", path);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violations(page, `${path}, dark`, ["color-contrast"]);
  await paint(visitor, "dark", path);
  await page.emulateMedia({ colorScheme: "light" });
  const desk = page.viewportSize();
  await page.setViewportSize(PHONE);
  const excess = await excessOf(page);
  if (desk) await page.setViewportSize(desk);
  return [...light, ...dark, ...(excess > 0 ? [`${path}: ${excess} px too wide`] : [])];
}

/**
 * Pixels by which the page or a table is too wide. Retries, because rows become cards some frames
 * after a resize.
 */
async function excessOf(page: Page): Promise<number> {
  const measure = () =>
    page
      .locator(".table-wrap, html")
      .evaluateAll((all) => Math.max(...all.map((box) => box.scrollWidth - box.clientWidth)));
  let excess = await measure();
  for (let tries = 0; excess > 0 && tries < 20; tries++) {
    await page.waitForTimeout(50);
    excess = await measure();
  }
  return excess;
}

/** Sets the signed-in person's language from the next document on. */
async function speak(page: Page, locale: Language): Promise<void> {
  const origin = world.app.addresses.http;
  await page.request.post(`${origin}/api/dashboard/profile`, {
    data: { locale },
    headers: { origin },
  });
}

async function paint({ page }: Visit, theme: Theme, path: string): Promise<void> {
  if (!screenshots) return;
  const name = `${theme}${path.replace(uuid, "call").replace(/[^a-z0-9]+/gi, "-")}.png`;
  await page.screenshot({ path: join(screenshots, name), fullPage: true });
}

inChromium("every page", () => {
  test("is accessible in both themes, fits a phone, and logs no errors", async () => {
    const visitor = await visit(browser);
    const wrong: string[] = [];
    for (const path of DOORS) wrong.push(...(await examine(visitor, path)));
    await signIn(visitor, world.app, {
      tenantId: world.tenantId,
      email: "owner@clinic.example",
      name: "Rasa Kazlauskienė",
      operator: true,
    });
    for (const page of PAGES) wrong.push(...(await examine(visitor, page.replace("UUID", uuid))));
    expect(wrong).toEqual([]);
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  test("the operator's health page lists the doctor's checks, each with its remedy", async () => {
    const visitor = await visit(browser);
    await signIn(visitor, world.app, {
      tenantId: world.tenantId,
      email: "health@clinic.example",
      operator: true,
    });
    await visitor.page.goto(`${world.app.addresses.http}/app/operator?tab=health`);
    const checks = visitor.page.locator("main .list > li");
    await checks.filter({ hasText: "database" }).first().waitFor({ timeout: HEALTH_MS });
    const told = await checks.allTextContents();
    expect(told.length).toBeGreaterThan(12);
    for (const name of [
      "1. Configuration",
      "2. Data directory",
      ". Engine",
      ". Trunks",
      ". Backup",
    ])
      expect(told.some((text) => text.includes(name))).toBe(true);
    await visitor.context.close();
  });

  test("a call's heading fits one line on a desktop, and its actions fit one line on a phone", async () => {
    const visitor = await visit(browser);
    const { page } = visitor;
    const email = "head@clinic.example";
    await signIn(visitor, world.app, { tenantId: world.tenantId, email });
    /** Number of lines of text that the elements occupy. */
    const lines = (parts: string) =>
      page
        .locator(parts)
        .evaluateAll(
          (all) =>
            new Set(
              all.flatMap((part) =>
                [...part.getClientRects()].map(({ top, bottom }) => Math.round(top + bottom)),
              ),
            ).size,
        );
    for (const locale of LANGUAGES) {
      await speak(page, locale);
      await page.reload();
      await goTo(page, world.app, `/calls/${uuid}`);
      await loaded(page);
      expect([locale, await lines(".page-head .lead > *")]).toEqual([locale, 1]);
      await page.setViewportSize(PHONE);
      expect([locale, await lines(".page-head > .row > :not(.wide-only)")]).toEqual([locale, 1]);
      await page.setViewportSize({ width: 1280, height: 860 });
    }
    await visitor.context.close();
  });

  test("no table is wider than its card, in any language, on any screen", async () => {
    const visitor = await visit(browser);
    const { page } = visitor;
    const email = "widths@clinic.example";
    await signIn(visitor, world.app, { tenantId: world.tenantId, email, operator: true });
    const wide: string[] = [];
    for (const locale of LANGUAGES) {
      await speak(page, locale);
      await page.reload();
      for (const path of PAGES_WITH_TABLES) {
        await goTo(page, world.app, path.replace("UUID", uuid));
        await loaded(page);
        for (const width of [360, 640, 900, 1280]) {
          await page.setViewportSize({ width, height: 860 });
          const excess = await excessOf(page);
          if (excess > 0) wide.push(`${locale} ${width} ${path}: ${excess} px`);
        }
      }
    }
    expect(wide).toEqual([]);
    await visitor.context.close();
  });

  test("the call list with summaries fits every screen in the longest language", async () => {
    const visitor = await visit(browser);
    const { page } = visitor;
    const email = "tablet@clinic.example";
    const rename = (name: string) => world.api("PATCH", `/agents/${world.agentId}`, { name });
    await rename("Registratūros-administratorė Nebeprisikiškiakopūsteliaudamienė");
    await signIn(visitor, world.app, { tenantId: world.tenantId, email });
    await speak(page, "ru");
    await goTo(page, world.app, "/calls");
    await page.reload();
    await page.locator("td.end").first().waitFor();
    for (const width of [660, 768, 900, 1024, 1100, 1200, 1280, 1366, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const hidden = await page
        .locator(".table-wrap")
        .evaluate((table) => table.scrollWidth - table.clientWidth);
      expect([width, hidden]).toEqual([width, 0]);
      const about = await page.locator(".about").first().boundingBox();
      expect(about?.width ?? 0).toBeGreaterThan(120);
    }
    await rename("Reception");
    const preview = page.locator("tbody td:last-child button").first();
    await page.setViewportSize({ width: 1024, height: 800 });
    expect(await preview.isVisible()).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
    await preview.click();
    await page.locator(".call-panel").waitFor();
    for (const width of [1100, 1200, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await excessOf(page)]).toEqual([width, 0]);
    }
    await visitor.context.close();
  });

  test("is reachable through the phone's drawer", async () => {
    const visitor = await visit(browser, PHONE);
    await signIn(visitor, world.app, {
      tenantId: world.tenantId,
      email: "phone@clinic.example",
      operator: true,
    });
    await visitor.page.getByRole("button", { name: "Open navigation" }).click();
    await visitor.page.getByRole("dialog").getByRole("link", { name: "Numbers" }).click();
    await visitor.page.getByRole("heading", { name: "Numbers" }).waitFor();
    await visitor.context.close();
  });
});
