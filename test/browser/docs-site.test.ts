/** The documentation site in Chromium: accessibility in both themes, width on a phone, search. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { violations } from "../support/browser/axe.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { visit } from "../support/browser/dashboard-page.ts";
import { type ApiServer, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(240_000);

const inChromium = describe.skipIf(chromiumPath() === null);
let server: ApiServer;
let browser: Browser;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  server = await startApiServer({ directory: tempDir() });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

inChromium("the documentation", () => {
  test("is accessible in both themes and fits a phone", async () => {
    const { page, context } = await visit(browser, { width: 390, height: 844 });
    for (const path of ["", "trunks", "api-reference", "configuration"]) {
      await page.goto(`${server.base}/docs/${path}`);
      for (const theme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: theme });
        const rules = theme === "dark" ? ["color-contrast"] : null;
        expect(await violations(page, `${path}, ${theme}`, rules)).toEqual([]);
        const wider = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect([path, theme, wider]).toEqual([path, theme, 0]);
      }
    }
    await context.close();
  });

  test("search finds a heading with the keyboard alone", async () => {
    const { page, context } = await visit(browser);
    await page.goto(`${server.base}/docs/`);
    await page.keyboard.press("/");
    await page.keyboard.type("registration trunk");
    await page.locator("#results a").first().waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/[^#]+#/);
    await context.close();
  });
});
