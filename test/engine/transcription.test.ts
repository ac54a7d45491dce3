/** Transcription over a real WebSocket, while the caller speaks: about 1 s. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Engine, EngineSession } from "../../src/conversation/engine-port.ts";
import { ProviderFailure } from "../../src/engine/provider-failure.ts";
import {
  hum,
  openAiEngine,
  type ServerOptions,
  sessionSettings,
} from "../support/engine/engine-session.ts";
import { type RealtimeServer, realtimeServer } from "../support/engine/realtime-server.ts";
import {
  localAiSocket,
  selfHostedSocket,
  speachesSocket,
} from "../support/engine/self-hosted-sockets.ts";
import { eventually } from "../support/eventually.ts";

let server: RealtimeServer;
let engine: Engine;
beforeEach(() => {
  server = realtimeServer("127.0.46.1");
  engine = start();
});
afterEach(async () => {
  await engine.close();
  await server.close();
  expect(server.violations).toEqual([]);
});

const start = (more: ServerOptions = {}) =>
  openAiEngine("http://127.0.46.1:9/v1", {
    sttMode: "realtime",
    realtimeUrl: server.url,
    // No test depends on these limits, and the server shares the tests' thread.
    sttTimeoutMs: 10_000,
    connectTimeoutMs: 10_000,
    ...more,
  });

async function heardBy(session: EngineSession): Promise<string> {
  hum(session, 400);
  return (await session.stt.finalize()).text;
}

/** Partial results while the caller speaks for 1.2 s, after `count` of them. */
async function partialsWhileSpeaking(
  stt: EngineSession["stt"],
  count: number,
): Promise<readonly string[]> {
  await eventually(() => server.received.length > 0, "the session stands");
  const partials: string[] = [];
  stt.onPartial((text) => partials.push(text));
  stt.startUtterance(new Int16Array(800));
  for (let frame = 0; frame < 60; frame++) {
    stt.push(new Int16Array(160).fill(3_000));
    if (frame % 10 === 0) await Bun.sleep(5);
  }
  await eventually(() => partials.length === count, "the words come");
  return partials;
}

test.each(["ga", "beta"] as const)(
  "words arrive while the caller speaks, the text at the end (%s)",
  async (dialect) => {
    server.script.dialect = dialect;
    server.script.partials = ["What ", "are ", "your "];
    server.script.recognises.push("What are your opening hours?");
    const session = engine.open(sessionSettings({ language: "lt" }));
    const partials = await partialsWhileSpeaking(session.stt, 3);
    expect(partials).toEqual(["What", "What are", "What are your"]);
    expect(await session.stt.finalize()).toMatchObject({ text: "What are your opening hours?" });
    const type = dialect === "ga" ? "session.update" : "transcription_session.update";
    const [update] = server.of(type);
    expect(JSON.stringify(update)).toContain('"language":"lt"');
    expect(server.of("response.create")).toEqual([]);
  },
);

test("endless words are limited in memory", async () => {
  server.script.partials = ["a".repeat(4_000), "b".repeat(4_000), "c"];
  server.script.recognises.push("Hello.");
  const session = engine.open(sessionSettings());
  const partials = await partialsWhileSpeaking(session.stt, 2);
  expect(partials.map(({ length }) => length)).toEqual([4_000, 4_001]);
  expect(await session.stt.finalize()).toMatchObject({ text: "Hello." });
});

test("a session is renewed before it expires, between two utterances, in the call's language", async () => {
  server.script.expiresInSec = 2;
  server.script.recognises.push("Labas.");
  const session = engine.open(sessionSettings());
  hum(session, 400);
  await eventually(() => server.headers.length === 1, "a session is opened");
  server.script.expiresInSec = 3_600;
  await eventually(() => server.headers.length === 2, "another one is opened");
  session.switchLanguage?.("lt");
  await eventually(() => server.queries().length === 2, "both stand");
  expect((await session.stt.finalize()).text).toBe("Labas.");
  await eventually(() => server.queries().length === 1, "the old one is closed");
  const [{ audio } = {}] = server.sessions() as { audio?: { input?: object } }[];
  expect(JSON.stringify(audio?.input)).toContain('"language":"lt"');
  server.script.recognises.push("Second words.");
  expect(await heardBy(session)).toBe("Second words.");
  expect(server.headers).toHaveLength(2);
});

test("two utterances in a row each get their own text, also if the second starts early", async () => {
  server.script.transcriptionDelayMs = 100;
  server.script.recognises.push("First words.", "Second words.");
  const session = engine.open(sessionSettings());
  hum(session, 400);
  const first = session.stt.finalize();
  hum(session, 400);
  const second = session.stt.finalize();
  expect((await first).text).toBe("First words.");
  expect((await second).text).toBe("Second words.");
});

test("a lost socket fails the pending utterance and is opened again for the next one", async () => {
  server.script.transcriptionDelayMs = 300;
  const session = engine.open(sessionSettings());
  hum(session, 400);
  const lost = session.stt.finalize().catch((error: unknown) => error);
  await eventually(() => server.of("input_audio_buffer.commit").length === 1, "it is committed");
  server.drop();
  expect(await lost).toBeInstanceOf(ProviderFailure);
  server.script.transcriptionDelayMs = 0;
  server.script.recognises = ["Hello again."];
  hum(session, 400);
  expect((await session.stt.finalize()).text).toBe("Hello again.");
});

test("a server's rejection fails the utterance, not the call", async () => {
  server.script.refuse = 503;
  const session = engine.open(sessionSettings());
  hum(session, 300);
  const failure = await session.stt.finalize().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ProviderFailure);
});

test("a streaming model gets languages and names, and has partial results", async () => {
  engine = start({ realtimeModel: "gpt-live-transcribe" });
  const content = "Ask for Ona Petraitiene.\n- Teeth whitening: 90 EUR";
  const session = engine.open(
    sessionSettings({
      language: "lt",
      knowledge: [{ filename: "staff.md", format: "md", content }],
    }),
  );
  expect(session.stt.capabilities.partials).toBe(true);
  server.script.recognises.push("Laba diena.");
  expect(await heardBy(session)).toBe("Laba diena.");
  expect(server.sessions()[0]).toMatchObject({
    type: "transcription",
    audio: {
      input: {
        transcription: {
          model: "gpt-live-transcribe",
          languages: ["lt"],
          keywords: ["Ona Petraitiene", "Teeth whitening"],
        },
        turn_detection: null,
      },
    },
  });
});

test("models that write only at the end have no partial results", () => {
  for (const realtimeModel of ["gpt-transcribe", "gpt-4o-transcribe", "whisper-1"]) {
    engine = start({ realtimeModel });
    expect(engine.open(sessionSettings()).stt.capabilities.partials).toBe(false);
  }
});

test("a rejected language is left out: the model detects it", async () => {
  engine = start({ realtimeModel: "gpt-live-transcribe" });
  const message = "Unsupported language code: lv";
  server.script.refuseUpdate = (session) =>
    JSON.stringify(session).includes('"lv"') ? { code: "invalid_value", message } : null;
  server.script.recognises.push("Labdien.", "Hello.");
  const session = engine.open(sessionSettings({ language: "lv" }));
  expect(await heardBy(session)).toBe("Labdien.");
  session.switchLanguage?.("en");
  expect(await heardBy(session)).toBe("Hello.");
  expect(JSON.stringify(server.sessions()[0])).toContain('"languages":["en"]');
});

test("a permanently rejected session fails the utterance with the server's message", async () => {
  server.script.refuseUpdate = () => ({
    code: "model_not_found",
    message: "No model 'stt-model'.",
  });
  const failure = await heardBy(engine.open(sessionSettings())).catch((error: unknown) => error);
  expect(failure).toMatchObject({ part: "stt", reason: "not_found", lasting: true });
});

test("an error about an unknown event does not affect the utterance", async () => {
  server.script.transcriptionDelayMs = 80;
  server.script.recognises.push("Hello.");
  const session = engine.open(sessionSettings());
  hum(session, 400);
  const heard = session.stt.finalize();
  await eventually(() => server.of("input_audio_buffer.commit").length === 1, "it is committed");
  const error = { type: "invalid_request_error", code: "unknown", message: "?", event_id: null };
  server.tell({ type: "error", error });
  server.tell({ type: "error", error: { ...error, event_id: "event_of_somebody_else" } });
  expect((await heard).text).toBe("Hello.");
});

test("an utterance too short for the server returns empty text, not a failure", async () => {
  const session = engine.open(sessionSettings());
  await eventually(() => server.received.length > 0, "the session stands");
  session.stt.startUtterance(new Int16Array(0));
  session.stt.push(new Int16Array(160));
  expect((await session.stt.finalize()).text).toBe("");
});

test.each([
  ["speaches", speachesSocket],
  ["LocalAI", localAiSocket],
] as const)("a caller is understood over the socket of %s", async (_, behaviour) => {
  const socket = selfHostedSocket(behaviour, "127.0.46.2");
  try {
    engine = start({ realtimeUrl: socket.url, realtimeModel: "whisper-small" });
    socket.recognises.push("When are you open?", "And on Sunday?");
    const session = engine.open(sessionSettings({ language: "lt" }));
    expect(await heardBy(session)).toBe("When are you open?");
    socket.complain("Something about something else.");
    expect(await heardBy(session)).toBe("And on Sunday?");
    expect(socket.queries).toHaveLength(1);
    expect(socket.queries[0]?.get("model")).toBe("whisper-small");
    expect(JSON.stringify(socket.received[0])).toContain('"language":"lt"');
  } finally {
    await socket.close();
  }
});
