/**
 * Answers started before the end of the silence, over real SIP and RTP, with a slow provider: the audio for a
 * pausing caller, and the stored, executed and counted results. About 25 s.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { phrasesFor } from "../../src/conversation/speech/phrases.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import {
  BOOKED,
  callAgent,
  type EngineWorld,
  GREETING,
  PROVIDER_VOICE,
  startEngineWorld,
} from "../support/engine/engine-world.ts";
import { type ChatBody, type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { eventually } from "../support/eventually.ts";
import { spoken } from "../support/speech/spoken.ts";

/** The server shares this thread, which may lose the processor for seconds. */
const TIMEOUTS = {
  connectTimeoutMs: 8_000,
  sttTimeoutMs: 8_000,
  llmTimeoutMs: 8_000,
  ttsTimeoutMs: 5_000,
};

const FIRST = "I need a visit.";
const WHOLE = "I need a visit on Friday.";
/** Nobody may hear it. */
const HASTY = "Then you are booked for Monday at eight in the morning.";
/** Much longer than the provider takes, so that a busy machine makes no difference. */
const PAUSE_MS = 1_500;
const ENDPOINTING_MS = 2_500;

let provider: OpenAiServer;
let world: EngineWorld;

beforeAll(async () => {
  provider = openAiServer("127.0.43.31");
  provider.script.delayMs = { stt: 80, llm: 200, tts: 120 };
  world = await startEngineWorld({
    host: "127.0.43.39",
    providers: [openAiChoice(provider.url, TIMEOUTS)],
    conversation: {
      speculate: "all",
      endpointingMs: ENDPOINTING_MS,
      endpointingUnfinishedMs: ENDPOINTING_MS,
      endpointingDictationMs: ENDPOINTING_MS,
    },
  });
  provider.script.speech = (text) => world.voices.speak(PROVIDER_VOICE, text);
  // If the provider were slow with the greeting, the embedded voice would speak it.
  for (const text of [GREETING, phrasesFor("en").apology, HASTY, BOOKED])
    await world.voices.speak(PROVIDER_VOICE, text);
}, 60_000);
afterAll(async () => {
  await world.close();
  provider.close();
});

/** Discarded tokens of all calls of the month. */
async function discardedTokens(): Promise<number> {
  const { body } = await world.appliance.api("GET", "/usage");
  const { usage } = body as unknown as { usage: { discarded: { tokens: number } } };
  return usage.discarded.tokens;
}

test(
  "a caller who pauses hears one answer, to the whole question; the other is discarded and counted",
  async () => {
    provider.requests.length = 0;
    world.toolRequests.length = 0;
    const parts = await Promise.all(
      ["I need a visit", "on Friday"].map((part) => world.voices.speak("m3", part)),
    );
    const [before = new Int16Array(0), after = new Int16Array(0)] = parts;
    const said = new Int16Array(before.length + PAUSE_MS * 8 + after.length);
    said.set(before);
    said.set(after, before.length + PAUSE_MS * 8);
    provider.script.recogniseMs = (ms) => (ms > before.length / 8 + PAUSE_MS ? WHOLE : FIRST);
    provider.script.answer = ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "tool") return { text: BOOKED };
      const day = last?.content?.includes("Friday") ? "Friday" : "Monday";
      const tools = [{ name: "book_visit", arguments: { day } }];
      return day === "Friday" ? { tools } : { text: HASTY, tools };
    };
    const tokensBefore = await discardedTokens();
    const call = await callAgent(world);
    await call.play(said);
    await eventually(() => world.toolRequests.length > 0, "the tool is called");
    expect(await world.hears(call, BOOKED, [HASTY])).toBe(true);
    expect(world.toolRequests.map((request) => request.arguments.day)).toEqual(["Friday"]);
    await call.hangUp();

    const asked = provider
      .seen("llm")
      .map(({ json }) => (json as ChatBody).messages.at(-1)?.content);
    expect(asked).toContain(FIRST);
    // Discarded answers are not in the model's history.
    for (const { json } of provider.seen("llm").filter((_, at) => asked[at] === WHOLE))
      expect((json as ChatBody).messages.filter(({ content }) => content === FIRST)).toEqual([]);
    const detail = await world.mailed();
    expect(detail.turns.map(({ text }) => text)).not.toContain(HASTY);
    expect(
      detail.turns.filter(({ speaker }) => speaker === "customer").map(({ text }) => text),
    ).toEqual([WHOLE]);
    const { usage, cost_of_goods: goods } = detail as unknown as {
      usage: { discarded: Record<string, number> };
      cost_of_goods: Record<string, number>;
    };
    expect(usage.discarded.llm_tokens).toBeGreaterThan(0);
    expect(usage.discarded.tts_characters).toBeGreaterThanOrEqual(HASTY.length);
    expect(usage.discarded.stt_seconds).toBeGreaterThan(0);
    expect(goods.discarded_eur).toBeGreaterThan(0);
    expect(goods.discarded_eur).toBeLessThan(goods.total_eur ?? 0);
    expect((await discardedTokens()) - tokensBefore).toBe(usage.discarded.llm_tokens ?? 0);
  },
  spoken(60_000),
);
