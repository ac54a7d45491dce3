/** Whole calls over RTP on the Realtime engine: about 70 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openAiChoice, realtimeChoice } from "../support/engine/engine-session.ts";
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
import { type OpenAiServer, openAiServer, toneSpeech } from "../support/engine/openai-server.ts";
import { type RealtimeServer, realtimeServer } from "../support/engine/realtime-server.ts";
import { eventually } from "../support/eventually.ts";
import { spoken } from "../support/speech/spoken.ts";

const LONG = `${HOURS} On Saturday we are open from ten to two, and on Sunday we are closed for the whole day.`;
const CLOSED = "On Sunday we are closed.";

/**
 * Made before the calls, because the servers share this thread: synthesis during a call would keep a server from
 * answering, and an answer that pauses for 5 s counts as lost.
 */
const made = new Map<string, Int16Array>();

let server: RealtimeServer;
let standby: OpenAiServer;
let world: EngineWorld;

beforeAll(async () => {
  server = realtimeServer("127.0.44.1");
  standby = openAiServer("127.0.44.2");
  world = await startEngineWorld({
    host: "127.0.44.9",
    providers: [
      realtimeChoice(server.url, {
        turn_detection: "server",
        connect_timeout_ms: 2_000,
        response_timeout_ms: 3_000,
      }),
      openAiChoice(standby.url, { name: "openai" }),
    ],
    disclosure: DISCLOSURE,
  });
  for (const text of [DISCLOSURE, GREETING, HOURS, BOOKED, LONG, CLOSED, "Goodbye."]) {
    made.set(text, await world.voices.speak(PROVIDER_VOICE, text));
  }
}, 60_000);
afterAll(async () => {
  await world.close();
  await server.close();
  standby.close();
});
/** Called at the start of each attempt: hooks do not run again for the second. */
function startAnew(): void {
  server.received.length = 0;
  server.script.refuse = null;
  server.script.recognises.length = 0;
  server.script.paceMs = 5;
  standby.script.recognises.length = 0;
  standby.requests.length = 0;
  server.script.speech = (text) => made.get(text) ?? toneSpeech(text);
  standby.script.speech = (text) => made.get(text) ?? toneSpeech(text);
}

test(
  "disclosure, greeting, a question, a tool and its answer: heard, stored, billed and mailed",
  async () => {
    startAnew();
    server.script.recognises.push("Can you book me for Friday?", "Thank you, goodbye.");
    server.script.answer = (heard) => {
      if (heard.includes("booked")) return { text: BOOKED };
      if (heard.includes("Friday")) {
        return {
          text: "One moment.",
          tools: [{ name: "book_visit", arguments: { day: "Friday" } }],
        };
      }
      return { text: "Goodbye.", tools: [{ name: "end_call", arguments: {} }] };
    };
    const call = await callAgent(world);
    expect(await world.hears(call, DISCLOSURE, DECOYS)).toBe(true);
    expect(await world.hears(call, GREETING, DECOYS)).toBe(true);
    await call.say("Can you book me for Friday?");
    await eventually(() => world.toolRequests.length > 0, "the tool is called");
    expect(world.toolRequests.at(-1)).toMatchObject({ arguments: { day: "Friday" } });
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
    expect(detail.transcript).toContain(BOOKED);
    expect(detail.summary).toBe("A short summary of the call.");
  },
  spoken(60_000),
);

test(
  "a caller who interrupts stops the agent: the item is truncated at the played audio",
  async () => {
    startAnew();
    server.script.recognises.push("When are you open?", "Stop, where are you?");
    server.script.answer = (heard) => ({
      text: heard.includes("where") ? "In Garden Street." : LONG,
    });
    const call = await callAgent(world);
    await call.say("When are you open?");
    await call.waitForSpeech();
    await Bun.sleep(1_500);
    await call.say("Stop, stop please, where are you located?");
    await eventually(
      () => server.of("conversation.item.truncate").length > 0,
      "the item is truncated",
    );
    const whole = (await world.voices.speak(PROVIDER_VOICE, LONG)).length / 8;
    const at = Number(server.of("conversation.item.truncate")[0]?.audio_end_ms);
    expect(at).toBeGreaterThan(300);
    expect(at).toBeLessThan(whole - 1_000);
    await call.waitForReply();
    await call.hangUp();
    const detail = await world.mailed();
    const cut = detail.turns.find(({ text }) => text.startsWith("We are open"));
    expect(cut?.text.length ?? 0).toBeLessThan(LONG.length - 20);
    expect(detail.turns.some((turn) => turn.text === "In Garden Street.")).toBe(true);
  },
  spoken(60_000),
);

test(
  "if the server is lost during a call the next provider continues",
  async () => {
    startAnew();
    server.script.recognises.push("When are you open?");
    let isAnswered = false;
    server.script.answer = () => {
      isAnswered = true;
      return { text: HOURS };
    };
    const call = await callAgent(world);
    expect(await world.hears(call, GREETING, DECOYS)).toBe(true);
    await call.waitForSilence();
    await call.say("When are you open?");
    // The whole answer is generated and heard before the server is lost, however long that takes.
    await eventually(() => isAnswered && server.running() === 0, "the answer is made");
    expect(await world.hears(call, HOURS, DECOYS)).toBe(true);
    await call.waitForSilence();
    server.script.refuse = 503;
    standby.script.recognises.push("And on Sunday?");
    standby.script.answer = () => ({ text: CLOSED });
    server.drop();
    await eventually(() => server.conversations().length === 0, "the server is lost");
    await call.say("And how is it on Sunday?");
    await eventually(() => standby.seen("llm").length > 0, "the next provider is asked");
    expect(await world.hears(call, CLOSED, DECOYS)).toBe(true);
    await call.waitForSilence();
    await call.hangUp();
    const detail = await world.mailed();
    expect(detail.transcript).toContain(HOURS);
    expect(detail.transcript).toContain(CLOSED);
    expect(detail.ended_reason).toBe("caller_hangup");
  },
  spoken(60_000),
);
