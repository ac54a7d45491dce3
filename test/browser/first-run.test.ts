/**
 * A new owner, the compiled binary and only the dashboard: from the one-time link that `serve`
 * prints, over a conversation through the browser's microphone, to an answered call on a SIP phone.
 * Chromium plays a synthesised question as its microphone. About 60 s after the build.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Carrier, startCarrier } from "../../src/demo/carrier/carrier.ts";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { wavFile } from "../../src/engine/openai/wav.ts";
import { BUILD_LIMIT_MS, builtBinary } from "../support/appliance/binary.ts";
import { chromiumPath, launchChromium } from "../support/browser/chromium.ts";
import { type Visit, visit } from "../support/browser/dashboard-page.ts";
import { createPhone } from "../support/media/phone/phone.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(BUILD_LIMIT_MS + 120_000);

const HOST = "127.0.9.83";
const NUMBER = "+37052000083";
const CALLER = "+37061000083";
const TRUNK = { username: "clinic", password: "correct horse battery" };
const PASSWORD = "keturi žodžiai be ryšio";
const QUESTION = "What are your opening hours?";
const RATE_HZ = 8_000;
/** Silence during the greeting, then the question, then silence for the answer. */
const BEFORE_SEC = 7;
const AFTER_SEC = 20;

const KNOWLEDGE = `## What are your opening hours?
We are open Monday to Friday from nine to five.

## How much does a consultation cost?
A consultation costs forty euros.
`;

const inChromium = describe.skipIf(chromiumPath() === null);
let carrier: Carrier;
let voices: Voices;
let served: Bun.Subprocess<"ignore", "pipe", "pipe">;
let browser: Browser;
let visitor: Visit;
let ownerLink: string;

async function microphoneFile(path: string): Promise<void> {
  const question = await voices.speak("en-us", QUESTION);
  const pcm = new Int16Array(RATE_HZ * (BEFORE_SEC + AFTER_SEC) + question.length);
  pcm.set(question, RATE_HZ * BEFORE_SEC);
  await Bun.write(path, wavFile(pcm, RATE_HZ));
}

/** The owner link in the file that `serve` names. The pipe must stay open for later output. */
async function printedLink(serve: Bun.Subprocess<"ignore", "pipe", "pipe">): Promise<string> {
  const decoder = new TextDecoder();
  const reader = serve.stdout.getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    const file = /^Owner\s+see (\S+)/m.exec(text)?.[1];
    if (file) return readFileSync(file, "utf8").trim();
  }
  const complaint = await new Response(serve.stderr).text();
  throw new Error(`no owner link was printed, status ${await serve.exited}: ${text}${complaint}`);
}

beforeAll(async () => {
  if (chromiumPath() === null) return;
  const binary = await builtBinary();
  const directory = tempDir();
  voices = await createVoices();
  carrier = await startCarrier({ host: HOST, domain: "carrier.test" });
  carrier.addSubscriber({ ...TRUNK, numbers: [NUMBER] });
  const config = join(directory, "linevoice.toml");
  await Bun.write(
    config,
    `[server]
listen = "${HOST}:8483"
metrics_listen = ""
[sip]
bind = "${HOST}:5483"
external_ip = "${HOST}"
allow_networks = ["${HOST}/32"]
[rtp]
ports = "24000-24099"
[storage]
data_dir = "${join(directory, "data")}"
`,
  );
  served = Bun.spawn([binary, "serve", "--config", config], {
    cwd: directory,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  ownerLink = await printedLink(served);
  const microphone = join(directory, "microphone.wav");
  await microphoneFile(microphone);
  browser = await launchChromium([
    // The headless shell cannot show the permission prompt for the microphone.
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-audio-capture=${microphone}`,
    "--autoplay-policy=no-user-gesture-required",
  ]);
  visitor = await visit(browser, { isMoving: true });
});

afterAll(async () => {
  if (chromiumPath() === null) return;
  await browser?.close();
  served?.kill("SIGTERM");
  await served?.exited;
  carrier?.close();
});

const to = (path: string) => new URL(`/app${path}`, ownerLink).href;

inChromium("a new owner, using only the dashboard,", () => {
  test("sets the appliance up with the printed link, which works once", async () => {
    const { page } = visitor;
    await page.goto(ownerLink);
    await page.getByLabel("Your name").fill("Rasa Kazlauskienė");
    await page.getByLabel("Email").fill("rasa@clinic.example");
    await page.getByLabel("Password").fill("too short");
    await page.getByLabel("Company").fill("Dantų klinika");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("alert").getByText("12 to 200 characters").waitFor();
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { name: "Getting started" }).waitFor();
    expect(page.url()).toBe(to("/"));

    const stranger = await visit(browser);
    await stranger.page.goto(ownerLink);
    await stranger.page.getByRole("heading", { name: "This link is not valid" }).first().waitFor();
    await stranger.context.close();
  });

  test("creates an agent, adds knowledge, and talks to it through the microphone", async () => {
    const { page } = visitor;
    await page.goto(to("/agents/new"));
    await page.getByLabel("Name").fill("Reception");
    await page.getByLabel("Instructions").fill("You answer for a dental clinic.");
    await page.getByLabel("Greeting").fill("Good afternoon. How can I help you?");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Talk to the agent" }).waitFor();
    const agentPage = page.url();

    await page.goto(to("/knowledge"));
    await page.getByRole("button", { name: "Add knowledge" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("File name").fill("clinic.md");
    await dialog.getByLabel("Content").fill(KNOWLEDGE);
    await dialog.getByLabel("Used by").selectOption({ label: "Reception" });
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByRole("link", { name: "clinic.md" }).waitFor();

    await page.goto(agentPage);
    await page.getByLabel("Your message").fill("How much does a consultation cost?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("forty euros").waitFor();

    // The trial uses the form's values, not the saved ones.
    const greeting = page.getByLabel("Greeting");
    await greeting.fill("Good evening. How can I help you?");
    await page.getByRole("button", { name: "Start talking" }).click();
    const talk = page.getByRole("region", { name: "Talk to the agent" });
    await talk.getByText("Good evening.").waitFor({ timeout: 30_000 });
    await talk.getByText("nine to five").waitFor({ timeout: 60_000 });
    const keypad = page.getByRole("group", { name: "Telephone keys" });
    for (const key of ["4", "#"]) await keypad.getByRole("button", { name: key }).click();
    await talk.getByText("[keys 4]").waitFor({ timeout: 30_000 });
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("The conversation is over.").waitFor();
    await greeting.fill("Good afternoon. How can I help you?");
  });

  test("connects a trunk, assigns a number, and the agent answers a SIP phone", async () => {
    const { page } = visitor;
    await page.goto(to("/trunk"));
    await page.getByLabel("SIP server").fill(carrier.address.host);
    await page.getByLabel("Port", { exact: true }).fill(String(carrier.address.port));
    await page.getByLabel("User name").fill(TRUNK.username);
    await page.getByLabel("Password").fill(TRUNK.password);
    await page.getByLabel("Default caller ID").fill(NUMBER);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Registered", { exact: true }).waitFor({ timeout: 30_000 });
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    await page.getByRole("button", { name: "Run the test" }).click();
    await page.getByText("Codecs of your provider").waitFor({ timeout: 30_000 });

    await page.goto(to("/numbers"));
    await page.getByRole("button", { name: "Add a number" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Number", { exact: true }).fill(NUMBER);
    await dialog.getByLabel("Answered by").selectOption({ label: "Reception" });
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByRole("cell", { name: NUMBER }).first().waitFor();

    await page.goto(to("/live"));
    await page.getByRole("status").getByText("Live").waitFor();
    const account = { username: CALLER, password: CALLER };
    carrier.addSubscriber({ ...account, numbers: [CALLER] });
    const phone = await createPhone({
      number: CALLER,
      domain: "carrier.test",
      host: HOST,
      proxy: carrier.address,
      account,
      speech: voices.speaker("m3"),
    });
    await phone.register();
    const call = await phone.call(NUMBER);
    await call.answered;
    await page.getByText(CALLER).first().waitFor();
    await page.getByText("How can I help you?").waitFor({ timeout: 30_000 });
    await page.getByRole("button", { name: "Listen" }).click();
    await page.getByText("customer left, agent right").waitFor();
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Hang up" }).click();
    await page.getByText("No calls in progress").waitFor({ timeout: 30_000 });
    await phone.close();

    await page.goto(to("/calls"));
    await page.getByRole("link", { name: CALLER }).click();
    await page.getByText("Ended from the dashboard or the API.").waitFor();
    await page.getByRole("button", { name: "Play" }).waitFor({ timeout: 30_000 });
    await page.goto(to("/"));
    const calls = page.locator(".figure").filter({ hasText: "Calls" });
    await calls.getByText("Today 1").waitFor();
    expect(await page.getByText("Getting started").count()).toBe(0);
    expect(visitor.complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });
});
