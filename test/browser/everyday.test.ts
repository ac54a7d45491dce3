/**
 * Everyday use: pages show correct data and link to the next step. First steps, live calls,
 * questions before data is lost. In Chromium with a whole appliance. About 40 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { CHECKOUT_TEXTS } from "../../src/features/billing/checkout-texts.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { violations } from "../support/browser/axe.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, visit } from "../support/browser/dashboard-page.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

const { en } = await messageCatalogues();
const inChromium = describe.skipIf(chromiumPath() === null);
const CALLER = "+37061000090";
const DESK = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
let world: Appliance;
let browser: Browser;
let page: Page;
let emptyPage: Page;
let emptyTenantId: number;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  await buildDashboard();
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.9.90",
    settings: (settings) => ({ ...settings, bankDetails: "LT121000011101001000" }),
  });
  browser = await launchChromium();
  const owner = await visit(browser);
  page = owner.page;
  await signIn(owner, world.app, { tenantId: world.tenantId, email: "owner@clinic.example" });
  const other = await world.app.ask("tenant.create", {
    name: "Another company",
    email: "other@example.com",
    plan: null,
  });
  emptyTenantId = other.id;
  const stranger = await visit(browser);
  emptyPage = stranger.page;
  await signIn(stranger, world.app, { tenantId: other.id, email: "owner@other.example" });
});
afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  await world?.close();
});

const address = (path: string) => `${world.app.addresses.http}/app${path}`;
const dialog = (at: Page) => at.getByRole("dialog");
const button = (at: Page, name: string) => at.getByRole("button", { name, exact: true });

inChromium("a person who asks to be forgotten", () => {
  test("is looked up, and erased after the owner confirms", async () => {
    const created = await page.request.post(`${world.app.addresses.http}/api/v1/contacts`, {
      headers: { origin: world.app.addresses.http },
      data: { number_e164: "+37061000095", first_name: "Forgotten" },
    });
    expect(created.status()).toBe(200);
    await page.goto(address("/contacts"));
    await button(page, `${en["action.delete"]}: Forgotten`).click();
    await page.getByRole("alertdialog").getByRole("button", { name: en["contacts.erase"] }).click();
    const number = dialog(page).getByLabel(en["numbers.number"]);
    expect(await number.inputValue()).toBe("+37061000095");
    await button(page, en["contacts.look"]).click();
    await dialog(page).getByText(en["contacts.erase_stays"]).waitFor();
    expect(await violations(page, "erasing a person")).toEqual([]);
    await number.fill("+37061000096");
    expect(await button(page, en["contacts.erase_all"]).count()).toBe(0);
    await number.fill("+370 610 00095");
    await button(page, en["contacts.look"]).click();
    await button(page, en["contacts.erase_all"]).click();
    await page.getByText(en["contacts.erased"]).waitFor();
    await page.getByText(en["contacts.empty"]).waitFor();
  });
});

inChromium("first steps", () => {
  test("knowledge and numbers are assigned to the only agent by default", async () => {
    await page.goto(address("/knowledge"));
    await button(page, en["knowledge.new"]).first().click();
    const known = dialog(page).getByLabel(en["knowledge.agents"]);
    expect(await known.locator("option:checked").textContent()).toBe("Reception");
    await page.keyboard.press("Escape");
    await page.goto(address("/numbers"));
    await button(page, en["numbers.new"]).first().click();
    const answered = dialog(page).getByLabel(en["numbers.agent"]);
    expect(await answered.locator("option:checked").textContent()).toBe("Reception");
    await page.keyboard.press("Escape");
  });

  test.each([
    ["/knowledge", en["knowledge.new"], en["knowledge.agents"]],
    ["/knowledge", en["knowledge.site_add"], en["knowledge.agents"]],
    ["/numbers", en["numbers.new"], en["numbers.agent"]],
    ["/rehearsals", en["rehearsals.new"], en["rehearsals.agent"]],
  ])(
    'on %s "%s" waits for agents that come late, and chooses the only one',
    async (at, action, label) => {
      const { promise: late, resolve: answer } = Promise.withResolvers<void>();
      await page.route("**/api/v1/agents", (route) => late.then(() => route.continue()));
      await page.goto(address(at));
      await button(page, action).first().click();
      answer();
      const agent = dialog(page).getByLabel(label);
      await agent.getByRole("option", { name: "Reception" }).waitFor({ state: "attached" });
      expect(await agent.locator("option:checked").textContent()).toBe("Reception");
      await page.unroute("**/api/v1/agents");
      await page.keyboard.press("Escape");
    },
  );

  test("an agent's tabs lead to its knowledge files, and to adding one for it", async () => {
    const tab = address(`/agents/${world.agentId}?tab=knowledge`);
    await page.goto(tab);
    await page.getByRole("link", { name: `${en["action.edit"]}: clinic.md` }).click();
    await page.waitForURL(/\/knowledge\/\d+$/);
    await page.goto(tab);
    await page.getByRole("link", { name: en["knowledge.new"] }).click();
    // The name needs no extension for typed text.
    await dialog(page).getByLabel(en["knowledge.filename"]).fill("Prices");
    await dialog(page).getByLabel(en["knowledge.content"]).fill("A consultation costs 40 euros.");
    await dialog(page).getByRole("button", { name: en["action.add"], exact: true }).click();
    await page.getByRole("link", { name: "Prices.md" }).waitFor();
    await page.waitForURL(/\/knowledge$/);
    const { body } = await world.api("GET", "/files");
    expect(JSON.stringify(body)).toMatch(/"Prices.md"[^}]*"agent_ids":\[1\]/);
  });

  test("the first steps lead to a new agent, and to talking to an existing one", async () => {
    const open = (at: Page, step: string) =>
      at.getByRole("listitem").filter({ hasText: step }).getByRole("link");
    await emptyPage.goto(address("/"));
    await open(emptyPage, en["home.step.agent"]).click();
    await emptyPage.waitForURL(/\/agents\/new$/);
    await page.goto(address("/"));
    await open(page, en["home.step.talk"]).click();
    await page.waitForURL(/\/agents\/\d+\?tab=test$/);
  });

  test("come before the problems, and only the operator sees missing backups", async () => {
    await emptyPage.goto(address("/"));
    await emptyPage.getByRole("heading", { name: en["home.checklist"] }).waitFor();
    const heads = await emptyPage.locator("main h2").allTextContents();
    expect(heads.slice(0, 2)).toEqual([en["home.checklist"], en["home.problems"]]);
    expect(await emptyPage.getByText(en["system_status.backup_none"]).count()).toBe(0);
    const operator = await visit(browser);
    const as = { tenantId: emptyTenantId, email: "ops@other.example", operator: true };
    await signIn(operator, world.app, as);
    await operator.page.getByText(en["system_status.backup_none"]).waitFor();
    await operator.context.close();
  });

  test("a campaign without an agent leads to creating one", async () => {
    await emptyPage.goto(address("/campaigns"));
    await button(emptyPage, en["campaigns.new"]).first().click();
    await dialog(emptyPage).getByText(en["campaigns.no_agent"]).waitFor();
    await dialog(emptyPage).getByRole("link", { name: en["agents.new"] }).click();
    await emptyPage.waitForURL(/\/agents\/new/);
  });

  test("knowledge without an agent does not complete a step", async () => {
    const step = emptyPage.getByRole("listitem").filter({ hasText: en["home.step.knowledge"] });
    await emptyPage.goto(address("/knowledge"));
    await button(emptyPage, en["knowledge.new"]).first().click();
    await dialog(emptyPage).getByLabel(en["knowledge.filename"]).fill("prices.md");
    await dialog(emptyPage).getByLabel(en["knowledge.content"]).fill("# Prices");
    await button(emptyPage, en["action.add"]).click();
    await emptyPage.getByRole("link", { name: "prices.md" }).waitFor();
    await emptyPage.goto(address("/"));
    await step.waitFor();
    expect(await step.getByText(en["home.step_done"]).count()).toBe(0);
  });
});

inChromium("a live call", () => {
  test("is in the list immediately, is shown as live in its details, and leads back to the same list", async () => {
    await page.goto(address("/calls?direction=inbound"));
    await page.getByText(en["calls.none_match"]).waitFor();
    const caller = await world.phone(CALLER, "m3");
    const call = await caller.call(OWN_NUMBER);
    await call.answered;
    await page.getByRole("link", { name: CALLER }).click({ timeout: 10_000 });
    await page.getByText(en["call.recording.live"]).waitFor();
    const duration = page.locator(".figure").filter({ hasText: en["calls.duration"] });
    await duration.getByText(/0:0[2-9]/).waitFor({ timeout: 10_000 });
    await page.getByRole("tab", { name: en["call.tab.cost"] }).click();
    await page.locator("main").getByRole("link", { name: en["nav.calls"] }).click();
    await page.waitForURL(/direction=inbound/);
    await call.hangUp();
  });
});

inChromium("an ended call", () => {
  test("shows the caller's name, can be called back in two clicks, and links the sources of the agent's words", async () => {
    const number = "+37061000093";
    await world.api("POST", "/contacts", {
      number_e164: number,
      first_name: "Žydrūnė",
      last_name: "Kazlauskaitė",
    });
    const caller = await world.phone(number, "m3");
    const call = await caller.call(OWN_NUMBER);
    await call.answered;
    await call.waitForReply();
    await call.say("What are your opening hours?");
    await call.waitForReply();
    await call.hangUp();
    await page.goto(address("/calls"));
    await page.getByRole("link", { name: "Žydrūnė Kazlauskaitė" }).click();
    await page.getByRole("heading", { name: "Žydrūnė Kazlauskaitė", level: 1 }).waitFor();
    const itself = page.getByRole("link", { name: number });
    expect(await itself.getAttribute("href")).toBe(`tel:${number}`);
    await button(page, en["call.back"]).click();
    expect(await dialog(page).getByLabel(en["calls.place_to"]).inputValue()).toBe(number);
    const agent = dialog(page).getByLabel(en["calls.agent"]);
    expect(await agent.locator("option:checked").textContent()).toBe("Reception");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: /^from .*opening hours/ }).click();
    await page.waitForURL(/\/knowledge\/\d+$/);
    expect(await page.getByLabel(en["knowledge.content"]).inputValue()).toContain("nine to five");
    await page.goBack();
    await page.getByRole("tab", { name: en["call.tab.quality"] }).click();
    const ticks = page.locator(".bars svg").first().locator("text");
    await ticks.first().waitFor();
    const named = (await ticks.allTextContents()).filter(Boolean);
    expect(named).toEqual([...new Set(named)]);
  });

  test("leads to erasing the caller, even without a contact", async () => {
    const caller = await world.phone("+37061000094", "m4");
    const call = await caller.call(OWN_NUMBER);
    await call.answered;
    await call.waitForReply();
    await call.hangUp();
    await page.goto(address("/calls"));
    await page.getByRole("link", { name: "+37061000094" }).click();
    await button(page, en["contacts.erase"]).click();
    await button(page, en["contacts.look"]).click();
    await button(page, en["contacts.erase_all"]).click();
    await page.getByRole("heading", { name: en["calls.withheld"], level: 1 }).waitFor();
    expect(await button(page, en["contacts.erase"]).count()).toBe(0);
  });
});

inChromium("the call dialog opened by a URL", () => {
  test("selects the only agent, like the dialog behind the button", async () => {
    await page.goto(address("/calls?place=true"));
    const agent = dialog(page).getByLabel(en["calls.agent"]);
    expect(await agent.locator("option:checked").textContent()).toBe("Reception");
  });
});

inChromium("a question before data is lost", () => {
  test("has two buttons that name their actions", async () => {
    await page.goto(address("/schedules"));
    await button(page, en["calls.place"]).first().click();
    await dialog(page).getByLabel(en["calls.place_to"]).fill("+37061000091");
    await dialog(page).getByLabel(en["calls.when"]).fill("2027-03-01T10:00");
    await button(page, en["calls.place_now"]).click();
    await button(page, en["schedules.cancel"]).click();
    // The dialog also shows an earlier notice with a button, so look in the footer only.
    const answers = page.getByRole("alertdialog").locator(".form-foot");
    const buttons = answers.getByRole("button");
    expect(await buttons.allTextContents()).toEqual([
      en["schedules.cancel_call"],
      en["schedules.keep"],
    ]);
  });
});

inChromium("forms and actions", () => {
  async function invite(from: Page, email: string): Promise<void> {
    await from.goto(address("/team"));
    await button(from, en["team.invite"]).first().click();
    await dialog(from).getByLabel(en["auth.email"]).fill(email);
    await dialog(from).getByRole("button", { name: en["team.invite"] }).click();
  }

  test("shows an invitation link to an operator if mail is only written to files", async () => {
    const operator = await visit(browser);
    const as = { tenantId: world.tenantId, email: "operator@clinic.example", operator: true };
    await signIn(operator, world.app, as);
    await invite(operator.page, "new@clinic.example");
    const link = await dialog(operator.page).locator("code").textContent();
    expect(link).toContain("/app/invitation#token=");
    await operator.context.close();
    const invited = await visit(browser);
    await invited.page.goto(link ?? "");
    await invited.page.getByText("new@clinic.example").first().waitFor();
    await invited.context.close();
  });

  test("asks an owner to get such a link from the operator", async () => {
    await invite(page, "another@clinic.example");
    await page.getByText(en["team.invited_unmailed"]).waitFor();
    expect(await page.locator("code").count()).toBe(0);
  });

  /** Creates another owner with these API keys, and returns the owner's row. */
  async function keysOf(email: string, labels: readonly string[]) {
    const leaver = await visit(browser);
    const as = { tenantId: world.tenantId, email };
    await signIn(leaver, world.app, as);
    for (const label of labels) {
      await leaver.page.goto(address("/keys"));
      await button(leaver.page, en["keys.new"]).first().click();
      await dialog(leaver.page).getByLabel(en["numbers.label"]).fill(label);
      await dialog(leaver.page).getByRole("button", { name: en["keys.new"] }).click();
      await dialog(leaver.page).locator("code").first().waitFor();
    }
    await leaver.context.close();
    await page.goto(address("/keys"));
    await page.getByText(email).first().waitFor();
    await page.goto(address("/team"));
    return page.getByRole("row").filter({ hasText: email });
  }

  test("demoting an owner asks about that person's API keys", async () => {
    const row = await keysOf("demoted@clinic.example", ["Shop"]);
    const role = row.getByRole("combobox");
    await role.selectOption("member");
    const question = page.getByRole("alertdialog");
    await question.getByRole("listitem").filter({ hasText: "Shop" }).waitFor();
    expect(await violations(page, "taking a role")).toEqual([]);
    await question.getByRole("button", { name: en["action.cancel"] }).click();
    expect(await role.inputValue()).toBe("owner");
    await role.selectOption("viewer");
    await question.getByLabel(en["team.revoke_keys"]).check();
    await question.getByRole("button", { name: en["team.demote"] }).click();
    await eventually(async () => (await role.inputValue()) === "viewer", "the new role");
    await eventually(async () => (await question.count()) === 0, "the end of the question");
    // No question: the person is no longer an owner, and only owners create keys.
    await role.selectOption("member");
    await eventually(async () => (await role.inputValue()) === "member", "another role");
    await page.goto(address("/keys"));
    await page.getByText("test", { exact: true }).first().waitFor();
    expect(await page.getByText("demoted@clinic.example").count()).toBe(0);
  });

  test("removing a member lists their remaining API keys, and can revoke them", async () => {
    const row = await keysOf("leaver@clinic.example", ["Billing", "Website"]);
    await row.getByRole("button", { name: en["action.remove"] }).click();
    const question = page.getByRole("alertdialog");
    await question.getByText(en["team.remove_keys"]).waitFor();
    expect(await question.getByRole("listitem").count()).toBe(2);
    expect(await violations(page, "removing somebody")).toEqual([]);
    await question.getByLabel(en["team.revoke_keys"]).check();
    await question.getByRole("button", { name: en["action.remove"] }).click();
    await row.waitFor({ state: "detached" });
    await page.goto(address("/keys"));
    await page.getByText("test", { exact: true }).first().waitFor();
    expect(await page.getByText("leaver@clinic.example").count()).toBe(0);
  });

  test("a webhook test is listed as a test, and cannot be sent again", async () => {
    const { body } = await world.api("POST", "/webhooks", {
      url: "https://127.0.0.1:9/hook",
      events: ["call.ended"],
    });
    const { id } = (body as unknown as { webhook: { id: number } }).webhook;
    await page.goto(address(`/webhooks/${id}`));
    await button(page, en["webhooks.test"]).click();
    const row = page.getByRole("row").filter({ hasText: "call.ended" });
    await row.getByText(en["webhooks.is_test"]).waitFor();
    expect(await row.getByRole("button", { name: en["webhooks.resend"] }).count()).toBe(0);
  });
});

inChromium("figures and months", () => {
  test("the plan page offers only transcript retention of up to six months", async () => {
    const offered = () => emptyPage.getByLabel(en["billing.retention_more"]).locator("option");
    await emptyPage.goto(address("/billing?tab=plan"));
    await offered().first().waitFor({ state: "attached" });
    expect(await offered().allTextContents()).toEqual(
      [30, 60, 90, 120, 150].map((n) => `${n} days`),
    );
    const buy = async (blocks: number) => {
      const made = await world.app.services.checkouts.open(emptyTenantId, {
        kind: "retention",
        blocks,
      });
      await world.app.ask("checkout.confirm", { id: made.id });
      await emptyPage.reload();
    };
    await buy(3);
    await emptyPage.getByText("kept for 120 days").waitFor();
    expect(await offered().allTextContents()).toEqual(["30 days", "60 days"]);
    await buy(2);
    await emptyPage.getByText(en["billing.retention_full"]).waitFor();
    expect(await offered().count()).toBe(0);
  });

  test("a scheduled call does not count as a call of today, and a new company has one month", async () => {
    await emptyPage.goto(address("/billing?tab=statements"));
    await emptyPage.locator("tbody tr").first().waitFor();
    await emptyPage.waitForLoadState("networkidle");
    expect(await emptyPage.locator("tbody tr").count()).toBe(1);
    await page.goto(address("/schedules"));
    await button(page, en["calls.place"]).first().click();
    const today = async () => {
      const { calls } = (
        await (await page.request.get(`${world.app.addresses.http}/api/dashboard/home`)).json()
      ).today;
      return calls as number;
    };
    const before = await today();
    await dialog(page).getByLabel(en["calls.place_to"]).fill("+37061000092");
    await dialog(page).getByLabel(en["calls.when"]).fill("2027-03-02T10:00");
    await button(page, en["calls.place_now"]).click();
    await page.getByRole("link", { name: "+37061000092" }).waitFor();
    expect(await today()).toBe(before);
    await page.goto(address("/"));
    await page.getByRole("heading", { name: en["home.last_calls"] }).waitFor();
    expect(await page.locator("main").getByText("+37061000092").count()).toBe(0);
    await page.goto(address("/calls"));
    const row = page.getByRole("row").filter({ hasText: "+37061000092" });
    await row.getByText(en["schedules.status.pending"]).waitFor();
    await row.getByText(/2 Mar 2027/).waitFor();
  });
});

inChromium("the trunk's test", () => {
  test("shows that it is running, and describes each check in words", async () => {
    await page.goto(address("/trunk"));
    const asked = Promise.withResolvers<void>();
    await page.route("**/trunk/test", async (route) => {
      await asked.promise;
      await route.continue();
    });
    await button(page, en["trunk.test_run"]).click();
    await page.getByText(en["trunk.test_running"]).waitFor();
    asked.resolve();
    await page.getByText(en["trunk.seen_as"]).waitFor({ timeout: 40_000 });
    expect(await page.locator("main").textContent()).not.toMatch(/session_timer|\bnat\b|dtmf/);
  });
});

inChromium("the test of a trunk whose server does not answer", () => {
  test("shows each result as soon as it is known", async () => {
    const silent = await Bun.udpSocket({ hostname: "127.0.9.91", port: 0 });
    const { id: tenant } = await world.app.ask("tenant.create", {
      name: "A company without a line",
      email: "silent@example.com",
      plan: null,
    });
    await world.app.ask("trunk.set", {
      tenant,
      server: "127.0.9.91",
      port: silent.port,
      transport: "udp",
      register: false,
      username: "x",
      caller_id: "+37052000007",
    });
    const owner = await visit(browser);
    await signIn(owner, world.app, { tenantId: tenant, email: "silent@clinic.example" });
    await owner.page.goto(address("/trunk"));
    await button(owner.page, en["trunk.test_run"]).click();
    const status = owner.page.getByRole("status");
    await status.getByText(`${en["trunk.check.registration"]}.`).waitFor({ timeout: 5000 });
    await status.getByText(en["trunk.test_running"]).waitFor({ timeout: 5000 });
    expect(await status.getByText(en["trunk.test_failed"]).count()).toBe(0);
    await status.getByText(en["trunk.test_failed"]).waitFor({ timeout: 40_000 });
    await owner.context.close();
    silent.close();
  });
});

inChromium("the layout", () => {
  test("fits long names, on a phone and next to the filters", async () => {
    const name = "Reception".repeat(11);
    await world.api("PATCH", `/agents/${world.agentId}`, { name });
    const wide: string[] = [];
    const paths = ["/", "/agents", `/agents/${world.agentId}`, "/calls", "/schedules", "/numbers"];
    for (const path of [...paths, "/knowledge", "/campaigns", "/billing", "/features"]) {
      await page.goto(address(path));
      await page.locator("main h1").first().waitFor();
      await page.waitForFunction(() => document.querySelectorAll(".skeleton").length === 0);
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size);
        // Styles that load after the first text may still change the layout.
        await page
          .waitForFunction(
            () =>
              document.documentElement.scrollWidth <= window.innerWidth &&
              [...document.querySelectorAll("select.bar")].every((one) => one.clientWidth <= 320),
            null,
            { timeout: 5_000 },
          )
          .catch(() => {});
        const excess = await page.evaluate(
          () => document.documentElement.scrollWidth - window.innerWidth,
        );
        if (excess > 0) wide.push(`${path}: ${excess} px`);
        const widest = await page.evaluate(() =>
          Math.max(0, ...[...document.querySelectorAll("select.bar")].map((s) => s.clientWidth)),
        );
        if (widest > 320) wide.push(`${path}: a filter of ${widest} px`);
      }
    }
    expect(wide).toEqual([]);
    await world.api("PATCH", `/agents/${world.agentId}`, { name: "Reception" });
  });

  test("focuses the page that a link opened", async () => {
    await page.goto(address("/agents"));
    await page.locator("main").getByRole("link", { name: "Reception" }).click();
    await page.getByRole("tab").first().waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "content");
  });
});

inChromium("pages outside the dashboard", () => {
  test("the payment page links back, and the API page uses the reader's dark theme", async () => {
    const { page: dark, context } = await visit(browser, { theme: "dark" });
    await dark.goto(`${world.app.addresses.http}/docs/viewer`);
    await dark
      .getByRole("heading", { name: /Linevoice/ })
      .first()
      .waitFor();
    const lightness = await dark.evaluate(() => {
      const [red = 255] = getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? [];
      return Number(red);
    });
    expect(lightness).toBeLessThan(60);
    await dark.goto(`${world.app.addresses.http}/checkout/chk_0`);
    expect(await dark.getByRole("link").getAttribute("href")).toStartWith("/app/billing");
    await context.close();
  });

  test("the payment page is in the reader's language, also on a phone", async () => {
    for (const locale of ["en-GB", "lt-LT", "lv-LV", "ru-RU"] as const) {
      const { page: phone, context } = await visit(browser, { ...PHONE, locale });
      const open = await world.api("POST", "/topup", { amount_eur: 25 });
      const { checkout_url } = open.body as unknown as { checkout_url: string };
      const path = new URL(checkout_url).pathname;
      await phone.goto(world.app.addresses.http + path);
      const language = locale.slice(0, 2) as keyof typeof CHECKOUT_TEXTS;
      const texts = CHECKOUT_TEXTS[language];
      expect(await phone.locator("html").getAttribute("lang")).toBe(language);
      await phone.getByRole("heading", { name: texts.title }).waitFor();
      await phone.getByText(texts.kinds.topup).waitFor();
      await phone.getByText(locale === "en-GB" ? "€25.00" : "25,00 €").waitFor();
      const reference = await phone.locator("dd code").innerText();
      await phone.getByRole("button", { name: texts.copy }).click();
      await phone.getByRole("button", { name: texts.copied }).waitFor();
      expect(await phone.evaluate(() => String(getSelection()))).toBe(reference);
      expect(await phone.locator("main").innerText()).not.toMatch(/[Aa]sk the operator/);
      expect(await violations(phone, `payment, ${language}`)).toEqual([]);
      const excess = await phone.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      expect(excess).toBeLessThanOrEqual(0);
      await phone.goto(`${world.app.addresses.http}${path}?language=ru`);
      await phone.getByRole("link", { name: CHECKOUT_TEXTS.ru.back }).click();
      await phone.waitForURL(/\/app\//);
      await context.close();
    }
  });
});
