/**
 * The server stops and returns while the dashboard is open. The dashboard reports it, shows no
 * outdated data as current, and continues automatically. In Chromium, through a relay that can be
 * cut. About 15 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Socket } from "bun";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, visit } from "../support/browser/dashboard-page.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const { en } = await messageCatalogues();
const inChromium = describe.skipIf(chromiumPath() === null);
const HOST = "127.0.9.91";
const RELAY_PORT = 18_091;
/** Time limit from the return of the server to a working page. */
const RESUME_MS = 3_000;

/**
 * Forwards bytes between a browser and the server until `cut`. Both functions may be called
 * repeatedly.
 */
function createRelay(target: URL) {
  const open = new Set<Socket<unknown>>();
  let listener: { stop(force: boolean): void } | null = null;
  const mend = () => {
    listener = Bun.listen<{ up: Promise<Socket<unknown>> }>({
      hostname: HOST,
      port: RELAY_PORT,
      socket: {
        open(down) {
          open.add(down);
          const up = Bun.connect({
            hostname: target.hostname,
            port: Number(target.port),
            socket: {
              data: (_, bytes) => void down.write(bytes),
              close: () => void down.end(),
              drain: () => undefined,
            },
          });
          up.catch(() => down.end());
          down.data = { up };
        },
        data: (down, bytes) => void down.data.up.then((up) => up.write(bytes)),
        close(down) {
          open.delete(down);
          void down.data.up.then((up) => up.end());
        },
      },
    });
  };
  mend();
  return {
    mend,
    cut() {
      listener?.stop(true);
      for (const socket of open) socket.terminate();
    },
  };
}

let world: Appliance;
let browser: Browser;
let page: Page;
let relay: ReturnType<typeof createRelay>;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: HOST });
  relay = createRelay(new URL(world.app.addresses.http));
  browser = await launchChromium();
  const owner = await visit(browser);
  page = owner.page;
  await signIn(owner, world.app, { tenantId: world.tenantId, email: "owner@clinic.example" });
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  relay?.cut();
  await world?.close();
});

inChromium("while the server is away", () => {
  test("a bar reports it, live calls are unknown, and an unvisited page waits; then everything continues automatically", async () => {
    const to = (path: string) => `http://${HOST}:${RELAY_PORT}/app${path}`;
    const bar = page.getByRole("alert").filter({ hasText: en["offline.bar"].split("{")[0] });
    await page.goto(to("/live"));
    await page.getByText(en["live.empty"]).waitFor();
    await page.locator(".sidebar").getByRole("link", { name: en["nav.home"], exact: true }).click();
    await page.getByText(en["home.system"], { exact: true }).waitFor();

    relay.cut();
    await bar.waitFor({ timeout: 5_000 });
    await page.locator(".shell.stale").waitFor();
    await page.locator(".sidebar").getByRole("link", { name: en["nav.live"] }).click();
    await page.getByText(en["live.unknown"]).waitFor();
    expect(await page.getByText(en["live.empty"]).count()).toBe(0);
    await page.locator(".sidebar").getByRole("link", { name: en["nav.webhooks"] }).click();
    await page.locator("main").getByText(en["problem.offline"]).waitFor();

    relay.mend();
    const since = performance.now();
    await page
      .getByRole("heading", { name: en["nav.webhooks"], level: 1 })
      .waitFor({ timeout: 10_000 });
    await bar.waitFor({ state: "detached" });
    expect(performance.now() - since).toBeLessThan(RESUME_MS);
  });
});
