/** The Grafana dashboard and the alert rules use figures that the appliance really exports. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exportedFigures } from "../../scripts/metrics-table.ts";
import { peerPath, requirePeer } from "../support/peers.ts";

const DIRECTORY = join(import.meta.dir, "../../config/monitoring");

test("every queried figure is exported", async () => {
  const exported = await exportedFigures();
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

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(readFileSync(join(DIRECTORY, "grafana-dashboard.json"), "utf8")) as {
  readonly panels: readonly Panel[];
};

test.each(dashboard.panels.map((panel) => [panel.title, panel] as const))(
  "the panel %s shows only the chosen nodes",
  (_, { targets = [] }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) {
      const series = expr.match(/\b(?:linevoice|process)_[a-z_]+(?:\{[^}]*\})?/g) ?? [];
      expect(series.length).toBeGreaterThan(0);
      for (const each of series) expect(each).toContain('node=~"$node"');
    }
  },
);

test.skipIf(!requirePeer("promtool"))(
  "each alert rule fires when it should, and once",
  async () => {
    const rules = readFileSync(join(DIRECTORY, "alerts.yml"), "utf8");
    const cases = readFileSync(join(import.meta.dir, "alert-rules.yml"), "utf8");
    for (const [, alert] of rules.matchAll(/^ +- alert: (\w+)$/gm))
      expect([alert, cases.includes(`alertname: ${alert}\n`)]).toEqual([alert, true]);
    const child = Bun.spawn([peerPath("promtool"), "test", "rules", "alert-rules.yml"], {
      cwd: import.meta.dir,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ status: await child.exited, out, err }).toMatchObject({ status: 0 });
  },
);
