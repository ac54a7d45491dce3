/** The import of a web site, as seen by a person who waits on the knowledge page. */
import { afterAll, beforeAll, describe, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, visit } from "../support/browser/dashboard-page.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../support/net/https-receiver.ts";
import { testCa } from "../support/net/test-ca.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

let world: Appliance;
let browser: Browser;
let site: HttpsReceiver;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  const { caPem, issue } = testCa(tempDir());
  const html = { "content-type": "text/html" };
  site = await httpsReceiver(issue(["IP:127.0.0.1"]), (request, response) => {
    const isHome = request.path === "/";
    const reply = isHome ? answer(200, "<html>Open<a href=/old></a>", html) : answer(404);
    reply(request, response);
  });
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.9.187",
    settings: (settings) => ({
      ...settings,
      httpClient: { ...settings.httpClient, caPem, allowNetworks: ["127.0.0.1/32"] },
    }),
  });
  browser = await launchChromium();
});

afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser.close();
  await world.close();
  await site.close();
});

describe.skipIf(chromiumPath() === null)("a web site", () => {
  test("shows its file and the unreadable pages without a reload", async () => {
    const owner = await visit(browser);
    const { page } = owner;
    const account = { tenantId: world.tenantId, email: "owner@clinic.example" };
    await signIn(owner, world.app, account);
    await page.goto(`${world.app.addresses.http}/app/knowledge`);
    await page.getByRole("button", { name: "Add a website" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Web address").fill(`127.0.0.1:${site.port}`);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("There is no such page: the server answered 404.").waitFor();
    await page.getByRole("link", { name: "127.0.0.1.md" }).waitFor();
    await owner.context.close();
  });
});
