/**
 * Forms in Chromium with a whole appliance: typed text is never lost without a question, and two
 * people who edit one record do not overwrite each other's changes. About 30 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, type Visit, visit } from "../support/browser/dashboard-page.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const { en } = await messageCatalogues();
const inChromium = describe.skipIf(chromiumPath() === null);
const PROMPT = "You answer for a dental clinic. Be brief.";
let world: Appliance;
let browser: Browser;
let owner: Visit;
let page: Page;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.89" });
  browser = await launchChromium();
  owner = await visit(browser);
  page = owner.page;
  await signIn(owner, world.app, { tenantId: world.tenantId, email: "owner@clinic.example" });
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

const address = (path: string) => `${world.app.addresses.http}/app${path}`;
const agentPath = () => `/agents/${world.agentId}`;
const agent = async () =>
  (await world.api("GET", agentPath())).body.agent as { name?: string; prompt?: string };
const prompt = (at: Page) => at.getByLabel(en["agents.prompt"], { exact: true });
const leaving = (at: Page) => at.getByRole("alertdialog");
const save = (at: Page) =>
  at.getByRole("button", { name: en["action.save"], exact: true }).first().click();
const saved = (at: Page) => at.getByText(en["form.saved"]).first().waitFor();

inChromium("unsaved text", () => {
  test("stays while other tabs of the agent are open, and a link asks before it is lost", async () => {
    await page.goto(address(agentPath()));
    await prompt(page).fill(PROMPT);
    await page.getByRole("tab", { name: en["agents.tab.knowledge"] }).click();
    await page.getByRole("tab", { name: en["agents.tab.settings"] }).click();
    expect(await prompt(page).inputValue()).toBe(PROMPT);

    await page.locator(".sidebar").getByRole("link", { name: en["nav.agents"] }).click();
    await leaving(page).getByText(en["unsaved.title"]).waitFor();
    await leaving(page).getByRole("button", { name: en["unsaved.stay"] }).click();
    expect(await prompt(page).inputValue()).toBe(PROMPT);
    await page.locator(".sidebar").getByRole("link", { name: en["nav.agents"] }).click();
    await leaving(page).getByRole("button", { name: en["unsaved.leave"] }).click();
    await page.getByRole("link", { name: "Reception" }).click();
    await prompt(page).waitFor();
    expect(await prompt(page).inputValue()).not.toBe(PROMPT);
  });

  test("makes the browser ask before a reload, and is restored afterwards until it is saved", async () => {
    await page.goto(address(agentPath()));
    await prompt(page).fill(PROMPT);
    await page.waitForTimeout(1_000);
    const asked: string[] = [];
    page.once("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(asked).toEqual(["beforeunload"]);
    await page.getByText(en["unsaved.restored"]).waitFor();
    expect(await prompt(page).inputValue()).toBe(PROMPT);
    // Discarding also asks, because it cannot be undone.
    await page.getByRole("button", { name: en["unsaved.discard"] }).click();
    await leaving(page).getByText(en["unsaved.discard_title"]).waitFor();
    await leaving(page).getByRole("button", { name: en["unsaved.stay"] }).click();
    expect(await prompt(page).inputValue()).toBe(PROMPT);
    await page.getByRole("button", { name: en["unsaved.discard"] }).click();
    await leaving(page).getByRole("button", { name: en["unsaved.discard"] }).click();
    await page.getByText(en["unsaved.restored"]).waitFor({ state: "detached" });
    expect(await prompt(page).inputValue()).not.toBe(PROMPT);
    await prompt(page).fill(PROMPT);
    await save(page);
    await saved(page);
    expect((await agent()).prompt).toBe(PROMPT);
    await page.reload();
    await prompt(page).waitFor();
    expect(await page.getByText(en["unsaved.restored"]).count()).toBe(0);
  });

  test("in a dialog makes Escape ask before it closes", async () => {
    await page.goto(address("/knowledge"));
    await page.getByRole("button", { name: en["knowledge.new"] }).first().click();
    await page.getByLabel(en["knowledge.filename"]).fill("prices.md");
    await page.keyboard.press("Escape");
    await leaving(page).getByRole("button", { name: en["unsaved.stay"] }).click();
    expect(await page.getByLabel(en["knowledge.filename"]).inputValue()).toBe("prices.md");
    await page.keyboard.press("Escape");
    await leaving(page).getByRole("button", { name: en["unsaved.leave"] }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});

inChromium("two tabs with one record", () => {
  test("keep each other's changes of an agent, and compare if both changed the same field", async () => {
    const other = await owner.context.newPage();
    for (const at of [page, other]) {
      await at.goto(address(agentPath()));
      await prompt(at).waitFor();
    }
    await page.getByLabel(en["form.name"], { exact: true }).fill("Front desk");
    await save(page);
    await saved(page);
    await prompt(other).fill("From the other tab.");
    await save(other);
    await saved(other);
    expect(await agent()).toMatchObject({ name: "Front desk", prompt: "From the other tab." });

    await page.goto(address(agentPath()));
    await prompt(page).fill("Mine.");
    await prompt(other).fill("Theirs.");
    await save(other);
    await saved(other);
    await save(page);
    const clash = page.getByRole("dialog");
    await clash.getByText("Theirs.").waitFor();
    await clash.getByText("Mine.").waitFor();
    expect((await agent()).prompt).toBe("Theirs.");
    await clash.getByRole("button", { name: en["clash.keep_mine"] }).click();
    await saved(page);
    expect((await agent()).prompt).toBe("Mine.");
    await other.close();
  });

  test("keep each other's changes of the company", async () => {
    const other = await owner.context.newPage();
    for (const at of [page, other]) {
      await at.goto(address("/settings"));
      await at.getByLabel(en["settings.time_zone"]).waitFor();
    }
    await page.getByLabel(en["form.name"], { exact: true }).fill("Clinic of Rasa");
    await save(page);
    await saved(page);
    await other.getByLabel(en["settings.time_zone"]).fill("Europe/Riga");
    await save(other);
    await saved(other);
    await page.reload();
    await page.getByLabel(en["settings.time_zone"]).waitFor();
    expect(await page.getByLabel(en["form.name"], { exact: true }).inputValue()).toBe(
      "Clinic of Rasa",
    );
    expect(await page.getByLabel(en["settings.time_zone"]).inputValue()).toBe("Europe/Riga");
    await other.close();
  });
});

inChromium("a chosen file", () => {
  const chosen = (name: string, bytes: number) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.alloc(bytes, "a"),
  });

  test("shows a warning if its name exists, and is removed if it is a document above 8 MB", async () => {
    const body = { filename: "Prices.md", content: "A check-up is 40 EUR." };
    expect((await world.api("POST", "/files", body)).status).toBe(200);
    await page.goto(address("/knowledge"));
    await page.getByRole("button", { name: en["knowledge.new"] }).first().click();
    const dialog = page.getByRole("dialog");
    const field = dialog.getByLabel(en["knowledge.choose"], { exact: true });
    const name = dialog.getByLabel(en["knowledge.filename"], { exact: true });
    const twice = dialog.getByText(en["knowledge.twice"].replace("{name}", "prices.md"));
    await field.setInputFiles(chosen("hours.txt", 10));
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "a".repeat(10));
    expect(await twice.count()).toBe(0);
    await field.setInputFiles(chosen("prices.pdf", 8_388_608));
    await twice.waitFor();
    expect(await name.count()).toBe(0);
    await field.setInputFiles(chosen("prices.pdf", 8_388_609));
    await name.waitFor();
    expect(await name.inputValue()).toBe("");
    expect(await twice.count()).toBe(0);
  });
});
