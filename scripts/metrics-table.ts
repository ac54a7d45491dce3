/**
 * Writes the table of metrics in docs/operation.md from those that the appliance exports (`npm run
 * docs`).
 */
import { systemClock } from "../src/core/clock.ts";
import { createMetrics } from "../src/ops/metrics/metrics.ts";

const FILE = new URL("../docs/operation.md", import.meta.url).pathname;
const PLACE = /(<!-- figures: [^>]*-->\n)[\s\S]*?(<!-- \/figures -->)/;

/** Response to Prometheus from an idle node. */
export async function exportedFigures(): Promise<string> {
  const metrics = createMetrics(
    {
      liveCalls: () => 0,
      callCapacity: () => 0,
      tooManyTalk: () => false,
      speechLoad: () => ({ waited: 0, lost: 0 }),
      registrations: () => ({ registered: 1 }),
      queues: async () => ({ mails: 0 }),
      ledgerDifference: async () => 0,
      diskFreeBytes: () => 0,
      clockAheadMs: () => 0,
      descriptors: { open: () => 0, limit: () => 0 },
      ready: async () => true,
    },
    { node: "a", version: "0", engine: "embedded" },
    systemClock,
  );
  try {
    return await metrics.text();
  } finally {
    metrics.stop();
  }
}

function tableOf(exported: string): string {
  const helps = [...exported.matchAll(/^# HELP (\w+) (.+)\n# TYPE \1 (\w+)$/gm)];
  const rows = helps.map(([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`);
  return ["| metric | type | meaning |", "|---|---|---|", ...rows, ""].join("\n");
}

/** The current page, and the page with the current metrics. */
export async function operationPage(): Promise<{ readonly is: string; readonly wanted: string }> {
  const is = await Bun.file(FILE).text();
  return { is, wanted: is.replace(PLACE, `$1${tableOf(await exportedFigures())}$2`) };
}

if (import.meta.main) {
  await Bun.write(FILE, (await operationPage()).wanted);
  console.error("wrote the figures of docs/operation.md");
}
