/**
 * A model switched off by its provider, in a running appliance: who is notified, and how often. About 15 s.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { getHome } from "../../src/features/call-log/home-routes.ts";
import { mails } from "../../src/store/schema/index.ts";
import { browserOf } from "../support/browser/appliance-browser.ts";
import type { Browser } from "../support/browser/dashboard-session.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import { type EngineWorld, startEngineWorld } from "../support/engine/engine-world.ts";
import {
  type LanguageModelServer,
  languageModelServer,
} from "../support/engine/language-model-server.ts";
import { eventually } from "../support/eventually.ts";

const MODEL = "gpt-4o-mini";

import { replyOf } from "../support/http/reply.ts";

let server: LanguageModelServer;
let world: EngineWorld;
let operator: Browser;

beforeAll(async () => {
  server = languageModelServer("127.0.43.31");
  world = await startEngineWorld({
    host: "127.0.43.39",
    providers: [openAiChoice(server.url, { llmModel: MODEL })],
    engine: { guard: { retries: 0, breaker_failures: 3, breaker_open_sec: 1 } },
  });
  const { app, tenantId } = world.appliance;
  operator = await browserOf(app, { tenantId, operator: true });
}, 60_000);
afterAll(async () => {
  await world.close();
  server.close();
});

const ask = () =>
  operator.ask("POST", `/agents/${world.appliance.agentId}/chat`, { message: "Are you open?" });

async function warnings(): Promise<string[]> {
  const response = await fetch(`${world.appliance.app.addresses.http}/readyz`);
  return ((await response.json()) as { warnings: string[] }).warnings;
}

async function sentMails(): Promise<string[]> {
  const rows = await world.appliance.app.database.read.select().from(mails);
  return rows.filter(({ key }) => key.startsWith("provider-trouble:")).map(({ body }) => body);
}

test("the health page and one mail name the retired model and what to do, in plain words", async () => {
  for (let call = 0; call < 3; call++) await ask();
  await eventually(async () => (await warnings()).length === 1, "readyz warns");
  const [warning = ""] = await warnings();
  expect(warning).toContain(
    'The provider of language model, openai, does not know the model "gpt-4o-mini"',
  );
  expect(warning).toContain("Set another model in [engine.openai] llm_model, such as gpt-6-luna");
  const home = replyOf(getHome, await operator.ask("GET", "/home"));
  expect(home.statuses.engine).toMatchObject({ state: "warning", code: "engine_provider" });
  expect(home.problems).toContainEqual(
    expect.objectContaining({ code: "engine_provider", href: "/app/operator?tab=health" }),
  );
  await eventually(async () => (await sentMails()).length === 1, "the operator gets a mail");
  await Bun.sleep(1_100);
  await ask();
  expect(server.refusals.length).toBeGreaterThan(1);
  expect(await sentMails()).toHaveLength(1);
  expect((await sentMails())[0]).toContain(warning);
});

test("the warning disappears when the provider answers again", async () => {
  server.script.models[MODEL] = {};
  await Bun.sleep(1_100);
  await ask();
  await eventually(async () => (await warnings()).length === 0, "readyz is quiet");
});
