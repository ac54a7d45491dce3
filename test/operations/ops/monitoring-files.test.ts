/** The Grafana dashboard and the alert rules ask for figures that the appliance really exports. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/core/clock.ts";
import { createMetrics } from "../../../src/operations/ops/metrics/metrics.ts";

const DIRECTORY = join(import.meta.dir, "../../../config/monitoring");

test("every figure that is asked for is exported", async () => {
  const metrics = createMetrics(
    {
      liveCalls: () => 0,
      callCapacity: () => 0,
      speechLoad: () => ({ waited: 2, lost: 1 }),
      registrations: () => ({ registered: 1 }),
      queues: async () => ({ mails: 0 }),
      ledgerDifference: async () => 0,
      diskFreeBytes: () => 0,
      ready: async () => true,
    },
    { version: "0", engine: "embedded" },
    systemClock,
  );
  const exported = await metrics.text();
  metrics.stop();
  for (const file of ["grafana-dashboard.json", "alerts.yml"]) {
    const text = readFileSync(join(DIRECTORY, file), "utf8");
    const names = new Set(text.match(/\b(?:linevoice|process)_[a-z_]+/g));
    expect(names.size).toBeGreaterThan(5);
    for (const name of names) {
      const family = name.replace(/_bucket$/, "");
      expect([file, family, exported.includes(`# TYPE ${family} `)]).toEqual([file, family, true]);
    }
  }
});
