/** Whole calls over RTP on an OpenAI-compatible engine: about 90 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { phrasesFor } from "../../src/conversation/speech/phrases.ts";
import { MESSAGE_PHRASES } from "../../src/engine/fallback/message-phrases.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import {
  BOOKED,
  callAgent,
  DECOYS,
  DISCLOSURE,
  type EngineWorld,
  GREETING,
  HOURS,
  PROVIDER_VOICE,
  startEngineWorld,
} from "../support/engine/engine-world.ts";
import { type ChatBody, type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { eventually } from "../support/eventually.ts";
import { spoken } from "../support/speech/spoken.ts";

let first: OpenAiServer;
let second: OpenAiServer;
let world: EngineWorld;

beforeAll(async () => {
  first = openAiServer("127.0.43.1");
  second = openAiServer("127.0.43.2");
  // The servers share this thread, which may lose the processor for seconds.
  const timeouts = {
    connectTimeoutMs: 8_000,
    sttTimeoutMs: 8_000,
    llmTimeoutMs: 8_000,
    ttsTimeoutMs: 5_000,
  };
  world = await startEngineWorld({
    host: "127.0.43.9",
    providers: [
      openAiChoice(first.url, timeouts),
      openAiChoice(second.url, { ...timeouts, name: "standby" }),
    ],
    disclosure: DISCLOSURE,
    // The tokens of discarded answers (engine-early.test.ts) are an estimate.
    conversation: { speculate: "hearing" },
  });
  // Synthesised before: the test servers share this thread with the appliance's main one.
  const { apology } = phrasesFor("en");
  for (const text of [DISCLOSURE, GREETING, apology, HOURS, BOOKED, "Let me see.", "Goodbye."]) {
    await world.voices.speak(PROVIDER_VOICE, text);
  }
}, 60_000);
afterAll(async () => {
  await world.close();
  first.close();
  second.close();
});
/** Called at the start of each attempt: hooks do not run again for the second. */
function startAnew(): void {
  for (const server of [first, second]) {
    server.requests.length = 0;
    server.fail(null);
    server.script.recognises.length = 0;
    server.script.answer = () => ({ text: "All right." });
    server.script.speech = (text) => world.voices.speak(PROVIDER_VOICE, text);
    for (const faults of Object.values(server.script.faults)) faults.length = 0;
  }
  world.toolRequests.length = 0;
}

test(
  "disclosure, greeting, a question, a tool and its answer: heard, stored, billed and mailed",
  async () => {
    startAnew();
    first.script.recognises.push("Can you book me for Friday?", "Thank you, goodbye.");
    first.script.answer = ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "tool") return { text: BOOKED };
      if (last?.content?.includes("Friday")) {
        return {
          text: "Let me see.",
          tools: [{ name: "book_visit", arguments: { day: "Friday" } }],
        };
      }
      return { text: "Goodbye.", tools: [{ name: "end_call", arguments: {} }] };
    };
    const call = await callAgent(world);
    expect(await world.hears(call, DISCLOSURE, DECOYS)).toBe(true);
    expect(await world.hears(call, GREETING, DECOYS)).toBe(true);
    await call.say("Can you book me for Friday?");
    await eventually(() => world.toolRequests.length === 1, "the tool is called");
    expect(world.toolRequests[0]).toMatchObject({ arguments: { day: "Friday" } });
    expect(await world.hears(call, BOOKED, DECOYS)).toBe(true);
    await call.waitForSilence();
    await call.say("Thank you, goodbye.");
    expect(await call.ended).toMatchObject({ by: "them", how: "bye" });

    const detail = await world.mailed();
    expect(detail).toMatchObject({ status: "completed", ended_reason: "agent_hangup" });
    expect(detail.transcript?.indexOf(DISCLOSURE)).toBeLessThan(
      detail.transcript?.indexOf(GREETING) ?? 0,
    );
    expect(detail.transcript).toContain("Customer: Can you book me for Friday?");
    expect(detail.transcript).toContain(`${BOOKED}`);
    const row = detail as unknown as {
      usage: {
        llm_input_tokens: number;
        llm_cached_input_tokens: number;
        tts_characters: number;
        stt_seconds: number;
      };
      cost_of_goods: { stt_eur: number; llm_eur: number; tts_eur: number };
    };
    expect(row.usage.llm_input_tokens).toBeGreaterThanOrEqual(300);
    expect(row.usage.llm_cached_input_tokens).toBe(row.usage.llm_input_tokens * 0.6);
    expect(row.cost_of_goods.stt_eur).toBeGreaterThan(0);
    expect(row.cost_of_goods.llm_eur).toBeGreaterThan(0);
    const [ask] = first.seen("llm").map(({ json }) => json as ChatBody);
    expect(ask).toMatchObject({
      prompt_cache_key: expect.stringMatching(/^agent-\d+$/),
      safety_identifier: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(ask?.messages[0]?.content).toContain("KNOWLEDGE BASE");
    expect(ask?.messages[1]).toEqual({ role: "assistant", content: GREETING });
    expect(ask?.tools?.map((tool) => tool.function.name)).toEqual(
      expect.arrayContaining(["book_visit", "end_call", "take_message"]),
    );
  },
  spoken(60_000),
);

test(
  "a caller who interrupts stops the agent, and the model learns which words were heard",
  async () => {
    startAnew();
    const long = `${HOURS} On Saturday we are open from ten to two, and on Sunday we are closed for the whole day.`;
    first.script.recognises.push("When are you open?", "Stop, where are you?");
    first.script.answer = ({ messages }) =>
      messages.at(-1)?.content?.includes("where") ? { text: "In Garden Street." } : { text: long };
    const call = await callAgent(world);
    await call.say("When are you open?");
    await call.waitForSpeech();
    await Bun.sleep(1_500);
    await call.say("Stop, stop please, where are you located?");
    // The summary of an earlier attempt's call may be requested meanwhile.
    const asked = () =>
      first
        .seen("llm")
        .map(({ json }) => json as ChatBody)
        .findLast(({ messages }) => messages.at(-1)?.content === "Stop, where are you?");
    await eventually(() => asked() !== undefined, "the second question is asked");
    const told = asked()?.messages.at(-2);
    expect(told?.role).toBe("assistant");
    // On a slow machine a filler may precede it.
    const content = told?.content ?? "-";
    const answer = content.slice(Math.max(0, content.indexOf("We are")));
    expect(answer.length).toBeLessThan(long.length - 20);
    expect(long.startsWith(answer)).toBe(true);
    await call.waitForReply();
    await call.hangUp();
    const detail = await world.mailed();
    expect(detail.turns.some((turn) => turn.text === "In Garden Street.")).toBe(true);
  },
  spoken(60_000),
);

test(
  "if a model dies in mid-answer, the second provider continues",
  async () => {
    startAnew();
    first.script.recognises.push("When are you open?");
    first.script.answer = () => ({ text: `${HOURS} And on Sunday we` });
    first.script.faults.llm.push({ type: "cut", after: 12 });
    first.script.paceMs = 5;
    second.script.answer = () => ({ text: "And on Sunday we are closed." });
    const call = await callAgent(world);
    await call.say("When are you open?");
    await call.waitForReply({ quietMs: 3_000 });
    await call.hangUp();
    const detail = await world.mailed();
    expect(detail.transcript).toContain(`${HOURS} And on Sunday we are closed.`);
    expect(detail.ended_reason).toBe("caller_hangup");
  },
  spoken(60_000),
);

test(
  "with the voices dead the embedded one continues",
  async () => {
    startAnew();
    first.script.recognises.push("When are you open?");
    first.script.answer = () => ({ text: HOURS });
    const call = await callAgent(world);
    first.script.always.tts = { type: "hang" };
    second.script.always.tts = { type: "status", status: 503 };
    await call.say("When are you open?");
    expect(await world.hears(call, HOURS, DECOYS, "Sari")).toBe(true);
    await call.waitForSilence();
    await call.hangUp();
    expect((await world.mailed()).transcript).toContain(HOURS);
  },
  spoken(60_000),
);

test(
  "with all providers dead a message is taken, recorded, mailed and billed",
  async () => {
    startAnew();
    const { apology, thanks } = MESSAGE_PHRASES.en;
    const call = await callAgent(world);
    first.fail({ type: "close" });
    second.fail({ type: "status", status: 500 });
    await call.say("When are you open?");
    expect(await world.hears(call, apology, DECOYS, "Sari")).toBe(true);
    await call.waitForSilence();
    await call.say("My name is John.");
    await call.waitForReply({ quietMs: 1_500 });
    await call.press("860000001");
    await call.waitForReply({ quietMs: 1_500 });
    await call.say("I would like to change my appointment to another day.");
    expect(await call.ended).toMatchObject({ by: "them", how: "bye" });
    expect(await world.hears(call, thanks, DECOYS, "Sari")).toBe(true);
    const detail = await world.mailed();
    expect(detail.ended_reason).toBe("agent_hangup");
    expect(detail.transcript).toContain(apology);
    expect(detail.summary).toContain("technical problem");
    expect(detail.summary).toContain("860000001");
    expect(detail.billing.billable_seconds).toBeGreaterThanOrEqual(15);
    expect(world.appliance.mails().some((name) => name.includes(detail.call_uuid))).toBe(true);
  },
  spoken(90_000),
);
