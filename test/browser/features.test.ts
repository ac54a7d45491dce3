/**
 * The page "Customer features" in Chromium with a whole appliance and a CRM: correct and delete
 * memories, set calling hours, set up and test the bridge, repeat a request. About 15 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { callMemories, crmPosts, tenants } from "../../src/store/schema/index.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, type Visit, visit } from "../support/browser/dashboard-page.ts";
import { eventually } from "../support/eventually.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../support/net/https-receiver.ts";
import { testCa } from "../support/net/test-ca.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const PERSON = "+37061000301";
const SECRET = "a-long-random-text";
const inChromium = describe.skipIf(chromiumPath() === null);
let world: Appliance;
let crm: HttpsReceiver;
let browser: Browser;
let owner: Visit;
let page: Page;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  const ca = testCa(tempDir());
  crm = await httpsReceiver(ca.issue(["IP:127.0.0.1"]));
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.9.87",
    settings: (settings) => ({
      ...settings,
      httpClient: { ...settings.httpClient, caPem: ca.caPem },
    }),
  });
  browser = await launchChromium();
  owner = await visit(browser);
  page = owner.page;
  await signIn(owner, world.app, { tenantId: world.tenantId, email: "owner@clinic.example" });
});

afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
  await crm?.close();
});

const open = (tab: string) => page.goto(`${world.app.addresses.http}/app/features?tab=${tab}`);
const button = (name: string) => page.getByRole("button", { name, exact: true });
const alert = (text: string) => page.getByRole("alert").getByText(text);

inChromium("customer features", () => {
  test("a memory of a call is corrected and deleted", async () => {
    await world.app.database.tx(async (queries) => {
      await queries.insert(callMemories).values({
        tenantId: world.tenantId,
        numberE164: PERSON,
        callUuid: "call-1",
        reason: "A check-up",
        outcome: "Nobody answered",
        attemptedAt: Date.now(),
      });
    });
    await open("memories");
    const row = page.getByRole("row").filter({ hasText: PERSON });
    await row.getByText("Nobody answered").waitFor();
    await row.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("How it went").fill("x".repeat(501));
    await dialog.getByRole("button", { name: "Save" }).click();
    await alert("500").waitFor();
    await dialog.getByLabel("How it went").fill("She wants to be called on Monday");
    await dialog.getByLabel("What was promised").fill("A call on Monday");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("She wants to be called on Monday").waitFor();
    await button(`Delete: ${PERSON}`).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No memories yet").waitFor();
  });

  test("calling hours and the agent for birthdays are set, and an invalid hour shows an error at its field", async () => {
    await open("memories");
    await page.getByRole("tab", { name: "Birthday calls" }).click();
    await page.waitForURL(/tab=birthdays/);
    await page.getByLabel("From", { exact: true }).fill("ten");
    await button("Save").click();
    await alert("10:00").waitFor();
    await page.getByLabel("From", { exact: true }).fill("18:00");
    await page.getByLabel("Until").fill("09:30");
    await button("Save").click();
    await alert("later").waitFor();
    await page.getByLabel("From", { exact: true }).fill("09:30");
    await page.getByLabel("Until").fill("17:00");
    await page.getByLabel("Public holidays of").selectOption("LT");
    await page.getByLabel("Agent for birthday calls").selectOption({ label: "Reception" });
    await button("Save").click();
    await page.getByText("Saved.").first().waitFor();
    await page.reload();
    expect(await page.getByLabel("From", { exact: true }).inputValue()).toBe("09:30");
    expect(await page.getByLabel("Public holidays of").inputValue()).toBe("LT");
    await page.getByRole("heading", { name: "Birthdays" }).waitFor();
  });

  test("the CRM bridge is set up and tested, and failed requests are sent again", async () => {
    await open("crm");
    await page.getByLabel("Number", { exact: true }).fill(PERSON);
    await button("Try it").click();
    await alert("bought under billing").waitFor();
    await world.app.database.tx(async (queries) => {
      await queries.update(tenants).set({ crmBridge: true }).where(eq(tenants.id, world.tenantId));
      await queries.insert(crmPosts).values({
        tenantId: world.tenantId,
        callUuid: "call-1",
        body: '{"type":"outcome"}',
        status: "failed",
        attempts: 8,
        nextAttemptAt: 0,
        createdAt: 1,
        updatedAt: 1,
      });
    });
    await page.getByLabel("Address of the CRM").fill("http://crm.example");
    await button("Save").click();
    await alert("https://").waitFor();
    await page.getByLabel("Address of the CRM").fill(`https://127.0.0.1:${crm.port}/crm`);
    await page.getByLabel("Secret").fill(SECRET);
    await page.getByLabel("Field names").fill("colour = contact.colour");
    await button("Save").click();
    await alert("colour").waitFor();
    await page.getByLabel("Field names").fill("name = person.full_name\nsummary = activity.text");
    await button("Save").click();
    await page.getByText("Saved.").first().waitFor();

    crm.respond = answer(200, '{"person":{"full_name":"Jonas P."}}', {
      "content-type": "application/json",
    });
    await button("Try it").click();
    await page.getByRole("status").getByText("name: Jonas P.").waitFor();
    expect(await page.getByRole("status").getByText('"activity"').count()).toBe(1);
    expect(crm.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    await page.reload();
    expect(await page.getByLabel("Secret").inputValue()).toBe("");

    const told = page.getByRole("row").filter({ hasText: "Failed" });
    await told.getByRole("button", { name: "Send again" }).click();
    await eventually(
      async () => crm.requests.some(({ body }) => body.includes("outcome")),
      "the CRM is told again",
    );
    await eventually(async () => {
      await page.reload();
      await page.getByRole("table").waitFor();
      return (await page.getByRole("row").filter({ hasText: "Delivered" }).count()) === 1;
    }, "the message is shown as delivered");

    await page.getByText("A secret is set. Leave empty to keep it.").waitFor();
    await page.getByLabel("Address of the CRM").fill("https://other.example/crm");
    expect(await page.getByText("A secret is set. Leave empty to keep it.").count()).toBe(0);
    await button("Save").click();
    await page.getByText("Saved.").first().waitFor();
    await page.reload();
    await page.getByText("Sent as a bearer token. Never shown.").waitFor();
    expect(owner.complaints.filter((text) => !text.includes("status of 4"))).toEqual([]);
  });
});
