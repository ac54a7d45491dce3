/** CRM look-ups while the phone rings: in time, late, too late or failing, and cached answers. */

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../src/core/clock.ts";
import type { Database } from "../../../src/core/database.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { callerStore } from "../../../src/features/contact/caller-store.ts";
import { CrmLookup } from "../../../src/features/contact/crm/lookup.ts";
import { crmStore } from "../../../src/features/contact/crm-store.ts";
import { createTenant } from "../../../src/features/tenant/create-tenant.ts";
import { tenantAdminStore } from "../../../src/features/tenant/tenant-admin-store.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { createVault } from "../../../src/platform/secrets/vault.ts";
import { crmCache } from "../../../src/store/schema/index.ts";
import { startPlan } from "../../support/plans.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOST = "127.0.8.98";
const vault = createVault(new Uint8Array(32).fill(7));
const NUMBER = "+37061000190";
let database: Database;
let tenantId = 0;
let delayMs = 0;
let answer: () => Response = () => Response.json({ name: "Jonas" });
let asked = 0;
const crm = Bun.serve({
  hostname: HOST,
  port: 0,
  async fetch() {
    asked++;
    await Bun.sleep(delayMs);
    return answer();
  },
});

beforeAll(async () => {
  database = await openTestDatabase(join(tempDir(), "linevoice.db"), systemClock.now());
  tenantId = await createTenant(
    { database, records: tenantAdminStore, vault, clock: systemClock, random: systemRandom },
    { name: "Clinic", email: "a@example.com", plan: startPlan.slug, timeZone: "Europe/Vilnius" },
  );
  await database.tx((queries) =>
    callerStore(queries).putFeatureSettings(
      tenantId,
      { crmUrl: `http://${HOST}:${crm.port}/` },
      systemClock.now(),
    ),
  );
});
afterAll(async () => {
  await crm.stop(true);
  await database.close();
});
beforeEach(async () => {
  delayMs = 0;
  asked = 0;
  answer = () => Response.json({ name: "Jonas" });
  await database.tx((queries) => queries.delete(crmCache));
});

/** Each slow question uses its own number, because its late answer is cached for that number. */
const facts = async (number = NUMBER) =>
  (
    await new CrmLookup({
      database,
      records: crmStore,
      vault,
      clock: systemClock,
      log: silentLog,
      client: new SafeHttpClient({ allowNetworks: ["127.0.0.0/8"], clock: systemClock }),
    }).facts(tenantId, { direction: "inbound", number, callUuid: "u" })
  )
    .map(({ label, text }) => `${label}: ${text}`)
    .join(" ");

test("an answer in time is used", async () => {
  expect(await facts()).toContain("crm_name: Jonas");
});

test("between 0.8 and 1.5 s the cached answer is used without waiting", async () => {
  await facts();
  delayMs = 1_100;
  answer = () => Response.json({ name: "Petras" });
  expect(await facts()).toContain("crm_name: Jonas");
});

test("without a cached answer, the CRM has 1.5 s", async () => {
  delayMs = 1_100;
  expect(await facts("+37061000191")).toContain("crm_name: Jonas");
  delayMs = 4_000;
  expect(await facts("+37061000192")).toBe("");
});

test.each([
  ["an error", () => new Response("no", { status: 500 })],
  ["no JSON", () => new Response("<html>")],
  ["a list", () => Response.json([1])],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 302)],
  ["too much", () => new Response(`{"name":"${"x".repeat(70_000)}"}`)],
])("%s counts as no answer, and the cached answer stays", async (_, wrong) => {
  answer = wrong;
  expect(await facts()).toBe("");
  answer = () => Response.json({ name: "Jonas" });
  await facts();
  answer = wrong;
  expect(await facts()).toContain("crm_name: Jonas");
});

test("an unknown number returns nothing; the CRM's text is shortened and cleaned", async () => {
  answer = () => new Response(null, { status: 404 });
  expect(await facts()).toBe("");
  answer = () =>
    Response.json({ name: `A\u0000B\n${"c".repeat(900)}`, other: "hidden", balance: 5 });
  const said = await facts();
  expect(said).toContain("crm_name: A B c");
  expect(said).toContain("crm_balance: 5");
  expect(said).not.toContain("hidden");
  expect(said.length).toBeLessThan(700);
  expect(asked).toBe(2);
});
