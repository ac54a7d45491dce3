/** How fast the dashboard shows itself in Chromium, from an empty cache, and whether it jumps. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { startAppliance } from "../../test/support/appliance.ts";
import { chromiumPath, launchChromium } from "../../test/support/chromium.ts";
import { signIn, visit } from "../../test/support/dashboard-page.ts";

const HOST = "127.0.44.2";

export interface FirstPaint {
  readonly runs: number;
  /** Medians of milliseconds from the navigation. */
  readonly firstPaintMs: number;
  readonly dataShownMs: number;
  /** Cumulative layout shift, the worst run. */
  readonly layoutShift: number;
  readonly transferredKilobytes: number;
}

interface Seen {
  readonly firstPaintMs: number;
  readonly dataShownMs: number;
  readonly layoutShift: number;
  readonly transferredKilobytes: number;
}

type State = Awaited<ReturnType<Awaited<ReturnType<typeof visit>>["context"]["storageState"]>>;

/** A fresh context: nothing is cached but the session's cookie. */
async function look(browser: Browser, url: string, storageState: State): Promise<Seen> {
  const context = await browser.newContext({
    storageState,
    viewport: { width: 1280, height: 860 },
  });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const seen = { shift: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        seen.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(url);
  await page.locator(".figures").waitFor();
  const seen = await page.evaluate(() => ({
    dataShownMs: performance.now(),
    firstPaintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    layoutShift: (window as unknown as { seen: { shift: number } }).seen.shift,
    transferredKilobytes:
      performance
        .getEntriesByType("resource")
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0) / 1024,
  }));
  await context.close();
  return seen;
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** null: there is no Chromium on this machine. */
export async function measureFirstPaint(runs: number): Promise<FirstPaint | null> {
  if (chromiumPath() === null) return null;
  const dataDir = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const world = await startAppliance({ dataDir, host: HOST });
  const browser = await launchChromium();
  try {
    const visitor = await visit(browser);
    await signIn(visitor, world.app, { tenantId: world.tenantId, email: "bench@example.com" });
    const state = await visitor.context.storageState();
    const url = `${world.app.addresses.http}/app/`;
    const looks: Seen[] = [];
    for (let run = 0; run < runs; run++) looks.push(await look(browser, url, state));
    return {
      runs,
      firstPaintMs: median(looks.map((one) => one.firstPaintMs)),
      dataShownMs: median(looks.map((one) => one.dataShownMs)),
      layoutShift: Math.max(...looks.map((one) => one.layoutShift)),
      transferredKilobytes: median(looks.map((one) => one.transferredKilobytes)),
    };
  } finally {
    await browser.close();
    await world.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
