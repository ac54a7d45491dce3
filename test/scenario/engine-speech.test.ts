/** Whole calls over RTP whose voice comes over a Realtime socket: about 40 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openAiChoice } from "../support/engine/engine-session.ts";
import {
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
import { spoken } from "../support/speech/spoken.ts";

const BEGINNING = "We are open Monday to Friday";

/** Made before the calls: the servers share this thread with the recogniser of their audio. */
const made = new Map<string, Int16Array>();

let server: OpenAiServer;
let voice: RealtimeServer;
let world: EngineWorld;

beforeAll(async () => {
  server = openAiServer("127.0.43.11");
  voice = realtimeServer("127.0.43.12");
  world = await startEngineWorld({
    host: "127.0.43.19",
    providers: [
      openAiChoice(server.url, {
        connectTimeoutMs: 2_000,
        sttTimeoutMs: 3_000,
        llmTimeoutMs: 3_000,
        ttsTimeoutMs: 3_000,
        speechUrl: voice.url,
        ttsModel: "gpt-realtime-2.1-mini",
        voices: { Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" },
      }),
    ],
    disclosure: DISCLOSURE,
  });
  for (const text of [DISCLOSURE, GREETING, HOURS, BEGINNING]) {
    made.set(text, await world.voices.speak(PROVIDER_VOICE, text));
  }
}, 60_000);
afterAll(async () => {
  await world.close();
  server.close();
  await voice.close();
});

/** Called at the start of each attempt: hooks do not run again for the second. */
function startAnew(): void {
  server.requests.length = 0;
  server.script.recognises.length = 0;
  server.script.answer = () => ({ text: HOURS });
  voice.received.length = 0;
  voice.violations.length = 0;
  voice.script.paceMs = 5;
  voice.script.beforeWord = () => {};
  voice.script.readOut = (text) => text;
  voice.script.speech = (text) => made.get(text) ?? toneSpeech(text);
}

test(
  "disclosure, greeting and an answer are heard word for word over one socket",
  async () => {
    startAnew();
    server.script.recognises.push("When are you open?");
    const call = await callAgent(world);
    expect(await world.hears(call, DISCLOSURE, DECOYS)).toBe(true);
    expect(await world.hears(call, GREETING, DECOYS)).toBe(true);
    await call.say("When are you open?");
    expect(await world.hears(call, HOURS, DECOYS)).toBe(true);
    await call.waitForSilence();
    await call.hangUp();
    expect((await world.mailed()).transcript).toContain(HOURS);
    expect(voice.of("session.update")).toHaveLength(1);
    expect(voice.violations).toEqual([]);
  },
  spoken(60_000),
);

test(
  "the caller hears the beginning of an answer before the voice has generated the rest",
  async () => {
    startAnew();
    server.script.recognises.push("When are you open?");
    const call = await callAgent(world);
    const isHeard = Promise.withResolvers<void>();
    voice.script.beforeWord = (index) => (index === 7 ? isHeard.promise : undefined);
    await call.say("When are you open?");
    // "We are open Monday to Friday from": the voice continues when the caller has heard it.
    expect(await world.hears(call, BEGINNING, DECOYS)).toBe(true);
    expect(voice.running()).toBe(1);
    isHeard.resolve();
    expect(await world.hears(call, HOURS, DECOYS)).toBe(true);
    await call.hangUp();
    await world.mailed();
  },
  spoken(60_000),
);

test(
  "invented words of a voice are not heard: another voice speaks the rest",
  async () => {
    startAnew();
    voice.script.readOut = (text) =>
      text.replace("How can I", "Sure, I can").replace("This is", "I am");
    const call = await callAgent(world);
    expect(voice.violations).toEqual([]);
    await call.hangUp();
    const { transcript } = await world.mailed();
    expect(transcript).toContain(DISCLOSURE);
    expect(transcript).toContain(GREETING);
  },
  spoken(60_000),
);
