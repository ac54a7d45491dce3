/**
 * The agent's form in Chromium with a whole appliance: the disclosure before the first message, and
 * the switch for keys. About 10 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { agents } from "../../src/store/schema/index.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, type Visit, visit } from "../support/browser/dashboard-page.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const DISCLOSURE = "You are speaking with an AI assistant, and this call is recorded.";
let world: Appliance;
let browser: Browser;
let owner: Visit;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.9.88",
    settings: ({ callWorker, ...settings }) => {
      const { conversation } = callWorker;
      const disclosure = { ...conversation.disclosure, en: DISCLOSURE };
      return {
        ...settings,
        callWorker: { ...callWorker, conversation: { ...conversation, disclosure } },
      };
    },
  });
  browser = await launchChromium();
  owner = await visit(browser);
  await signIn(owner, world.app, { tenantId: world.tenantId, email: "owner@clinic.example" });
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

describe.skipIf(chromiumPath() === null)("the agent's form", () => {
  test("shows the disclosure next to the first message while it is typed, and saves the switch for keys", async () => {
    const { page } = owner;
    await page.goto(`${world.app.addresses.http}/app/agents/${world.agentId}`);
    const firstWords = page.getByLabel("Greeting");
    await page.getByText(`Said before it: “${DISCLOSURE}”`).waitFor();
    await firstWords.fill("Hello, I am the AI assistant of the clinic. This call is recorded.");
    await page.getByText("nothing is said before it").waitFor();
    await page.getByLabel("Who speaks first").selectOption("customer");
    await page.getByText("silent until the other side has spoken").waitFor();
    await page.getByLabel("Let the agent press keypad digits").click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await eventually(async () => {
      const [agent] = await world.app.database.read.select().from(agents);
      return agent?.sendDigitsInbound === true && agent.firstSpeaker === "customer";
    }, "the agent is stored");
    expect(owner.complaints).toEqual([]);
  });

  test("starts from a template, and restores the typed values afterwards", async () => {
    const { page } = owner;
    await page.goto(`${world.app.addresses.http}/app/agents/new`);
    const instructions = page.getByLabel("Instructions");
    await instructions.fill("My own words.");
    await page.getByRole("button", { name: "Survey" }).click();
    expect(await instructions.inputValue()).toContain("for a short survey");
    await page.getByText("nothing is said before it").waitFor();
    await page.getByRole("button", { name: "Blank" }).click();
    expect(await instructions.inputValue()).toBe("My own words.");
    await page.getByRole("button", { name: "After hours" }).click();
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.waitForURL(/\/agents\/\d+/);
    const made = await world.app.database.read.select().from(agents);
    expect(made.at(-1)).toMatchObject({ name: "After hours", maxDurationSeconds: 300 });
    expect(made.at(-1)?.prompt).not.toContain("{company}");
    expect(owner.complaints).toEqual([]);
  });

  test("shows the engine's limits in the agent's language; the settings show what the server decides", async () => {
    const { page } = owner;
    await page.goto(`${world.app.addresses.http}/app/agents/${world.agentId}`);
    await page.getByText("Speech engine: built-in").click();
    await page.getByText("understands English questions").waitFor();
    await page.getByLabel("Language").selectOption("lt");
    await page.getByText("callers answer with keys").waitFor();
    await page.goto(`${world.app.addresses.http}/app/settings`);
    const fixed = page.locator("section.card").filter({ hasText: "Set on the server" });
    await fixed.getByText("Speech engine: built-in").waitFor();
    await fixed.getByText("Emails are not sent").waitFor();
    await fixed.getByText("are blocked after").waitFor();
    expect(await fixed.locator("input").count()).toBe(0);
    expect(owner.complaints).toEqual([]);
  });

  test("lists versions, compares them word by word, and rolls back", async () => {
    const { page } = owner;
    const at = `${world.app.addresses.http}/app/agents/${world.agentId}`;
    await world.api("PATCH", `/agents/${world.agentId}`, { prompt: "You answer for a garage." });
    await page.goto(`${at}?tab=versions`);
    await page.getByRole("button", { name: "What changed" }).first().click();
    await page.locator("ins").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Roll back" }).last().click();
    await page.getByText("version 1 again").waitFor();
    const [agent] = await world.app.database.read.select().from(agents);
    expect(agent?.prompt).toBe("You answer for a dental clinic.");
    expect(owner.complaints).toEqual([]);
    await page.getByLabel("Callers out of 100 who get it").fill("120");
    await page.getByRole("button", { name: "Share the callers" }).click();
    await page.getByText("must be an integer from 1 to 99").waitFor();
    await page.getByLabel("Callers out of 100 who get it").fill("30");
    await page.getByRole("button", { name: "Share the callers" }).click();
    await page.getByText("No difference yet: differences").waitFor();
    await page.getByRole("button", { name: "End it and keep version 3" }).click();
    await page.getByText(/Ended /).waitFor();
    await world.api("PATCH", `/agents/${world.agentId}/draft`, { prompt: "A draft." });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 900 });
    await page.reload();
    await page.getByRole("heading", { name: "Draft", exact: true }).waitFor();
    await page.getByRole("button", { name: "Discard the draft" }).click();
    const question = page.getByRole("alertdialog");
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    const draft = async () => (await world.api("GET", `/agents/${world.agentId}/draft`)).body;
    expect(JSON.stringify(await draft())).toContain("A draft.");
    await page.getByRole("button", { name: "Discard the draft" }).click();
    await question.getByRole("button", { name: "Discard the draft" }).click();
    await question.waitFor({ state: "detached" });
    expect(JSON.stringify(await draft())).not.toContain("A draft.");
  });
});
