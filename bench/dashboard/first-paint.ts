/**
 * Measures the dashboard in Chromium: first paint with an empty cache, on this machine and on a
 * slow phone; layout shift; and long tasks with a list of 10,000 calls.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { systemClock } from "../../src/core/clock.ts";
import { startAppliance } from "../../test/support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../../test/support/browser/chromium.ts";
import { signIn, visit } from "../../test/support/browser/dashboard-page.ts";
import { storeCalls } from "../../test/support/store/call-history.ts";
import { type LongTasks, measureManyCalls, pastCalls } from "./many-calls.ts";

const HOST = "127.0.44.2";
const CALLS = 10_000;

/**
 * A median phone on a slow mobile network: 1.6 Mbit/s, 150 ms, a quarter of this machine's CPU
 * speed.
 */
const SLOW_PHONE = {
  width: 390,
  height: 844,
  slowdown: 4,
  network: {
    offline: false,
    latency: 150,
    downloadThroughput: (1.6 * 1024 * 1024) / 8,
    uploadThroughput: (750 * 1024) / 8,
  },
};

export interface FirstPaint {
  /** Medians in ms since the start of the navigation. */
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  readonly dataShownMs: number;
  /** Cumulative layout shift, the worst run. */
  readonly layoutShift: number;
  readonly transferredKilobytes: number;
}

export interface DashboardSpeed {
  readonly runs: number;
  readonly here: FirstPaint;
  readonly slowPhone: FirstPaint;
  readonly manyCalls: LongTasks;
}

interface Watched {
  readonly shift: number;
  readonly largest: number;
  readonly dataShown: number;
}

/**
 * Longer than the slowest page needs, here and on the phone. Polling the page would slow it down.
 */
const WATCHED_MS = { here: 1_500, phone: 4_000 };

type State = Awaited<ReturnType<Awaited<ReturnType<typeof visit>>["context"]["storageState"]>>;

/** Loads the page in a fresh context: empty cache, with the session's cookie. */
async function look(
  browser: Browser,
  url: string,
  storageState: State,
  phone: typeof SLOW_PHONE | null,
): Promise<FirstPaint> {
  const context = await browser.newContext({
    storageState,
    viewport: phone ?? { width: 1280, height: 860 },
  });
  const page = await context.newPage();
  if (phone) {
    const cdp = await context.newCDPSession(page);
    await cdp.send("Network.emulateNetworkConditions", phone.network);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: phone.slowdown });
  }
  await page.addInitScript(() => {
    const seen = { shift: 0, largest: 0, dataShown: 0 };
    Object.assign(window, { seen });
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".figures")) return;
      seen.dataShown = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        seen.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.largest = entry.startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
  });
  await page.goto(url);
  await page.waitForTimeout(phone ? WATCHED_MS.phone : WATCHED_MS.here);
  const seen = await page.evaluate(() => ({
    firstPaintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    largestPaintMs: (window as unknown as { seen: Watched }).seen.largest,
    dataShownMs: (window as unknown as { seen: Watched }).seen.dataShown,
    layoutShift: (window as unknown as { seen: Watched }).seen.shift,
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

const medians = (looks: readonly FirstPaint[]): FirstPaint => ({
  firstPaintMs: median(looks.map((one) => one.firstPaintMs)),
  largestPaintMs: median(looks.map((one) => one.largestPaintMs)),
  dataShownMs: median(looks.map((one) => one.dataShownMs)),
  layoutShift: Math.max(...looks.map((one) => one.layoutShift)),
  transferredKilobytes: median(looks.map((one) => one.transferredKilobytes)),
});

/** Returns null without Chromium. */
export async function measureDashboard(runs: number): Promise<DashboardSpeed | null> {
  if (chromiumPath() === null) return null;
  const dataDir = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const world = await startAppliance({ dataDir, host: HOST });
  const browser = await launchChromium();
  try {
    await storeCalls(world, systemClock.now(), pastCalls(CALLS));
    const visitor = await visit(browser);
    await signIn(visitor, world.app, { tenantId: world.tenantId, email: "bench@example.com" });
    const state = await visitor.context.storageState();
    const url = `${world.app.addresses.http}/app/`;
    const here: FirstPaint[] = [];
    const slowPhone: FirstPaint[] = [];
    for (let run = 0; run < runs; run++) {
      here.push(await look(browser, url, state, null));
      slowPhone.push(await look(browser, url, state, SLOW_PHONE));
    }
    const manyCalls = await measureManyCalls(visitor.page, url);
    return { runs, here: medians(here), slowPhone: medians(slowPhone), manyCalls };
  } finally {
    await browser.close();
    await world.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
