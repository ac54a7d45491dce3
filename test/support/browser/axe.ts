/** Accessibility violations of a page, found by axe. */
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const axeSource = await Bun.file(AXE).text();

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Returns one line per element that breaks a rule. `at`: place for the line; `rules`: rules to
 * check (default: all).
 */
export async function violations(
  page: Page,
  at: string,
  rules: readonly string[] | null = null,
): Promise<string[]> {
  // Wait for finite animations, because their colours are not final. Endless animations are
  // skipped.
  await page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(Number(effect?.getComputedTiming().endTime)));
    await Promise.all(passing.map((one) => one.finished.catch(() => null)));
  });
  // Inject the script like a debugger, because the page's policy blocks external scripts.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const found = await page.evaluate(async (only) => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    const result = await axe.run({
      resultTypes: ["violations"],
      ...(only ? { runOnly: only } : {}),
    });
    return result.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    }));
  }, rules);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${at} ${id}: ${html}\n${failureSummary}`),
  );
}

/** Waits until the page has loaded everything. */
export const loaded = (page: Page, timeoutMs = 30_000) =>
  page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0, null, {
    timeout: timeoutMs,
  });
