/**
 * Every page of the dashboard in Chromium, beside a whole appliance that has taken a call: no
 * violation that axe knows of in either theme, nothing wider than a phone, no complaint of the
 * browser. With LINEVOICE_SCREENSHOTS=DIR each page is also painted there. Takes some 60 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance.ts";
import { chromiumPath, launchChromium } from "../support/chromium.ts";
import { signIn, type Theme, type Visit, visit } from "../support/dashboard-page.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(240_000);

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const axeSource = await Bun.file(AXE).text();
const CALLER = "+37061000082";
const screenshots = process.env.LINEVOICE_SCREENSHOTS;

/** `UUID` stands for the call. */
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
  "/features",
  "/agents",
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
  "/operator?tab=backups",
  "/operator?tab=logs",
  "/operator?tab=mail",
  "/nowhere",
];
const DOORS = ["/sign-in", "/forgot-password", "/owner", "/invitation", "/reset-password"];

const inChromium = describe.skipIf(chromiumPath() === null);
let world: Appliance;
let browser: Browser;
let uuid: string;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.9.82",
    agent: { transcriptEmailEnabled: false },
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
  await world.callWhen(uuid, ({ recording_status }) => recording_status === "ready");
});

afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser.close();
  await world.close();
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Waits for what the page asks the server, then for axe. */
async function examine({ page }: Visit, address: string): Promise<Violation[]> {
  await page.goto(address);
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0);
  // As a debugger would put it in: the page's policy lets no script in from the outside.
  await page.evaluate(axeSource);
  return await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
  });
}

const told = (violations: readonly Violation[], at: string) =>
  violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${at} ${id}: ${html}\n${failureSummary}`),
  );

async function paint({ page }: Visit, theme: Theme, path: string): Promise<void> {
  if (!screenshots) return;
  const name = `${theme}${path.replace(uuid, "call").replace(/[^a-z0-9]+/gi, "-")}.png`;
  await page.screenshot({ path: join(screenshots, name), fullPage: true });
}

inChromium("every page", () => {
  for (const theme of ["light", "dark"] as const)
    test(`is accessible and quiet, ${theme}`, async () => {
      const visitor = await visit(browser, { theme });
      const base = world.app.addresses.http;
      const wrong: string[] = [];
      for (const path of DOORS) {
        wrong.push(...told(await examine(visitor, `${base}/app${path}`), path));
        await paint(visitor, theme, path);
      }
      await signIn(visitor, world.app, {
        tenantId: world.tenantId,
        email: `owner-${theme}@clinic.example`,
        name: "Rasa Kazlauskienė",
        operator: true,
      });
      for (const page of PAGES) {
        const path = page.replace("UUID", uuid);
        wrong.push(...told(await examine(visitor, `${base}/app${path}`), path));
        await paint(visitor, theme, path);
      }
      expect(wrong).toEqual([]);
      expect(visitor.complaints).toEqual([]);
      await visitor.context.close();
    });

  test("fits a phone", async () => {
    const visitor = await visit(browser, { width: 375, height: 812 });
    await signIn(visitor, world.app, {
      tenantId: world.tenantId,
      email: "phone@clinic.example",
      operator: true,
    });
    const wide: string[] = [];
    for (const page of PAGES) {
      await visitor.page.goto(`${world.app.addresses.http}/app${page.replace("UUID", uuid)}`);
      await visitor.page.locator("h1").first().waitFor();
      await visitor.page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0);
      const excess = await visitor.page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      if (excess > 0) wide.push(`${page}: ${excess} px`);
    }
    expect(wide).toEqual([]);
    await visitor.page.getByRole("button", { name: "Open navigation" }).click();
    await visitor.page.getByRole("dialog").getByRole("link", { name: "Numbers" }).click();
    await visitor.page.getByRole("heading", { name: "Numbers" }).waitFor();
    await visitor.context.close();
  });
});
