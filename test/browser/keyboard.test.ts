/**
 * Every main task without a mouse, in Chromium with a whole appliance: the test only presses keys,
 * and never sets the focus itself. About 15 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { systemClock } from "../../src/core/clock.ts";
import { phoneNumbers, users } from "../../src/store/schema/index.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { type Visit, visit } from "../support/browser/dashboard-page.ts";
import { eventually } from "../support/eventually.ts";
import { storeCalls } from "../support/store/call-history.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const EMAIL = "owner@clinic.example";
const PASSWORD = "keturi žodžiai be ryšio";
const NUMBER = "+37052000097";
/** More tab stops than any page has between two controls. */
const STOPS_MAX = 90;

const { en } = await messageCatalogues();
const inChromium = describe.skipIf(chromiumPath() === null);
let world: Appliance;
let browser: Browser;
let visitor: Visit;
let page: Page;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.97" });
  await storeCalls(world, systemClock.now());
  await world.app.ask("user.create", {
    tenant: world.tenantId,
    email: EMAIL,
    name: "Rasa",
    role: "owner",
    operator: false,
  });
  const passwordHash = await Bun.password.hash(PASSWORD);
  await world.app.database.tx(async (queries) => {
    await queries.update(users).set({ passwordHash });
  });
  browser = await launchChromium();
  visitor = await visit(browser);
  page = visitor.page;
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

const press = (key: string) => page.keyboard.press(key);
const write = (text: string) => page.keyboard.insertText(text);

/** Accessible name of the focused element. */
const focusedName = () =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return "";
    const labels = "labels" in element ? (element as HTMLInputElement).labels : null;
    const label = labels?.[0]?.textContent ?? element.textContent;
    return (element.getAttribute("aria-label") ?? label ?? "").trim();
  });

/** Presses Tab until the focused control's name starts or ends with this text. */
async function reach(name: string, role: "tab" | null = null): Promise<void> {
  const met: string[] = [];
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    const at = await focusedName();
    const as = await page.evaluate(() => document.activeElement?.getAttribute("role"));
    if ((at.startsWith(name) || at.endsWith(name)) && (role === null || as === role)) return;
    met.push(at);
    await press("Tab");
  }
  throw new Error(`the Tab key does not lead to "${name}", but to: ${met.join(" | ")}`);
}

async function fill(name: string, text: string): Promise<void> {
  await reach(name);
  await write(text);
}

async function activate(name: string): Promise<void> {
  await reach(name);
  await press("Enter");
}

/** Opens the page with the title `heading` through the palette. */
async function go(words: string, heading: string): Promise<void> {
  await press("Control+k");
  await page.getByRole("combobox", { name: en["palette.hint"] }).waitFor();
  await write(words);
  await page.getByRole("option", { selected: true }).filter({ hasText: words }).waitFor();
  await press("Enter");
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

const styleOf = (selector: string, name: "outlineStyle" | "borderBottomColor") =>
  page
    .locator(selector)
    .first()
    .evaluate((element, key) => getComputedStyle(element)[key], name);

const dialogGone = () => page.getByRole("dialog").waitFor({ state: "detached" });

inChromium("with the keyboard alone, a person", () => {
  test("signs in", async () => {
    await page.goto(`${world.app.addresses.http}/app/sign-in`);
    await page.getByRole("heading", { name: en["auth.sign_in"] }).waitFor();
    await fill(en["auth.email"], EMAIL);
    await fill(en["auth.password"], PASSWORD);
    await press("Enter");
    await page.getByRole("heading", { name: en["nav.home"], level: 1 }).waitFor();
  });

  test("creates an agent from a template, and adds knowledge", async () => {
    await go(en["agents.new"], en["agents.new"]);
    await activate(en["template.after_hours.name"]);
    await activate(en["agents.create"]);
    await page.waitForURL(/\/agents\/\d+/);

    await go(en["nav.knowledge"], en["nav.knowledge"]);
    await activate(en["knowledge.new"]);
    await fill(en["knowledge.filename"], "prices.md");
    await fill(
      en["knowledge.content"],
      "## How much is a check-up?\nA check-up costs forty euros.",
    );
    await reach(en["knowledge.agents"]);
    await page.keyboard.type("After");
    await activate(en["action.add"]);
    await dialogGone();
    await page.getByRole("link", { name: "prices.md" }).waitFor();
  });

  test("tries it by text, and assigns a number", async () => {
    await go("After hours", "After hours");
    await fill(en["chat.message"], "How much is a check-up?");
    await activate(en["chat.send"]);
    await page.locator(".bubble.agent").getByText("forty euros").waitFor({ timeout: 30_000 });

    await go(en["nav.numbers"], en["nav.numbers"]);
    await activate(en["numbers.new"]);
    await fill(en["numbers.number"], NUMBER);
    await reach(en["numbers.agent"]);
    await page.keyboard.type("After");
    await activate(en["action.add"]);
    await dialogGone();
    await page.getByRole("cell", { name: NUMBER }).first().waitFor();
    const numbers = await world.app.database.read.select().from(phoneNumbers);
    expect(numbers.find(({ numberE164 }) => numberE164 === NUMBER)?.agentId).not.toBe(
      world.agentId,
    );
  });

  test("finds a call and tags it", async () => {
    await go(en["nav.calls"], en["nav.calls"]);
    await fill(en["calls.search"], "petraitis");
    await eventually(
      async () => (await page.locator("tbody tr").count()) === 1,
      "only that call is listed",
    );
    await activate("Jonas Petraitis");
    await page.getByRole("tab").first().waitFor();
    await fill(en["calls.new_tag"], "to call back");
    await press("Enter");
    await page.locator(".chip.tag").getByText("to call back").waitFor();
  });

  test("publishes a draft and rolls it back", async () => {
    await world.api("PATCH", `/agents/${world.agentId}/draft`, { prompt: "A garage." });
    await go("Reception", "Reception");
    await reach(en["agents.tab.settings"], "tab");
    const versions = page.getByRole("tab", { name: en["agents.tab.versions"], selected: true });
    for (let step = 0; step < 8 && (await versions.count()) === 0; step++) {
      await press("ArrowRight");
      await page.waitForURL(/tab=/);
    }
    await activate(en["versions.publish_draft"]);
    const [published = ""] = en["versions.published_now"].split("{number}");
    await page.getByText(published).first().waitFor();
    await activate(en["versions.roll_back"]);
    const [restored = ""] = en["versions.again"].split("{number}");
    await page.getByText(restored).first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test("keeps the focus position after a save, a deletion or a closed dialog", async () => {
    await go("Reception", "Reception");
    await fill(en["form.name"], "Front desk");
    await activate(en["action.save"]);
    await page.getByText(en["form.saved"]).waitFor();
    expect(await focusedName()).toBe(en["action.save"]);

    await go(en["nav.contacts"], en["nav.contacts"]);
    await activate(en["contacts.new"]);
    await page.getByRole("dialog").waitFor();
    expect(await focusedName()).toStartWith(en["numbers.number"]);
    await write("+37061000777");
    await press("Enter");
    await dialogGone();
    expect(await focusedName()).toBe(en["contacts.new"]);
    await activate(`${en["action.delete"]}: +37061000777`);
    await page.getByRole("alertdialog").waitFor();
    await reach(en["action.delete"]);
    await press("Enter");
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    expect(await page.getByText("+37061000777").count()).toBe(0);
    expect(await focusedName()).toContain("Jonas Petraitis");

    await go(en["tools.new"], en["tools.new"]);
    await activate(en["tools.add_argument"]);
    await press("Shift+Tab");
    await press("Enter");
    await eventually(
      async () => (await focusedName()) === en["tools.add_argument"],
      "the focus is on what stands where the argument was",
    );
  });

  test("hears which theme is selected, and returns to the menu's button", async () => {
    await go(en["nav.calls"], en["nav.calls"]);
    const isMenu = () => page.getByRole("menu").count();
    const menuButton = page.locator("button.account");
    for (const key of ["Escape", "Tab"]) {
      await menuButton.focus();
      await press("Enter");
      await page.getByRole("menuitemradio", { name: en["theme.system"], checked: true }).waitFor();
      await page.locator("[role=menu] :focus").waitFor();
      await press("ArrowDown");
      expect(await styleOf("[role=menu] :focus", "outlineStyle")).toBe("solid");
      await press(key);
      await eventually(async () => (await isMenu()) === 0, "the menu is closed");
      if (key === "Escape") expect(await focusedName()).toContain(en["account.menu"]);
      else expect(await focusedName()).toContain(en["nav.calls"]);
    }
  });

  test("sees the focused field above the sticky button bar", async () => {
    await go("Front desk", "Front desk");
    const fields = page.locator("main form :is(input, select, textarea)");
    await reach(en["form.name"]);
    for (let at = 1; at < (await fields.count()); at++) {
      await press("Tab");
      const [field, bar] = [page.locator(":focus"), page.locator(".sticky-foot")];
      if ((await field.getAttribute("name")) === null) continue;
      const [above, below] = [await field.boundingBox(), await bar.boundingBox()];
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    }
  });

  test("sees the selected item with the system's forced colours", async () => {
    await page.emulateMedia({ forcedColors: "active" });
    await go(en["nav.settings"], en["nav.settings"]);
    const tab = (state: string) => `nav.tabs .tab${state}`;
    const [chosen, other] = [tab("[aria-current=page]"), tab(":not([aria-current=page])")];
    expect(await styleOf(chosen, "borderBottomColor")).not.toBe(
      await styleOf(other, "borderBottomColor"),
    );
    expect(await styleOf(".nav [aria-current=page]", "outlineStyle")).toBe("solid");
    const control = page.getByRole("switch", { name: en["settings.callback_memory"] });
    const painted = () => control.evaluate((it) => getComputedStyle(it).backgroundColor);
    const before = await painted();
    await reach(en["settings.callback_memory"]);
    await press("Space");
    await eventually(async () => (await painted()) !== before, "the switch looks switched");
    await press("Space");
    await page.emulateMedia({ forcedColors: "none" });
  });
});
