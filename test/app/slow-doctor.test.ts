/** The operator's health page on a machine whose checks take longer than the server keeps an idle connection. */
import { expect, test } from "bun:test";
import { startAppliance } from "../support/appliance/appliance.ts";
import { browserOf } from "../support/browser/appliance-browser.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The server closes an idle connection after 30 s; Bun's timer is coarse by 4 s. */
const CHECKS_MS = 36_000;

test(
  "checks that take 36 s: the health page gets their results",
  async () => {
    const world = await startAppliance({
      dataDir: tempDir(),
      host: "127.0.43.71",
      doctor: async () => {
        await Bun.sleep(CHECKS_MS);
        return [{ number: 1, name: "engine", result: "ok", finding: "It works.", remedy: null }];
      },
    });
    const operator = await browserOf(world.app, { tenantId: world.tenantId, operator: true });
    const health = await operator.ask("GET", "/operator/health");
    expect(health.status).toBe(200);
    expect(health.text).toContain("It works.");
    await world.close();
  },
  CHECKS_MS + 60_000,
);
