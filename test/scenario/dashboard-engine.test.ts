/** Trying an agent with a provider's engine: in writing and from the browser. Takes some 20 s. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { chat } from "../../src/features/agent/chat-routes.ts";
import { getUsage } from "../../src/features/call-log/reports-routes.ts";
import { browserOf } from "../support/browser/appliance-browser.ts";
import type { Browser } from "../support/browser/dashboard-session.ts";
import { DashboardSocket } from "../support/browser/dashboard-socket.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import {
  type EngineWorld,
  PROVIDER_VOICE,
  startEngineWorld,
} from "../support/engine/engine-world.ts";
import { type ChatBody, type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { eventually } from "../support/eventually.ts";
import { replyOf } from "../support/http/reply.ts";
import { startMicrophone } from "../support/speech/microphone.ts";

const DISCLOSURE = "You speak with an assistant.";

let provider: OpenAiServer;
let world: EngineWorld;
let owner: Browser;

beforeAll(async () => {
  provider = openAiServer("127.0.43.21");
  world = await startEngineWorld({
    host: "127.0.43.29",
    providers: [openAiChoice(provider.url, { llmTimeoutMs: 2_000 })],
    disclosure: DISCLOSURE,
  });
  const { app, tenantId } = world.appliance;
  owner = await browserOf(app, { tenantId });
}, 60_000);
afterAll(async () => {
  await world.close();
  provider.close();
});
beforeEach(() => {
  provider.requests.length = 0;
  provider.script.answer = () => ({ text: "All right." });
  provider.script.speech = (text) => world.voices.speak(PROVIDER_VOICE, text);
});

const path = () => `/agents/${world.appliance.agentId}/chat`;
const asked = () => provider.seen("llm").map(({ json }) => (json as ChatBody).messages);

test("a model gets the conversation so far once, and no question twice", async () => {
  const opening = replyOf(chat, await owner.ask("POST", path(), {}));
  expect(opening.reply).toStartWith(DISCLOSURE);
  expect(provider.requests.length).toBe(0);

  const lines = [
    { role: "agent", text: opening.reply },
    { role: "customer", text: "My name is Jonas." },
    { role: "agent", text: "Hello Jonas." },
  ];
  const first = replyOf(
    chat,
    await owner.ask("POST", path(), { messages: lines, message: "Who am I?" }),
  );
  expect(first.reply).toBe("All right.");
  expect(asked().length).toBe(1);
  expect(
    asked()[0]
      ?.slice(1)
      .map(({ role, content }) => [role, content]),
  ).toEqual([
    ["assistant", opening.reply],
    ["user", "My name is Jonas."],
    ["assistant", "Hello Jonas."],
    ["user", "Who am I?"],
  ]);
  const further = [
    ...lines,
    { role: "customer", text: "Who am I?" },
    { role: "agent", text: "All right." },
  ];
  await owner.ask("POST", path(), { messages: further, message: "Thank you." });
  expect(asked().length).toBe(2);
  expect(asked()[1]?.filter(({ role }) => role === "user").length).toBe(3);
});

test("the model's tools run, its end of the call is reported, and its failure is a clear answer", async () => {
  provider.script.answer = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "You are booked.", tools: [{ name: "end_call", arguments: {} }] }
      : { text: "Let me see.", tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
  const booked = replyOf(chat, await owner.ask("POST", path(), { message: "Book me for Friday." }));
  expect(booked.reply).toBe("Let me see. You are booked.");
  expect(booked.ended).toBe(true);
  expect(booked.events.map(({ type, tool, ok }) => [type, tool, ok])).toEqual([
    ["tool", "book_visit", true],
    ["end_call", null, null],
  ]);
  expect(world.toolRequests.at(-1)).toMatchObject({ arguments: { day: "Friday" } });

  provider.fail({ type: "status", status: 500 });
  const failed = await owner.ask("POST", path(), { message: "Hello?" });
  expect([200, 503]).toContain(failed.status);
  expect(failed.text).not.toContain(provider.url);
  provider.fail(null);
}, 30_000);

test("an agent with a provider's voice greets in the browser", async () => {
  const talk = await new DashboardSocket(owner, `/agents/${world.appliance.agentId}/talk`).open();
  talk.send({ type: "start", sample_rate: 16000 });
  await talk.until(
    ({ type, turn }) =>
      type === "turn" && (turn as { text: string }).text.includes("dental clinic"),
    "the agent greets",
  );
  expect(talk.of("state").map(({ state }) => state)).toContain("speaking");
  talk.send({ type: "stop" });
  expect(await talk.ended()).toBe(1000);
}, 30_000);

test("with knowledge above the budget the model gets the matching passage, and not the rest", async () => {
  const { api, agentId } = world.appliance;
  const parts = Array.from(
    { length: 2_000 },
    (_, at) => `## Storage of part ${at}\nPart number ${at} lies on shelf ${at % 40} of the hall.`,
  );
  const dogs = "## May I bring my dog?\nDogs wait in the garden, where there is water.";
  const content = parts.toSpliced(1_000, 0, dogs).join("\n\n");
  expect(Buffer.byteLength(content)).toBeGreaterThan(96_000);
  const added = await api("POST", "/files", { filename: "house.md", content, agent_id: agentId });
  expect(added.status).toBe(200);
  const message = "Can my dog come with me?";
  // It is indexed in the background.
  provider.script.answer = () => ({ text: "Dogs wait in the garden, where there is water." });
  let sources: readonly object[] = [];
  await eventually(async () => {
    provider.requests.length = 0;
    ({ sources } = replyOf(chat, await owner.ask("POST", path(), { message })));
    // A late look-up leaves the passages out, but the turn is answered.
    return sources.length > 0 && JSON.stringify(asked()[0]).includes("Dogs wait");
  }, "the passage is found");
  expect(sources[0]).toMatchObject({
    filename: "house.md",
    heading: "May I bring my dog?",
  });
  const [system, ...said] = asked()[0] ?? [];
  expect(system?.content).toContain("house.md");
  expect(system?.content).not.toContain("Dogs wait");
  const question = said.findLast(({ role }) => role === "user")?.content ?? "";
  expect(question).toContain("Dogs wait in the garden");
  expect(question).toContain(message);
  expect(JSON.stringify(asked()[0])).not.toContain("on shelf");
});

test("a trial by voice shows the passage behind an answer, and none for the opening", async () => {
  const answer = "Dogs wait in the garden, where there is water.";
  provider.script.answer = () => ({ text: answer });
  provider.script.recognises = ["Can my dog come with me?"];
  const talk = await new DashboardSocket(owner, `/agents/${world.appliance.agentId}/talk`).open();
  talk.send({ type: "start", sample_rate: 8000 });
  await talk.until(({ type }) => type === "ready", "the agent is there");
  const microphone = startMicrophone(talk, 8000);
  await talk.until(({ type }) => type === "turn", "the agent greets");
  await eventually(() => talk.of("state").at(-1)?.state === "listening", "the greeting is over");
  microphone.say(await world.voices.speak("m3", "Can my dog come with me?"));
  const told = await talk.until(({ type }) => type === "sources", "which passage answered");
  const turnOf = (index: unknown) =>
    talk
      .of("turn")
      .map(({ turn }) => turn as { readonly index: number; readonly text: string })
      .find((turn) => turn.index === index);
  expect(turnOf(told.index)?.text).toBe(answer);
  expect(told.sources).toMatchObject([
    { filename: "house.md", heading: "May I bring my dog?" },
  ] as never);
  talk.send({ type: "stop" });
  expect(await talk.ended()).toBe(1000);
  microphone.stop();
}, 60_000);

test("chats and rehearsals with a paid engine are counted, then need money", async () => {
  const { app, tenantId, api, agentId } = world.appliance;
  const usage = async () =>
    replyOf(getUsage, await owner.fetch("GET", "/api/v1/usage")).usage.trials;
  const before = await usage();
  provider.script.answer = () => ({ text: "Yes.", tokens: { input: 100_000, output: 20_000 } });
  expect((await owner.ask("POST", path(), { message: "Are you open?" })).status).toBe(200);
  const after = await usage();
  expect(after.tokens.input - before.tokens.input).toBe(100_000);
  expect(after.tokens.output - before.tokens.output).toBe(20_000);
  expect(after.minutes_today - before.minutes_today).toBeCloseTo(12, 0);
  expect(after.cost_of_goods_eur - before.cost_of_goods_eur).toBeCloseTo(0.18, 5);

  const scenarios = "name: Hours\nscript: [{say: Are you open?}, {hang_up: true}]\n";
  const order = { agent_id: agentId, scenarios };
  expect((await api("POST", "/rehearsals", order)).status).toBe(200);
  await eventually(
    async () => (await usage()).tokens.input - after.tokens.input >= 100_000,
    "the rehearsal is counted",
  );
  await app.ask("credit", { tenant: tenantId, eur: -1_000, note: "All" });
  await eventually(async () => {
    await owner.ask("POST", path(), { message: "Are you open?" });
    return (await usage()).minutes_today > 30;
  }, "the free minutes are used");

  const asked = provider.requests.length;
  const refused = await owner.ask("POST", path(), { message: "And now?" });
  expect([refused.status, refused.json]).toMatchObject([403, { error: "insufficient_balance" }]);
  expect(await api("POST", "/rehearsals", order)).toMatchObject({
    status: 403,
    body: { error: "insufficient_balance" },
  });
  const talk = await new DashboardSocket(owner, `/agents/${agentId}/talk`).open();
  talk.send({ type: "start", sample_rate: 8000 });
  await talk.until(
    ({ type, error }) => type === "error" && error === "insufficient_balance",
    "the talk is refused",
  );
  expect(provider.requests.length).toBe(asked);
}, 60_000);
