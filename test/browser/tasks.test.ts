/**
 * The main task of each page that the first run does not visit, in Chromium with a whole appliance;
 * and the isolation of two tenants. About 40 s.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { TOTP } from "otpauth";
import type { Browser, Page } from "playwright-core";
import { callNotices, sessions, tools, users } from "../../src/store/schema/index.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { signIn, type Visit, visit } from "../support/browser/dashboard-page.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import { openAiServer, SPEECH_RATE_HZ, wavHeader } from "../support/engine/openai-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const ELSEWHERE = "+37061000099";
const inChromium = describe.skipIf(chromiumPath() === null);
const provider = openAiServer("127.0.9.96");
const remote = openAiChoice(provider.url);
const embedded = { id: "embedded" as const, settings: {} };
let world: Appliance;
let browser: Browser;
let owner: Visit;
let page: Page;

beforeAll(async () => {
  if (chromiumPath() === null) return;
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.9.84",
    settings: ({ callWorker, ...settings }) => {
      const providers = { stt: [remote], llm: [remote], tts: [embedded] };
      return {
        ...settings,
        bankDetails: "Example UAB\nLT121000011101001000",
        callWorker: { ...callWorker, engine: { ...callWorker.engine, providers } },
      };
    },
  });
  browser = await launchChromium();
  owner = await visit(browser, { isMoving: true });
  page = owner.page;
  await signIn(owner, world.app, {
    tenantId: world.tenantId,
    email: "owner@clinic.example",
    name: "Rasa Kazlauskienė",
    operator: true,
  });
});

afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser.close();
  await world.close();
  provider.close();
});

const open = (path: string) => page.goto(`${world.app.addresses.http}/app${path}`);
const dialog = () => page.getByRole("dialog");
const button = (name: string) => page.getByRole("button", { name, exact: true });

inChromium("in the dashboard", () => {
  test("a call is scheduled, shown as curl, and cancelled", async () => {
    await open("/schedules");
    await button("Place a call").first().click();
    await dialog().getByText("Time zone: Europe/Vilnius.").waitFor();
    await dialog().getByLabel("Number to call").fill("0610");
    await dialog().getByLabel("When").fill("2027-03-01T10:00");
    await dialog().getByRole("button", { name: "Call", exact: true }).click();
    await dialog().getByRole("alert").getByText("its country code").waitFor();
    await dialog().getByLabel("Number to call").fill("8 610 00099");
    await dialog().getByRole("button", { name: "Show as curl" }).click();
    const curl = page.getByText("-X POST");
    expect(await curl.textContent()).toContain(`"to_number": "${ELSEWHERE}"`);
    await page.keyboard.press("Escape");
    await dialog().getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("row").filter({ hasText: ELSEWHERE }).getByText("Pending").waitFor();
    await button("Cancel").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).first().click();
    await page.getByRole("row").filter({ hasText: ELSEWHERE }).getByText("Cancelled").waitFor();
  });

  test("calls are filtered by the URL and downloaded as CSV", async () => {
    await open("/calls");
    await page.getByLabel("Direction").selectOption({ label: "Outbound" });
    await page.getByRole("link", { name: ELSEWHERE }).waitFor();
    expect(page.url()).toContain("direction=outbound");
    await page.getByLabel("Status").selectOption({ label: "Completed" });
    await page.getByText("No matching calls").waitFor();
    await page.goBack();
    await page.getByRole("link", { name: ELSEWHERE }).waitFor();
    const file = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const path = await (await file).path();
    expect(await Bun.file(path).text()).toContain(ELSEWHERE);
  });

  test("contacts are imported from CSV after a preview, and found", async () => {
    await open("/contacts");
    await button("Import CSV").click();
    await dialog()
      .getByLabel("CSV")
      .fill("number,first_name,last_name\n+37061000001,Jonas,Petraitis\n12,Bad,Line");
    await button("Preview").click();
    await dialog().getByText("New: 1. Updated: 0. Unchanged: 0. Invalid rows: 1.").waitFor();
    await dialog().getByText("Line 3").waitFor();
    expect(await button("Import contacts").isDisabled()).toBe(true);
    await dialog().getByText("Skip invalid rows").click();
    await button("Import contacts").click();
    await page.getByText("Imported: 1 new, 0 changed.").first().waitFor();
    await page.getByLabel("Search by name or number").fill("petr");
    await button("Edit: Jonas Petraitis").click();
    await dialog().getByLabel("Birthday").fill("tomorrow");
    await button("Save").click();
    await dialog().getByRole("alert").getByText("1980-02-29").waitFor();
    await dialog().getByLabel("Birthday").fill("--02-29");
    await button("Save").click();
    await page.getByRole("cell", { name: "29 February" }).waitFor();
  });

  test("a campaign is created from a list, started and cancelled; its page shows the result of each number", async () => {
    await open("/campaigns");
    await button("New campaign").first().click();
    await dialog().getByLabel("Name").fill("Autumn check-ups");
    await dialog().getByLabel("Agent").selectOption({ label: "Reception" });
    await dialog().getByLabel("CSV").fill("number,time\n+37061000001,ten o'clock");
    await dialog().getByLabel("Calls from").fill("25:00");
    await dialog().getByRole("button", { name: "Preview" }).click();
    await dialog().getByText("To be called: 1.").waitFor();
    await dialog().getByRole("button", { name: "New campaign" }).click();
    await dialog().getByRole("alert").getByText("10:00").waitFor();
    await dialog().getByLabel("Calls from").fill("03:00");
    await dialog().getByLabel("Calls until").fill("03:01");
    await dialog().getByRole("button", { name: "New campaign" }).click();
    const row = page.getByRole("row").filter({ hasText: "Autumn check-ups" });
    await row.getByText("Draft").waitFor();
    await row.getByRole("button", { name: "Start" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Start" }).click();
    await row.getByText("Running").waitFor();
    await row.getByRole("button", { name: "Cancel campaign" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel campaign" }).click();
    await row.getByText("Cancelled").waitFor();
    await row.getByRole("link", { name: "Autumn check-ups" }).click();
    await page.getByRole("heading", { name: "Autumn check-ups" }).waitFor();
    const target = page.getByRole("row").filter({ hasText: "+37061000001" });
    await target.getByText("ten o'clock").waitFor();
    await target.getByText("Skipped").waitFor();
    await target.getByText("The campaign was cancelled.").waitFor();
    await page.getByLabel("Status").selectOption({ label: "Reached (0)" });
    await page.getByText("No number is in this state").waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    expect((await saved).suggestedFilename()).toMatch(/^campaign-\d+\.csv$/);
  });

  test("a tool is created field by field and tested", async () => {
    await open("/tools/new");
    await page.getByLabel("Name", { exact: true }).first().fill("find_booking");
    await page.getByLabel("What it does").fill("Finds a booking by name.");
    await page.getByLabel("URL").fill("http://example.com/tool");
    await page.getByLabel("Secret", { exact: true }).fill("a-long-random-text");
    await button("Add argument").click();
    await page.getByPlaceholder("Name", { exact: true }).fill("name");
    await button("Save").click();
    await page.getByRole("alert").getByText("https://").waitFor();
    await page.getByLabel("URL").fill("https://127.0.9.84:1/tool");
    await button("Save").click();
    await page.getByRole("heading", { name: "find_booking" }).waitFor();
    await button("Run").click();
    await page.getByText("No answer after").waitFor({ timeout: 30_000 });
    expect(await page.getByLabel("Secret", { exact: true }).inputValue()).toBe("");
    await button("JSON Schema").click();
    expect(await page.getByLabel("JSON Schema").inputValue()).toContain('"name"');
  });

  test("an older tool shows an error if a newer rule rejects its schema", async () => {
    const parameters = { type: "object", properties: { days: { type: "array" } } };
    await world.app.database.tx((queries) =>
      queries.insert(tools).values({
        tenantId: world.tenantId,
        name: "book_days",
        description: "Books.",
        parameters,
        url: "https://tools.example/book",
        secretHeader: "X-Tool-Secret",
        secretSealed: "",
        createdAt: 0,
        updatedAt: 0,
      }),
    );
    const attention = page.getByText("Needs attention");
    await open(`/agents/${world.agentId}?tab=tools`);
    await attention.waitFor();
    await open("/tools");
    await attention.waitFor();
    await page.getByRole("link", { name: "book_days" }).click();
    await page.getByText("Agents cannot use this tool: days is an array").waitFor();
  });

  test("a webhook and a key show their secrets once", async () => {
    await open("/webhooks");
    await button("Add a webhook").first().click();
    await dialog().getByLabel("URL").fill("https://127.0.9.84:1/hook");
    await dialog().getByRole("button", { name: "Add" }).click();
    const secret = await dialog().locator(".secret code").textContent();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    await dialog().getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "https://127.0.9.84:1/hook" }).click();
    await button("Send a test").click();
    await page.getByText("Not delivered").first().waitFor({ timeout: 20_000 });
    expect(await page.content()).not.toContain(secret ?? "?");

    await open("/keys");
    await button("New key").first().click();
    await dialog().getByLabel("Label").fill("Billing system");
    await dialog().getByLabel("Change: everything else").uncheck();
    await dialog().getByLabel("Ends").selectOption({ label: "in 90 days" });
    await dialog().getByLabel("Networks").fill("not a network");
    await dialog().getByRole("button", { name: "New key" }).click();
    await dialog().getByRole("alert").getByText("10.0.0.0/8").waitFor();
    await dialog().getByLabel("Networks").fill("192.0.2.7, 10.0.0.0/8");
    await dialog().getByRole("button", { name: "New key" }).click();
    expect(await dialog().locator(".secret code").textContent()).toMatch(/^lv_live_/);
    await dialog().getByRole("button", { name: "Close" }).click();
    const key = page.getByRole("row").filter({ hasText: "Billing system" });
    await key.getByText("read, call").waitFor();
    await key.getByText("192.0.2.7, 10.0.0.0/8").waitFor();
    await key.getByText("Revoke").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The key is revoked.").first().waitFor();
  });

  test("settings are saved, and an invalid value shows an error at its field", async () => {
    await open("/settings");
    await page.getByLabel("Time zone").fill("Nowhere/Town");
    await button("Save").click();
    await page.getByRole("alert").getByText("IANA").waitFor();
    await page.getByLabel("Time zone").fill("Europe/Riga");
    await page.getByRole("switch", { name: "Callback memory" }).click();
    await page.getByLabel("Countries that may be called").fill("+370, +371");
    await button("Save").click();
    await page.getByText("Saved.").first().waitFor();
    await page.reload();
    expect(await page.getByLabel("Time zone").inputValue()).toBe("Europe/Riga");
    expect(await page.getByRole("switch", { name: "Callback memory" }).isChecked()).toBe(true);
  });

  test("an old sign-in is confirmed in place, and the form is saved", async () => {
    const passwordHash = await Bun.password.hash("keturi zodziai be rysio");
    await world.app.database.tx(async (queries) => {
      await queries.update(users).set({ passwordHash });
      await queries.update(sessions).set({ createdAt: Date.now() - 16 * 60_000 });
    });
    await open("/settings");
    await page.getByLabel("Countries that may be called").fill("+370, +372");
    await button("Save").click();
    await dialog().getByText("Confirm that it is you").waitFor();
    await dialog().getByLabel("Password").fill("wrong");
    await dialog().getByRole("button", { name: "Confirm" }).click();
    await dialog().getByRole("alert").first().waitFor();
    await dialog().getByLabel("Password").fill("keturi zodziai be rysio");
    await dialog().getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Saved.").first().waitFor();
    await page.reload();
    expect(await page.getByLabel("Countries that may be called").inputValue()).toBe("+370, +372");
  });

  test("an unknown address that used the trunk's Contact is shown and allowed", async () => {
    const subject = "198.51.100.7";
    const now = Date.now();
    await world.app.database.tx((queries) =>
      queries.insert(callNotices).values({
        tenantId: world.tenantId,
        subject,
        times: 1,
        firstAt: now,
        lastAt: now,
        kind: "unknown_source",
      }),
    );
    await open("/trunk");
    await page.getByText(subject, { exact: true }).waitFor();
    const wide = page.viewportSize() ?? { width: 1280, height: 860 };
    await page.setViewportSize({ width: 375, height: 812 });
    const box = await button(`Allow ${subject}`).boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(375);
    await page.setViewportSize(wide);
    await button(`Allow ${subject}`).click();
    await page.getByText("Further addresses").waitFor();
    await page.getByRole("definition").filter({ hasText: subject }).waitFor();
    expect(await button(`Allow ${subject}`).count()).toBe(0);
  });

  test("a person is invited, and the audit log shows it", async () => {
    await open("/team");
    await button("Invite").click();
    await dialog().getByLabel("Email").fill("new@clinic.example");
    await dialog().getByLabel("Role").selectOption({ label: "Viewer" });
    await dialog().getByRole("button", { name: "Invite" }).click();
    await dialog().getByText("/app/invitation#token=").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("row").filter({ hasText: "new@clinic.example" }).waitFor();
    await page.getByRole("tab", { name: "Audit log" }).click();
    await page.getByRole("row").filter({ hasText: "invite" }).first().waitFor();
  });

  test("the wallet is topped up by a bank transfer, which the operator confirms", async () => {
    await open("/billing?tab=wallet");
    await page.getByLabel("Amount, EUR").fill("5");
    await button("Continue to payment").click();
    await page.getByRole("alert").getByText("from 10 to 1000").waitFor();
    await page.getByLabel("Amount, EUR").fill("50");
    await button("Continue to payment").click();
    await page.waitForURL(/\/checkout\/chk_/);
    await open("/operator?tab=payments");
    await button("Mark as paid").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Mark as paid" }).click();
    await page.getByText("No pending bank transfers").waitFor();
    await open("/billing?tab=wallet");
    await page.getByText("€50.00").first().waitFor();
  });

  test("the operator creates a company, credits it, and makes a backup", async () => {
    await open("/operator");
    await button("New company").click();
    await dialog().getByLabel("Company").fill("Second company");
    await dialog().getByLabel("Contact email").fill("second@example.com");
    await dialog().getByRole("button", { name: "New company" }).click();
    await dialog().getByText("Invite the owner of Second company").waitFor();
    await page.keyboard.press("Escape");
    await button("More: Second company").click();
    await page.getByRole("menuitem", { name: "Credit" }).click();
    await dialog().getByLabel("Amount, EUR").fill("12");
    await dialog().getByLabel("What for").fill("Welcome");
    await dialog().getByRole("button", { name: "Credit" }).click();
    await page.getByRole("row").filter({ hasText: "Second company" }).getByText("€12.00").waitFor();
    await page.getByRole("tab", { name: "Backups" }).click();
    await button("Back up now").click();
    await page.getByText("verified by a test restore").first().waitFor({ timeout: 30_000 });
  });

  test("the operator tries the engine: the result of each part, or the provider's own error", async () => {
    const results = page.getByRole("listitem");
    const fill = async (label: string, text: string) => await page.getByLabel(label).fill(text);
    const wav = page.getByLabel("Speech to transcribe (WAV)");
    const send = button("Try the engine");
    const part = (name: string) => results.filter({ hasText: name });
    await open("/operator?tab=health");
    provider.script.faults.llm.push({
      type: "status",
      status: 401,
      body: '{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}',
    });
    await fill("Question for the language model", "When are you open?");
    await fill("Sentence to speak", "Good afternoon.");
    await send.click();
    await part("Language model (openai)").getByText("Incorrect API key provided").waitFor();
    await part("Text to speech (embedded)").getByText("in all").waitFor();
    expect(await part("Speech to text").count()).toBe(0);

    const file = (buffer: Buffer) => ({ name: "speech.wav", mimeType: "audio/wav", buffer });
    await wav.setInputFiles(file(Buffer.from("ID3, not a WAV file")));
    await send.click();
    await page.getByRole("alert").getByText("not a WAV file").first().waitFor();
    provider.script.recognises.push("good afternoon");
    provider.script.answer = () => ({ text: "From nine to five." });
    const silence = Buffer.alloc(SPEECH_RATE_HZ * 2);
    await wav.setInputFiles(file(Buffer.concat([wavHeader(SPEECH_RATE_HZ), silence])));
    await send.click();
    await part("Speech to text (openai)").getByText("good afternoon").waitFor();
    await part("Language model (openai)").getByText("From nine to five.").waitFor();
  });

  test("the second factor is set up with an authenticator, and the language changes", async () => {
    await open("/profile");
    await button("Set up").click();
    await dialog().getByRole("img", { name: "QR code for the authenticator" }).waitFor();
    const secret = (await dialog().locator(".secret code").textContent()) ?? "";
    await dialog().getByLabel("Code", { exact: true }).fill(new TOTP({ secret }).generate());
    await dialog().getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    await page.getByText("On: signing in asks for a code.").waitFor();
    await page.getByLabel("Language").selectOption({ label: "Lietuvių" });
    await button("Save").click();
    await page.getByRole("heading", { name: "Profilis ir saugumas" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("lt");
    await page.getByLabel("Kalba").selectOption({ label: "English" });
    await button("Išsaugoti").first().click();
    await page.getByRole("heading", { name: "Profile and security" }).waitFor();
  });

  test("two tenants never see each other, and a viewer cannot change anything", async () => {
    const { body } = await world.api("GET", "/calls");
    const uuid = body.calls[0]?.call_uuid;
    const other = await world.app.ask("tenant.create", {
      name: "Another company",
      email: "other@example.com",
      plan: null,
    });
    const stranger = await visit(browser);
    await signIn(stranger, world.app, { tenantId: other.id, email: "stranger@example.com" });
    const base = `${world.app.addresses.http}/app`;
    const shown = async (path: string) => {
      await stranger.page.goto(base + path);
      await stranger.page.locator("main h1").waitFor();
      await stranger.page.waitForFunction(
        () => document.querySelectorAll(".skeleton").length === 0,
      );
      return (await stranger.page.locator("main").textContent()) ?? "";
    };
    for (const path of ["/agents", "/numbers", "/knowledge", "/tools", "/calls", "/team"])
      expect(await shown(path)).not.toMatch(/Reception|\+3705|clinic|find_booking|\+3706/);
    expect(await shown(`/calls/${uuid}`)).toContain("Not found");
    expect(await shown("/agents/1")).toContain("Not found");
    expect(await shown("/operator")).toContain("Page not found");
    expect(await stranger.page.getByRole("link", { name: "Operator" }).count()).toBe(0);
    expect(await shown("/settings")).toContain(
      "Only the operator of this appliance can change them",
    );
    for (const label of ["Countries that may be called", "Daily spending limit, EUR"])
      expect(await stranger.page.getByLabel(label).isEditable()).toBe(false);
    expect(await stranger.page.getByLabel("Time zone").isEditable()).toBe(true);
    await stranger.context.close();

    const viewer = await visit(browser);
    await signIn(viewer, world.app, {
      tenantId: world.tenantId,
      email: "viewer@clinic.example",
      role: "viewer",
    });
    await viewer.page.goto(`${base}/calls/${uuid}`);
    await viewer.page.getByRole("tab", { name: "Conversation" }).waitFor();
    for (const name of ["Call back", "Make a rehearsal", "New tag"])
      expect([name, await viewer.page.getByText(name).count()]).toEqual([name, 0]);
    await viewer.page.goto(`${base}/agents`);
    await viewer.page.getByRole("link", { name: "Reception" }).waitFor();
    expect(await viewer.page.getByRole("link", { name: "New agent" }).count()).toBe(0);
    const offers = ["Start talking", "Send", "Add knowledge", "New tool", "Add a number", "Try it"];
    const address = `${base}/agents/${world.agentId}`;
    const tabs = ["?tab=test", "?tab=knowledge", "?tab=tools", "?tab=numbers"];
    for (const at of [...tabs.map((tab) => address + tab), `${base}/features?tab=crm`]) {
      await viewer.page.goto(at);
      await viewer.page.locator("[role=tabpanel] .card").first().waitFor();
      for (const name of offers)
        expect([at, name, await viewer.page.getByText(name, { exact: true }).count()]).toEqual([
          ...[at, name, 0],
        ]);
    }
    for (const tab of ["?tab=knowledge", "?tab=numbers"]) {
      await viewer.page.goto(address + tab);
      const box = viewer.page.locator("[role=tabpanel]").getByRole("checkbox").first();
      await box.waitFor();
      expect([tab, await box.isDisabled()]).toEqual([tab, true]);
    }
    await viewer.context.close();
  });

  test("a form is read-only for people who may not send it", async () => {
    const hours = { filename: "hours.md", content: "# Hours", agent_id: world.agentId };
    await world.api("POST", "/files", hours);
    const [file] = (await world.api("GET", "/files")).body.files;
    const [tool] = await world.app.database.tx((queries) =>
      queries
        .insert(tools)
        .values({
          tenantId: world.tenantId,
          name: "find_visit",
          description: "Finds a visit.",
          url: "https://tools.example/find",
          secretHeader: "X-Tool-Secret",
          secretSealed: "x",
          parameters: { type: "object", properties: { day: { type: "string" } } },
          createdAt: 0,
          updatedAt: 0,
        })
        .returning(),
    );
    const viewer = await visit(browser);
    await signIn(viewer, world.app, {
      tenantId: world.tenantId,
      email: "reader@clinic.example",
      role: "viewer",
    });
    for (const [path, fieldsMin] of [
      [`/agents/${world.agentId}`, 11],
      ["/agents/new", 11],
      [`/tools/${tool?.id}`, 8],
      [`/knowledge/${file?.id}`, 3],
      ["/settings", 15],
      ["/features?tab=birthdays", 4],
      ["/features?tab=crm", 3],
    ] as const) {
      await viewer.page.goto(`${world.app.addresses.http}/app${path}`);
      await viewer.page.locator("main form").first().waitFor();
      await viewer.page.waitForFunction(() => !document.querySelector(".skeleton"));
      const controls = viewer.page.locator("main form :is(input, select, textarea)");
      const writable = await controls.evaluateAll((all) =>
        all
          .filter((control) => !control.matches("[readonly], :disabled"))
          .map((control) => control.closest(".field, .switch-row, .check")?.textContent),
      );
      expect([path, writable]).toEqual([path, []]);
      expect(await controls.count()).toBeGreaterThanOrEqual(fieldsMin);
      for (const name of ["Add argument", "Remove argument day", "Survey"]) {
        const offered = await viewer.page.getByRole("button", { name }).count();
        expect([path, name, offered]).toEqual([path, name, 0]);
      }
    }
    await viewer.context.close();
  });
});
