/** Texts spoken word for word over a Realtime socket: played as they arrive, and nothing else. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Engine, EngineSession } from "../../../src/conversation/engine-port.ts";
import { UnsupportedText } from "../../../src/conversation/engine-port.ts";
import { openAiEngine, sessionSettings, speech } from "../../support/engine/engine-session.ts";
import { type RealtimeServer, realtimeServer } from "../../support/engine/realtime-server.ts";
import { eventually } from "../../support/eventually.ts";

const TEXT = "Good afternoon, this is the dental clinic. How can I help you today?";

let server: RealtimeServer;
let engine: Engine;
beforeEach(() => {
  server = realtimeServer("127.0.41.3");
  engine = start();
});
afterEach(async () => {
  await engine.close();
  await server.close();
  expect(server.violations).toEqual([]);
});

const start = (more = {}) =>
  openAiEngine("http://127.0.41.3:9/v1", {
    speechUrl: server.url,
    ttsModel: "gpt-realtime-2.1-mini",
    voices: { Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" },
    ...more,
  });
const open = (more = {}) => engine.open(sessionSettings(more));

const msOf = (pcm: Int16Array) => pcm.length / 8;

/** Speaks until it ends or fails; returns its audio and the error. */
async function spoken(session: EngineSession, text: string) {
  const chunks: Int16Array[] = [];
  let error: unknown = null;
  try {
    for await (const pcm of session.tts.speak(text, new AbortController().signal)) {
      chunks.push(pcm);
    }
  } catch (reason) {
    error = reason;
  }
  return { ms: chunks.reduce((sum, pcm) => sum + msOf(pcm), 0), chunks, error };
}

test("a voice over Realtime: one socket per call, each sentence outside the conversation", async () => {
  const session = open({ language: "lt" });
  expect(msOf(await speech(session, TEXT))).toBeCloseTo(TEXT.length * 60, -2);
  await speech(session, "Until when?");
  expect(server.headers).toHaveLength(1);
  expect(server.queries()[0]?.get("model")).toBe("gpt-realtime-2.1-mini");
  expect(server.sessions()[0]).toMatchObject({
    tools: [],
    audio: { output: { voice: "marin", format: { type: "audio/pcm", rate: 24_000 } } },
  });
  const [asked] = server.of("response.create");
  expect(asked?.response).toMatchObject({ conversation: "none", tool_choice: "none" });
  expect(JSON.stringify(asked)).toContain("Lithuanian");
  expect(server.conversations()[0]).toEqual([]);
});

test("the first audio is played while the rest is still generated", async () => {
  server.script.paceMs = 30;
  const session = open();
  let first = 0;
  const signal = new AbortController().signal;
  for await (const pcm of session.tts.speak(TEXT, signal)) {
    first ||= pcm.length;
    if (first > 0) break;
  }
  expect(first).toBeGreaterThan(0);
  expect(first / 8).toBeLessThan(TEXT.length * 60);
  await eventually(() => server.of("response.cancel").length === 1, "the rest is not made");
});

test("at the first wrong word it stops, and the same voice repeats the missing text", async () => {
  server.script.paceMs = 2;
  const readOut = server.script.readOut;
  server.script.readOut = (text) => {
    server.script.readOut = readOut;
    return text.replace("How can I help you", "What would you like me to do for you");
  };
  const { ms, error } = await spoken(open(), TEXT);
  expect(error).toBeNull();
  // All of it is heard, with at most a few words twice; and no invented words.
  expect(ms).toBeGreaterThan(TEXT.length * 60 - 100);
  expect(ms).toBeLessThan(TEXT.length * 60 * 1.5);
  const again = JSON.stringify(server.of("response.create")[1]?.response);
  expect(again).toContain("How can I help you today?");
  expect(again).not.toContain("Good afternoon");
});

test("a model that keeps saying other words is given up, and its unspoken text is reported", async () => {
  server.script.readOut = (text) => text.replace("How can", "But how could");
  server.script.paceMs = 2;
  const { ms, error } = await spoken(open(), TEXT);
  expect(error).toBeInstanceOf(UnsupportedText);
  const unspoken = error instanceof UnsupportedText ? error.unspoken : null;
  expect(unspoken).toEndWith("How can I help you today?");
  expect(TEXT).toEndWith(unspoken ?? "nothing");
  expect(ms).toBeLessThan(TEXT.length * 60);
});

test("a model that says something else from the first word on is not heard at all", async () => {
  server.script.readOut = () => "Sure! Good afternoon!";
  const { ms, error } = await spoken(open(), TEXT);
  expect(ms).toBe(0);
  expect(error).toMatchObject({ unspoken: TEXT });
});

test("audio waits for its words", async () => {
  server.script.wordsLast = true;
  const all = await spoken(open(), TEXT);
  expect(all).toMatchObject({ error: null });
  expect(all.ms).toBeCloseTo(TEXT.length * 60, -2);
  server.script.readOut = () => "Something else entirely, in many more words than it was to be.";
  expect(await spoken(open(), TEXT)).toMatchObject({ ms: 0 });
});

test("a server that sends words only when complete is supported", async () => {
  server.script.sparse = true;
  expect(await spoken(open(), TEXT)).toMatchObject({ error: null });
});

test("the next sentence is requested while this one is spoken; an interruption cancels both", async () => {
  server.script.paceMs = 20;
  const session = open();
  const abort = new AbortController();
  const speaking = session.tts.speak(TEXT, abort.signal)[Symbol.asyncIterator]();
  await speaking.next();
  session.tts.prefetch?.("We are open from nine to five on every day of the week.");
  await eventually(() => server.of("response.create").length === 2, "both are asked for");
  abort.abort();
  expect(await speaking.next()).toMatchObject({ done: true });
  await eventually(() => server.of("response.cancel").length === 2, "both are cancelled");
});

test("a sentence requested ahead is spoken from that request", async () => {
  const session = open();
  session.tts.prefetch?.(TEXT);
  await eventually(() => server.of("response.create").length === 1, "it is asked for");
  expect(msOf(await speech(session, TEXT))).toBeCloseTo(TEXT.length * 60, -2);
  expect(server.of("response.create")).toHaveLength(1);
});

test("a sentence requested ahead and delayed by the server is requested again", async () => {
  engine = start({ ttsTimeoutMs: 250 });
  const session = open();
  await speech(session, "Good afternoon.");
  server.script.createdDelayMs = 400;
  session.tts.prefetch?.(TEXT);
  await eventually(() => server.of("response.create").length === 2, "it is asked for");
  await Bun.sleep(300);
  server.script.createdDelayMs = 0;
  expect(msOf(await speech(session, TEXT))).toBeCloseTo(TEXT.length * 60, -2);
  expect(server.of("response.create")).toHaveLength(3);
});

test("the manner of speech is sent with each text, in the current language", async () => {
  engine = start({ ttsInstructions: "Calmly, as a native speaker of {language}." });
  const session = open({ language: "lv" });
  await speech(session, "Labdien.");
  session.switchLanguage?.("ru");
  await speech(session, "Здравствуйте.");
  const [latvian, russian] = server.of("response.create").map((frame) => JSON.stringify(frame));
  expect(latvian).toContain("Calmly, as a native speaker of Latvian.");
  expect(russian).toContain("Calmly, as a native speaker of Russian.");
});
