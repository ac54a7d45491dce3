/**
 * The dashboard during failures, by keyboard only, and in every language: each state shows what
 * happened and what helps. In Chromium with a whole appliance. About 40 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import type { Catalogue } from "../../src/dashboard/web/i18n/catalogue.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import {
  goTo,
  signIn,
  type Visit,
  type VisitOptions,
  visit,
} from "../support/browser/dashboard-page.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const { en, lt, lv, ru } = await messageCatalogues();
const WAIT = { timeout: 30_000 };
const inChromium = describe.skipIf(chromiumPath() === null);
let world: Appliance;
let browser: Browser;
let owner: Visit;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.9.85" });
  browser = await launchChromium();
  owner = await newcomer("owner@clinic.example");
});

afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser.close();
  await world.close();
});

const address = (path: string) => `${world.app.addresses.http}/app${path}`;

/** A new person of the clinic. The caller must close the context. */
async function newcomer(
  email: string,
  options: VisitOptions = {},
  role: "owner" | "viewer" = "owner",
): Promise<Visit> {
  const visitor = await visit(browser, options);
  await signIn(visitor, world.app, { tenantId: world.tenantId, email, role });
  return visitor;
}

/** The caller must close the context. */
const somebody = () => visit(browser, { as: owner });

const loaded = (page: Page) =>
  page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0, null, WAIT);

inChromium("in trouble", () => {
  test("an unreachable server is reported, and one click reloads the page", async () => {
    const { page, context } = await somebody();
    await page.route("**/api/v1/agents", (route) => route.abort("connectionrefused"));
    await page.goto(address("/agents"));
    await page.getByText(en["problem.offline"]).waitFor(WAIT);
    await page.unroute("**/api/v1/agents");
    await page.getByRole("button", { name: en["action.try_again"] }).click();
    await page.getByRole("link", { name: "Reception" }).waitFor(WAIT);
    await context.close();
  });

  test("a server error shows the request number to quote to the operator", async () => {
    const { page, context } = await somebody();
    await page.route("**/api/v1/phone-numbers", (route) =>
      route.fulfill({
        status: 500,
        json: { ok: false, error: "engine", message: "x", field: null, request_id: "abc123" },
      }),
    );
    await page.goto(address("/numbers"));
    await page.getByText(en["problem.engine"]).waitFor(WAIT);
    await page.getByText("abc123").waitFor();
    await context.close();
  });

  test("a missing record is reported, without a retry button", async () => {
    const { page, context } = await somebody();
    for (const path of ["/agents/999", "/knowledge/999"]) {
      await page.goto(address(path));
      await page.getByRole("heading", { name: en["state.gone"] }).waitFor(WAIT);
      expect(await page.getByText(en["state.request_id"]).count()).toBe(0);
      for (const name of ["action.try_again", "agents.call_me"] as const)
        expect(await page.getByRole("button", { name: en[name] }).count()).toBe(0);
    }
    await context.close();
  });

  test("a person with read access sees a note, and tables have no column for buttons", async () => {
    const visitor = await newcomer("reads@clinic.example", {}, "viewer");
    const { page, context } = visitor;
    for (const path of ["/agents/new", "/agents/1"]) {
      await page.goto(address(path));
      await page.getByText(en["form.read_only"]).waitFor(WAIT);
      expect(await page.getByRole("button", { name: en["curl.action"] }).count()).toBe(0);
    }
    await world.api("POST", "/contacts", { number_e164: "+37061000786", first_name: "Jonas" });
    for (const path of ["/contacts", "/numbers", "/team"]) {
      await page.goto(address(path));
      const heads = page.getByRole("columnheader");
      await heads.first().waitFor(WAIT);
      const told = await heads.allTextContents();
      expect(told).not.toContain(en["action.remove"]);
      expect(told).not.toContain(en["table.actions"]);
    }
    await context.close();
  });

  test("a rejection names the person to ask, and typed text stays", async () => {
    const { page, context } = await somebody();
    await page.route("**/api/dashboard/tenant-settings", (route) =>
      route.request().method() === "GET"
        ? route.continue()
        : route.fulfill({
            status: 403,
            json: { ok: false, error: "forbidden", message: "No.", field: null },
          }),
    );
    await page.goto(address("/settings"));
    const zone = page.getByLabel(en["settings.time_zone"]);
    await zone.fill("Europe/Riga");
    await page.getByRole("button", { name: en["action.save"], exact: true }).click();
    await page.getByText(en["problem.forbidden"]).first().waitFor(WAIT);
    expect(await zone.inputValue()).toBe("Europe/Riga");
    await context.close();
  });

  test("a session that ends while a form is open is reported, and typed text stays", async () => {
    const visitor = await newcomer("ends@clinic.example");
    const { page, context } = visitor;
    await page.goto(address("/contacts"));
    await page.getByRole("button", { name: en["contacts.new"] }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(en["numbers.number"], { exact: true }).fill("+37061000785");
    const session = await context.cookies();
    await context.clearCookies();
    await dialog.getByRole("button", { name: en["action.save"] }).click();
    await dialog.getByText("You are signed out.").waitFor(WAIT);
    const [door] = await Promise.all([
      context.waitForEvent("page"),
      dialog.getByRole("link", { name: en["auth.sign_in"] }).click(),
    ]);
    await door.getByRole("heading", { name: en["auth.sign_in"] }).waitFor(WAIT);
    await context.addCookies(session);
    await dialog.getByRole("button", { name: en["action.save"] }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("+37061000785").first().waitFor();
    await context.close();
  });

  test("a question that could not be removed shows an error and stays in the list", async () => {
    const { page, context } = await somebody();
    const asked = { key: "k", question: "Do you whiten?", variants: [], count: 1 };
    const call_uuid = "01a1fdec-0000-7000-8000-000000000000";
    const question = { ...asked, call_uuid, last_asked_at: new Date().toISOString() };
    await page.route("**/api/dashboard/unanswered-questions**", (route) =>
      route.request().method() === "GET"
        ? route.fulfill({ json: { ok: true, questions: [question] } })
        : route.abort("connectionrefused"),
    );
    await page.goto(address("/knowledge"));
    await page.getByRole("button", { name: en["knowledge.answer"] }).click();
    await page.getByRole("button", { name: en["knowledge.dismiss"] }).click();
    await page.getByRole("dialog").locator(".toast.bad").waitFor(WAIT);
    await context.close();
  });

  test("an unknown URL shows an error and a link to the home page", async () => {
    const { page, context } = await somebody();
    await page.goto(address("/calls/01a1fdec-0000-7000-8000-000000000000"));
    await page.getByRole("heading", { name: en["state.gone"] }).waitFor(WAIT);
    await page.goto(address("/no/such/page"));
    await page.getByRole("heading", { name: en["state.not_found"] }).waitFor(WAIT);
    await page.locator("main").getByRole("link", { name: en["nav.home"] }).click();
    await page.getByRole("heading", { name: en["nav.home"], level: 1 }).waitFor(WAIT);
    await context.close();
  });

  test("after a sign-out elsewhere, a page leads to the sign-in page, which returns to it", async () => {
    const { page, context } = await newcomer("twice@clinic.example");
    await page.goto(address("/numbers"));
    await page.getByRole("heading", { name: en["nav.numbers"], level: 1 }).waitFor(WAIT);
    // A pending query would redirect to the sign-in page by itself.
    await loaded(page);
    const cookies = await context.cookies();
    const elsewhere = await browser.newContext();
    await elsewhere.addCookies(cookies);
    const ended = await elsewhere.request.post(
      `${world.app.addresses.http}/api/dashboard/sign-out`,
      { headers: { origin: world.app.addresses.http } },
    );
    expect(ended.status()).toBe(200);
    await elsewhere.close();
    await page.getByRole("link", { name: en["nav.tools"] }).click();
    await page.waitForURL(/\/sign-in\?next=/, WAIT);
    expect(new URL(page.url()).searchParams.get("next")).toMatch(/\/tools$/);
    await page.getByRole("heading", { name: en["auth.sign_in"] }).waitFor(WAIT);
    await context.close();
  });
});

/** Role and name of the focused element, and whether its focus is visible. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return null;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return {
      text: (element.getAttribute("aria-label") ?? element.textContent ?? "").trim(),
      seen: (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none",
      inDialog: element.closest("[role=dialog],[role=alertdialog]") !== null,
    };
  });

inChromium("by keyboard", () => {
  test("every tab stop is visible, and the first one skips the navigation", async () => {
    const { page, context } = await somebody();
    for (const path of ["/", "/calls", "/agents/1", "/trunk"]) {
      await page.goto(address(path));
      await page.locator("main h1").first().waitFor(WAIT);
      await loaded(page);
      await page.keyboard.press("Tab");
      expect((await focused(page))?.text).toBe(en["nav.skip"]);
      await page.keyboard.press("Enter");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
      const unseen: string[] = [];
      for (let stop = 0; stop < 25; stop++) {
        await page.keyboard.press("Tab");
        const at = await focused(page);
        if (at === null) break;
        if (!at.seen) unseen.push(at.text);
      }
      expect({ path, unseen }).toEqual({ path, unseen: [] });
    }
    await context.close();
  });

  test("a dialog traps the focus; Escape closes it and restores the focus", async () => {
    const { page, context } = await somebody();
    await page.goto(address("/numbers"));
    const opener = page.getByRole("button", { name: en["numbers.new"] }).first();
    await opener.waitFor(WAIT);
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor(WAIT);
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press("Tab");
      expect((await focused(page))?.inDialog).toBe(true);
    }
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached", timeout: 30_000 });
    await eventually(
      () => opener.evaluate((element) => element === document.activeElement),
      "the focus is where it was",
    );
    await context.close();
  });

  test("arrow keys select tabs, and the URL stores the selected tab", async () => {
    const { page, context } = await somebody();
    await page.goto(address("/agents/1"));
    await page.getByRole("tab", { name: en["agents.tab.settings"] }).focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/tab=knowledge/, WAIT);
    await page.reload();
    await page.getByRole("tab", { name: en["agents.tab.knowledge"], selected: true }).waitFor(WAIT);
    await context.close();
  });

  test("there are no animations if the reader asked for reduced motion", async () => {
    const { page, context } = await somebody();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(address("/numbers"));
    await page.getByRole("button", { name: en["numbers.new"] }).first().click();
    await page.getByRole("dialog").waitFor(WAIT);
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter((animation) => animation.playState === "running")
        .map((animation) => (animation as CSSAnimation).animationName ?? "transition"),
    );
    expect(moving).toEqual([]);
    await context.close();
  });
});

const PAGES = [
  ...["/", "/live", "/calls", "/schedules", "/contacts", "/campaigns", "/agents", "/agents/1"],
  ...["/agents/1?tab=test", "/knowledge", "/tools", "/tools/new", "/numbers", "/trunk"],
  ...["/webhooks", "/keys", "/billing", "/billing?tab=plan", "/team", "/settings", "/profile"],
];

inChromium("in the reader's language", () => {
  test("a new account keeps the language in which it was created", async () => {
    const { page, context } = await visit(browser, { locale: "lt" });
    const { url } = await world.app.ask("setup.link", {});
    await page.goto(world.app.addresses.http + new URL(url).pathname + new URL(url).hash);
    await page.getByLabel(lt["auth.name"]).fill("Rasa");
    await page.getByLabel(lt["auth.email"]).fill("rasa@clinic.example");
    await page.getByLabel(lt["auth.password"]).fill("keturi žodžiai be ryšio");
    await page.getByRole("button", { name: lt["auth.create"] }).click();
    await page.waitForURL(/\/app\/$/, WAIT);
    await page.reload();
    await page.locator(".nav").first().waitFor(WAIT);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("lt");
    await context.close();
  });

  const catalogues: readonly (readonly [string, Catalogue])[] = [
    ["lt", lt],
    ["lv", lv],
    ["ru", ru],
  ];
  for (const [language, catalogue] of catalogues)
    test(`${language} can be selected, no text stays English, and everything fits a phone`, async () => {
      const phone = { locale: language, width: 375, height: 812 };
      const visitor = await newcomer(`${language}@clinic.example`, phone);
      const { page } = visitor;
      await page.goto(address("/profile"));
      await page.getByLabel(en["language.label"]).selectOption(language);
      await page.getByRole("button", { name: en["action.save"], exact: true }).first().click();
      await page.getByRole("heading", { name: catalogue["nav.profile"] }).waitFor(WAIT);
      const english = new Set<string>(
        Object.entries(en)
          .filter(([key, text]) => text.includes(" ") && catalogue[key as keyof typeof en] !== text)
          .filter(([, text]) => !/[{#]/.test(text))
          .map(([, text]) => text),
      );
      const wrong: string[] = [];
      for (const path of PAGES) {
        await goTo(page, world.app, path);
        await loaded(page);
        const seen = await page.evaluate(() => ({
          language: document.documentElement.lang,
          excess: document.documentElement.scrollWidth - window.innerWidth,
          texts: [...document.querySelectorAll("body *")].flatMap((element) =>
            [...element.childNodes]
              .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
              .map(({ textContent }) => textContent?.trim() ?? ""),
          ),
        }));
        if (seen.language !== language) wrong.push(`${path} says it is ${seen.language}`);
        if (seen.excess > 0) wrong.push(`${path} is ${seen.excess} px too wide`);
        const isRaw = (text: string) => text in en || /^[^\n{]*\{[a-z_]+\}(?!\})/.test(text);
        for (const text of seen.texts)
          if (english.has(text) || isRaw(text)) wrong.push(`${path}: ${text}`);
      }
      expect(wrong).toEqual([]);
      expect(visitor.complaints).toEqual([]);
      await visitor.context.close();
    });
});
