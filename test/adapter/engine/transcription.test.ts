/** Transcription over a real WebSocket, while the caller speaks: about 1 s. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { ProviderFailure } from "../../../src/adapter/engine/provider-failure.ts";
import type { Engine } from "../../../src/domain/conversation/engine-port.ts";
import { hum, openAiEngine, sessionSettings } from "../../support/engine-session.ts";
import { eventually } from "../../support/eventually.ts";
import { type RealtimeServer, realtimeServer } from "../../support/realtime-server.ts";

let server: RealtimeServer;
let engine: Engine;
beforeEach(() => {
  server = realtimeServer("127.0.46.1");
  engine = start();
});
afterEach(async () => {
  await engine.close();
  await server.close();
});

const start = () =>
  openAiEngine("http://127.0.46.1:9/v1", {
    sttMode: "realtime",
    realtimeUrl: server.url,
    sttTimeoutMs: 400,
    connectTimeoutMs: 400,
  });

test.each(["ga", "beta"] as const)(
  "words come while the caller speaks, the text at the end (%s)",
  async (dialect) => {
    server.script.dialect = dialect;
    server.script.partials = ["What ", "are ", "your "];
    server.script.recognises.push("What are your opening hours?");
    const session = engine.open(sessionSettings({ language: "lt" }));
    await eventually(() => server.received.length > 0, "the session stands");
    const partials: string[] = [];
    session.stt.onPartial((text) => partials.push(text));
    session.stt.startUtterance(new Int16Array(800));
    for (let frame = 0; frame < 60; frame++) {
      session.stt.push(new Int16Array(160).fill(3_000));
      if (frame % 10 === 0) await Bun.sleep(5);
    }
    await eventually(() => partials.length === 3, "the words come");
    expect(partials).toEqual(["What", "What are", "What are your"]);
    expect(await session.stt.finalize()).toMatchObject({ text: "What are your opening hours?" });
    const type = dialect === "ga" ? "session.update" : "transcription_session.update";
    const [update] = server.of(type);
    expect(JSON.stringify(update)).toContain('"language":"lt"');
    expect(server.of("response.create")).toEqual([]);
  },
);

test("two utterances in a row each get their own text, also when the second begins early", async () => {
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

test("a lost socket fails what was waited for and is opened again for the next utterance", async () => {
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

test("a server that refuses fails the utterance, not the call", async () => {
  server.script.refuse = 503;
  const session = engine.open(sessionSettings());
  hum(session, 300);
  const failure = await session.stt.finalize().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ProviderFailure);
});
