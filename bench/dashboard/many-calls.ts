/** Long tasks of the dashboard while a person works in a long list of calls. */
import type { Page } from "playwright-core";
import { type PastCall, WEEK_OF_CALLS } from "../../test/support/store/call-history.ts";

const MINUTE_MS = 60_000;

export interface LongTasks {
  readonly calls: number;
  /** Longest task in ms; 0 if none took more than 50 ms. */
  readonly longestMs: number;
  readonly count: number;
}

/** This week's calls first; the others are from the month before. */
export const pastCalls = (count: number): readonly PastCall[] => [
  ...WEEK_OF_CALLS,
  ...Array.from(
    { length: count - WEEK_OF_CALLS.length },
    (_, at): PastCall => ({
      number: `+3706${String(2_000_000 + at).padStart(7, "0")}`,
      direction: "inbound",
      status: "completed",
      agoMs: (at + 1) * 4 * MINUTE_MS,
      summary: "The caller asked for the price of a consultation.",
      said: [],
    }),
  ),
];

/** Scrolls, pages, filters, searches and opens a call. */
export async function measureManyCalls(page: Page, url: string): Promise<LongTasks> {
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration);
    }).observe({ type: "longtask", buffered: true });
  });
  await page.goto(`${url}calls`);
  await page.locator("tbody tr").nth(20).waitFor();
  const told = (await page.locator(".pager .nums").textContent()) ?? "";
  for (let turn = 0; turn < 20; turn++) await page.mouse.wheel(0, turn < 10 ? 400 : -400);
  for (let leaf = 0; leaf < 3; leaf++) {
    const first = await page.locator("tbody tr").first().textContent();
    await page.locator(".pager button").last().click();
    await page.waitForFunction(
      (before) => document.querySelector("tbody tr")?.textContent !== before,
      first,
    );
  }
  await page.locator(".filters select").nth(1).selectOption("no_answer");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length < 5);
  await page.locator(".filters select").nth(1).selectOption({ index: 0 });
  await page.locator("tbody tr").nth(20).waitFor();
  await page.locator("input[type=search]").fill("petraitis");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  await page.locator("tbody tr a.cover").click();
  await page.locator("[role=tab]").first().waitFor();
  await page.waitForLoadState("networkidle");
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
  return {
    calls: Number(told.replaceAll(/^.*\/|\D/g, "")),
    longestMs: Math.max(0, ...tasks),
    count: tasks.length,
  };
}
