/**
 * Pages for daily use: the week, the calls with callers and topics, and the search for words. In
 * Chromium, in both themes and on a phone.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { callNotesStore } from "../../src/call/store/call-notes-store.ts";
import { systemClock } from "../../src/core/clock.ts";
import { calls } from "../../src/store/schema/index.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { violations } from "../support/browser/axe.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, type Visit, visit } from "../support/browser/dashboard-page.ts";
import { INVOICE, JONAS, storeCalls } from "../support/store/call-history.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const { en } = await messageCatalogues();
const inChromium = describe.skipIf(chromiumPath() === null);
const PICTURES = process.env.LINEVOICE_TEST_PICTURES ?? null;
let world: Appliance;
let browser: Browser;
let owner: Visit;
let page: Page;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.95" });
  await storeCalls(world, systemClock.now());
  browser = await launchChromium();
  owner = await visit(browser, { width: 1440, height: 900 });
  page = owner.page;
  await signIn(owner, world.app, { tenantId: world.tenantId, email: "owner@clinic.example" });
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

const address = (path: string) => `${world.app.addresses.http}/app${path}`;

/** Checks both themes on a desktop and a phone: no overflow, and no violation found by axe. */
async function looksRight(path: string, name: string, ready: string): Promise<void> {
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const seen = await visit(browser, { ...size, as: owner });
    await seen.page.goto(address(path));
    await seen.page.locator("main").getByText(ready).first().waitFor();
    for (const theme of ["light", "dark"] as const) {
      await seen.page.emulateMedia({ colorScheme: theme });
      const at = `${name}-${theme}-${size.width}`;
      if (PICTURES) await seen.page.screenshot({ path: `${PICTURES}/${at}.png` });
      expect({ at, found: await violations(seen.page, at) }).toEqual({ at, found: [] });
      const excess = await seen.page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      expect({ at, excess: Math.max(0, excess) }).toEqual({ at, excess: 0 });
    }
    expect(seen.complaints).toEqual([]);
    await seen.context.close();
  }
}

inChromium("home", () => {
  test("requests its first data once, while its code is loading", async () => {
    const seen = await visit(browser, { as: owner });
    const asked: string[] = [];
    const home = Promise.withResolvers<void>();
    seen.page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      asked.push(pathname);
      if (pathname === "/api/dashboard/home") home.resolve();
    });
    await seen.page.route("**/assets/main-*.js", async (route) => {
      await home.promise;
      await route.continue();
    });
    await seen.page.goto(address("/"));
    await seen.page.locator(".figures").first().waitFor();
    for (const path of ["/api/dashboard/session", "/api/dashboard/home"])
      expect(asked.filter((one) => one === path)).toEqual([path]);
    await seen.context.close();
  });

  test("shows seven days as lines, the balance, and the last calls by name with their summary", async () => {
    await page.goto(address("/"));
    await page.getByRole("heading", { name: en["home.week"] }).waitFor();
    for (const label of [en["nav.calls"], en["home.week_minutes"], en["home.week_answered"]]) {
      const figure = page.locator(".figure").filter({ hasText: label }).first();
      const told = (await figure.getByRole("img").getAttribute("aria-label")) ?? "";
      expect(told.split(";")).toHaveLength(7);
      expect(await figure.locator("polyline.before").count()).toBe(1);
      const line = (await figure.locator("polyline").last().getAttribute("points")) ?? "";
      expect(line.split(" ").length).toBeLessThanOrEqual(6);
    }
    await page.getByRole("link", { name: "Jonas Petraitis" }).waitFor();
    await page.getByText("booked a check-up for Tuesday").waitFor();
    await page.getByText(en["home.balance"]).waitFor();
    await page.getByRole("link", { name: en["home.all_calls"] }).click();
    await page.waitForURL(/\/calls/);
  });

  test("shows fractions of a minute in the same way everywhere", async () => {
    const seen = await visit(browser, { as: owner });
    await seen.page.route("**/api/dashboard/home", async (route) => {
      const home = await (await route.fetch()).json();
      const money = { ...home.money, included_minutes_left: 99.75 };
      await route.fulfill({ json: { ...home, money } });
    });
    await seen.page.route("**/api/v1/billing/balance", async (route) => {
      const balance = await (await route.fetch()).json();
      await route.fulfill({ json: { ...balance, included_seconds_left: 99.75 * 60 } });
    });
    await seen.page.goto(address("/"));
    await seen.page.getByText("99.75 minutes", { exact: true }).waitFor();
    await seen.page.goto(address("/billing?tab=wallet"));
    const left = seen.page.locator(".figure").filter({ hasText: en["billing.plan_left"] });
    expect((await left.locator("dd").textContent())?.trim()).toBe("99.75");
    await seen.context.close();
  });

  test("shows the number of missed calls, and links to them", async () => {
    await page.goto(address("/"));
    const missed = page.getByRole("link", { name: new RegExp(`^${en["home.missed"]}: `) });
    const count = Number((await missed.textContent())?.match(/\d+$/)?.[0]);
    expect(count).toBeGreaterThan(0);
    await missed.click();
    await page.waitForURL(/status=missed/);
    const rows = page.locator("main tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(count);
    expect(await rows.filter({ hasText: en["status.missed"] }).count()).toBe(count);
    const chosen = page.getByLabel(en["calls.status"]).locator("option:checked");
    expect(await chosen.textContent()).toBe(en["status.missed"]);
    await rows.first().getByRole("link").first().click();
    // Wait for the call's page: every row of the list contains this text too.
    await page.getByRole("tab", { selected: true }).waitFor();
    await page.locator("main .badge").getByText(en["status.missed"]).waitFor();
  });

  test("shows in one line that the system is well, and lists a problem once", async () => {
    await page.goto(address("/"));
    await page.locator("summary").filter({ hasText: en["home.system"] }).waitFor();
    await page.route("**/api/dashboard/home", async (route) => {
      const response = await route.fetch();
      const home = await response.json();
      home.statuses.mail = {
        state: "failed",
        code: "mail_dead",
        values: {},
        sentence: "Mail is stuck.",
        remedy: "Look at the mail settings.",
      };
      home.problems = [{ ...home.statuses.mail, href: null, state: undefined }];
      await route.fulfill({ response, json: home });
    });
    await page.reload();
    await page.getByText(en["home.not_well"]).waitFor();
    await page.locator("summary").filter({ hasText: en["home.system"] }).click();
    const problem = page.locator("section.card").filter({ hasText: en["home.problems"] });
    const sentence = (await problem.locator(".list .strong").first().textContent()) ?? "";
    expect(await page.getByText(sentence, { exact: true }).count()).toBe(1);
    await page.unroute("**/api/dashboard/home");
  });

  test("fits both themes and a phone", () => looksRight("/", "home", en["home.week"]));
});

inChromium("the calls", () => {
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });

  test("have names and summaries, and a badge only for an unusual outcome", async () => {
    await page.goto(address("/calls"));
    await row("Jonas Petraitis").getByText(JONAS).waitFor();
    await row("Jonas Petraitis").getByText("booked a check-up").waitFor();
    expect(await row("Jonas Petraitis").locator(".badge").count()).toBe(0);
    await row("+37061000503").getByText(en["status.no_answer"]).waitFor();
    expect(await row(en["status.completed"]).count()).toBe(0);
  });

  test("are found by spoken words without case and accents, and by name", async () => {
    await page.goto(address("/calls"));
    const search = page.getByLabel(en["calls.search"]);
    await search.fill("del saskaitos uz praejusi");
    await page.waitForURL(/words=/);
    await row("+37061000502").getByText(INVOICE).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: en["calls.csv"], exact: true }).click(),
    ]);
    const lines = (await Bun.file(await download.path()).text()).trim().split("\n");
    expect(lines).toHaveLength(2);
    await search.fill("petraitis");
    await row("Jonas Petraitis").waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.reload();
    expect(await search.inputValue()).toBe("petraitis");
    await search.fill("nobody says this");
    await page.getByText(en["calls.none_match"]).waitFor();
  });

  test("are exported one by one", async () => {
    await page.goto(address("/calls"));
    await page.getByRole("checkbox", { name: "Select: Jonas Petraitis" }).check();
    await page.getByRole("checkbox", { name: "Select: +37061000503" }).check();
    await page.getByText("2 calls selected").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: en["calls.export_chosen"] }).click(),
    ]);
    const lines = (await Bun.file(await download.path()).text()).trim().split("\n");
    expect(lines).toHaveLength(3);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/calls-selected.png` });
    await page.getByRole("button", { name: en["calls.choose_none"] }).click();
    await page.getByText("2 calls selected").waitFor({ state: "detached" });
  });

  test("open next to the list with j and k, without leaving it", async () => {
    await page.goto(address("/calls"));
    await row("Jonas Petraitis").waitFor();
    const names = await page.locator("tbody a.cover").allInnerTexts();
    const panel = page.locator("aside.call-panel");
    const title = async () => (await panel.getByRole("heading").textContent()) ?? "";
    await page.keyboard.press("j");
    await panel.waitFor();
    expect(names[0]).toContain(await title());
    for (const key of ["j", "j", "k"]) await page.keyboard.press(key);
    expect(names[1]).toContain(await title());
    await page.getByLabel(en["calls.search"]).press("j");
    expect(names[1]).toContain(await title());
    await page.locator("h1").click();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await row("Jonas Petraitis").getByRole("button").click();
    await panel.getByText("I would like to book a check-up.").waitFor();
    expect(await violations(page, "next to the list")).toEqual([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/calls-panel.png` });
    await panel.getByRole("link", { name: en["calls.open"] }).click();
    await page.waitForURL(/\/calls\/[\w-]{36}/);
  });

  test("store filters under a name", async () => {
    await page.goto(address("/calls?status=no_answer"));
    await page.getByRole("button", { name: en["calls.keep_view"] }).click();
    await page.getByRole("dialog").getByLabel(en["calls.view_name"]).fill("Missed");
    await page.getByRole("dialog").getByRole("button", { name: en["action.save"] }).click();
    await page.goto(address("/calls"));
    await page.getByRole("button", { name: "Missed", exact: true }).click();
    await page.waitForURL(/status=no_answer/);
    await page
      .getByRole("button", { name: en["calls.forget_view"].replace("{name}", "Missed") })
      .click();
    expect(await page.getByRole("button", { name: "Missed", exact: true }).count()).toBe(0);
  });

  test("take tags and comments, and are found by tag", async () => {
    await page.goto(address("/calls"));
    await row("+37061000502").getByRole("button").click();
    const panel = page.locator("aside.call-panel");
    await panel.getByLabel(en["calls.new_tag"]).fill("Invoice");
    await panel.getByRole("button", { name: en["calls.add"], exact: true }).click();
    await row("+37061000502").locator(".badge", { hasText: "Invoice" }).waitFor();
    await panel.getByLabel(en["calls.comment"]).fill("Call back on Monday.");
    // The typed text is kept as a draft for this call.
    await page.waitForFunction(() =>
      Object.keys(sessionStorage).some((key) => key.includes("comment/")),
    );
    await row("Jonas Petraitis").getByRole("button").click();
    await panel.getByRole("heading", { name: "Jonas Petraitis" }).waitFor();
    expect(await panel.getByLabel(en["calls.comment"]).inputValue()).toBe("");
    await row("+37061000502").getByRole("button").click();
    await panel.getByRole("button", { name: en["calls.add_comment"] }).click();
    await panel.locator("p", { hasText: "Call back on Monday." }).waitFor();
    expect(await panel.getByLabel(en["calls.comment"]).inputValue()).toBe("");
    expect(await violations(page, "tags and comments")).toEqual([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/calls-tags.png` });

    await page
      .getByRole("combobox", { name: en["calls.tag"], exact: true })
      .selectOption("Invoice");
    await page.waitForURL(/tag=Invoice/);
    await row("Jonas Petraitis").waitFor({ state: "detached" });
    expect(await page.locator("tbody tr").count()).toBe(1);
    const csv = await page.getByRole("link", { name: en["calls.csv"] }).getAttribute("href");
    expect(csv).toContain("tag=Invoice");
    await page.locator("tbody a.cover").click();
    await page.getByRole("heading", { name: en["calls.tags_and_comments"] }).waitFor();
    await looksRight(
      new URL(page.url()).pathname.replace("/app", ""),
      "call",
      "Call back on Monday.",
    );
    // Tags and comments are the last section; the summary shows them in short.
    const summary = page.locator("main .card").first();
    await summary.locator(".badge", { hasText: "Invoice" }).waitFor();
    await summary.getByText("owner: Call back on Monday.").waitFor();
    const heads = await page.locator("main h2").allTextContents();
    expect(heads.at(-1)).toBe(en["calls.tags_and_comments"]);
    await page.getByRole("button", { name: en["calls.delete_comment"] }).click();
    await page.getByText("Call back on Monday.", { exact: true }).waitFor({ state: "detached" });
    await summary.getByText("Call back on Monday.").waitFor({ state: "detached" });
    const remove = en["calls.remove_tag"].replace("{tag}", "Invoice");
    await page.getByRole("button", { name: remove }).click();
    await page.getByRole("button", { name: remove }).waitFor({ state: "detached" });
  });

  test("show that a message was left, and its text next to the list", async () => {
    const { database } = world.app;
    const [call] = await database.read
      .select({ id: calls.id })
      .from(calls)
      .where(eq(calls.fromNumber, "+37061000502"));
    const note = { kind: "message", atMs: 0, callerName: "Ona", callback: null } as const;
    await database.tx((queries) =>
      callNotesStore(queries).add(call?.id ?? 0, { ...note, text: "Please ring after four." }),
    );
    await page.goto(address("/calls"));
    await row("+37061000502").locator(".badge", { hasText: en["call.message"] }).waitFor();
    await row("+37061000502").getByRole("button").click();
    await page.locator("aside.call-panel").getByText("Please ring after four.").waitFor();
  });

  test("a phone reaches each filter and tab, scrubs a recording, and has no transcript box", async () => {
    const id = world.agentId;
    const seen = await visit(browser, { width: 390, height: 844, as: owner });
    const { page: phone } = seen;
    const beyond = (selector: string) =>
      phone.locator(selector).evaluateAll(
        (all) =>
          all.filter((one) => {
            const { left, right } = one.getBoundingClientRect();
            return left < 0 || right > window.innerWidth;
          }).length,
      );
    await phone.goto(address("/calls"));
    await phone.locator(".filters input[type=date]").last().waitFor();
    expect(await beyond(".filters input, .filters select, .filters button")).toBe(0);
    await phone.goto(address(`/agents/${id}`));
    await phone.getByRole("tab", { name: en["agents.tab.test"] }).waitFor();
    expect(await beyond("[role=tab]")).toBe(0);
    await phone.goto(address("/agents/new"));
    await phone.getByText(en["engine.answers_from_files"]).waitFor();
    await phone.goto(address(`/rehearsals?agent=${id}`));
    await phone.getByRole("button", { name: en["rehearsals.new"] }).first().click();
    await phone.getByRole("dialog").getByLabel(en["rehearsals.scenarios"]).waitFor();
    await phone.goto(address("/calls"));
    await phone.getByRole("link", { name: "Jonas Petraitis" }).click();
    await phone.locator(".turns").waitFor();
    const seekBar = await phone.locator(".turns").evaluate((words) => {
      words.insertAdjacentHTML(
        "beforebegin",
        '<div class="player"><button class="button">Play</button><span>0:00 / 0:24</span>' +
          '<input type="range" class="grow"><select class="input"></select></div>',
      );
      return words.previousElementSibling?.querySelector("input")?.clientWidth ?? 0;
    });
    expect(seekBar).toBeGreaterThanOrEqual(180);
    expect(
      await phone.locator(".turns").evaluate((words) => getComputedStyle(words).maxHeight),
    ).toBe("none");
    if (PICTURES) await phone.screenshot({ path: `${PICTURES}/phone-call.png`, fullPage: true });
    await seen.context.close();
  });

  test("are printed completely in dark ink, without controls", async () => {
    const seen = await visit(browser, { as: owner, theme: "dark", width: 794, height: 1123 });
    const { page: paper } = seen;
    await paper.goto(address("/calls"));
    await paper.getByRole("link", { name: "Jonas Petraitis" }).click();
    const words = paper.locator(".turns");
    await words.getByText("I would like to book a check-up.").waitFor();
    await paper.emulateMedia({ media: "print", colorScheme: "dark" });
    const style = await words.evaluate((list) => {
      const { maxHeight, overflowY, color } = getComputedStyle(list);
      const [red = 255] = (color.match(/\d+/g) ?? []).map(Number);
      return { maxHeight, overflowY, isDark: red < 64 };
    });
    expect(style).toEqual({ maxHeight: "none", overflowY: "visible", isDark: true });
    for (const kind of [".button", ".topbar", ".sidebar", ".tabs"])
      expect([kind, await paper.locator(kind).filter({ visible: true }).count()]).toEqual([
        kind,
        0,
      ]);
    if (PICTURES) await paper.screenshot({ path: `${PICTURES}/print-call.png`, fullPage: true });
    await seen.context.close();
  });

  test("fit both themes; a phone shows at least six of them", async () => {
    await looksRight("/calls", "calls", "Jonas Petraitis");
    const phone = await visit(browser, { width: 390, height: 844 });
    await phone.context.addCookies(await owner.context.cookies());
    await phone.page.goto(address("/calls"));
    await phone.page.getByText("Jonas Petraitis").waitFor();
    const heights = await phone.page.evaluate(() =>
      [...document.querySelectorAll("tbody tr")].map((one) => one.getBoundingClientRect().height),
    );
    expect(
      844 / (heights.reduce((sum, height) => sum + height, 0) / heights.length),
    ).toBeGreaterThan(6);
    await phone.context.close();
  });
});

inChromium("the navigation", () => {
  test("has at most twelve entries; pages of one section are tabs above each other", async () => {
    await page.goto(address("/"));
    const entries = page.locator(".sidebar nav").first().getByRole("link");
    expect(await entries.count()).toBeLessThanOrEqual(12);
    await page.goto(address("/contacts"));
    const tabs = page.getByRole("navigation", { name: en["nav.contacts"], exact: true });
    await tabs.getByRole("link", { name: en["nav.features"] }).click();
    await page.getByRole("heading", { name: en["nav.features"], level: 1 }).waitFor();
    const entry = page.locator(".sidebar").getByRole("link", { name: en["nav.contacts"] });
    expect(await entry.getAttribute("aria-current")).toBe("page");
    await looksRight("/trunk", "section", en["nav.trunk"]);
  });

  test("opens pages, actions, agents, contacts and calls by a few letters and the keyboard", async () => {
    const field = page.getByRole("combobox", { name: en["palette.hint"] });
    const option = (text: string) => page.getByRole("option").filter({ hasText: text });
    const open = async (words: string) => {
      await page.keyboard.press("Control+k");
      await field.fill(words);
    };
    await page.goto(address("/"));
    await page.getByRole("heading", { level: 1 }).waitFor(); // the page handles keys after this
    await open("webh");
    await option(en["nav.webhooks"]).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/webhooks/);
    await open("recep");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/agents\/\d+/);
    await open("petrai");
    await option(en["palette.contact"]).waitFor();
    expect(await violations(page, "palette")).toEqual([]);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/palette.png` });
    await option(en["palette.contact"]).click();
    await page.waitForURL(/\/contacts\?search=/);
    await open("saskaitos");
    await option(INVOICE).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/calls\/[\w-]{36}/);
    await open(en["calls.place"]);
    await option(en["calls.place"]).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel(en["calls.place_to"]).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await open("no page of this name");
    await page.getByText(en["palette.nothing"]).waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
  });
});

inChromium("an agent", () => {
  test("plays its voice without a microphone and without a call", async () => {
    await page.goto(address(`/agents/${world.agentId}`));
    const voice = await page.getByLabel(en["agents.voice"], { exact: true }).inputValue();
    const listen = page.getByRole("button", {
      name: en["agents.voice_play"].replace("{voice}", voice),
    });
    const [heard] = await Promise.all([
      page.waitForResponse((response) => response.url().includes("/voice-sample")),
      listen.click(),
    ]);
    expect([heard.status(), heard.headers()["content-type"]]).toEqual([200, "audio/wav"]);
    await listen.waitFor({ timeout: 30_000 });
    expect(owner.complaints).toEqual([]);
  });

  test("is tried with unsaved form values, next to the form", async () => {
    await page.goto(address(`/agents/${world.agentId}`));
    const trial = page.getByRole("complementary", { name: en["agents.tab.test"] });
    await trial.getByRole("button", { name: en["web_call.start"] }).waitFor();
    expect(await trial.getByText(en["agents.trial_of_draft"]).count()).toBe(0);
    const language = page.getByLabel(en["language.label"]);
    await language.selectOption("lt");
    await trial.getByText(en["agents.trial_of_draft"]).waitFor();
    await trial.getByLabel(en["chat.message"]).fill("Labas");
    await trial.getByRole("button", { name: en["chat.send"] }).click();
    // The saved agent speaks English, so Lithuanian letters show that the form's language is used.
    await trial.locator(".bubble.agent", { hasText: /[ąčęėįšųūž]/i }).waitFor({ timeout: 30_000 });
    const { body } = await world.api("GET", `/agents/${world.agentId}`);
    expect(JSON.stringify(body)).toContain('"language":"en"');
    await language.selectOption("en");
    await looksRight(`/agents/${world.agentId}`, "agent", en["agents.prompt"]);
  });
});
