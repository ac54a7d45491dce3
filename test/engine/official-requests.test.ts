/** The adapters' requests, validated with OpenAI's own description: about 2 s. */
import { afterAll, expect, test } from "bun:test";
import { composeEngine } from "../../src/engine/provider.ts";
import { createRealtimeEngine } from "../../src/engine/realtime/engine.ts";
import {
  answerTo,
  hum,
  openAiEngine,
  openAiParts,
  openAiSettings,
  PORTS,
  realtimeSettings,
  sessionSettings,
  speech,
  utterance,
} from "../support/engine/engine-session.ts";
import { type OfficialRequest, schemaProblems } from "../support/engine/openai-schema.ts";
import { openAiServer } from "../support/engine/openai-server.ts";
import { realtimeServer } from "../support/engine/realtime-server.ts";
import { eventually } from "../support/eventually.ts";

const server = openAiServer("127.0.40.31");
const realtime = realtimeServer("127.0.40.32");
afterAll(async () => {
  server.close();
  await realtime.close();
});

const chat = { model: "m", messages: [{ role: "user", content: "Hello." }] };
test.each<[OfficialRequest, object, RegExp]>([
  ["chat", { ...chat, temperature: 3 }, /temperature/],
  ["chat", { ...chat, temprature: 1 }, /temprature: no such field/],
  ["chat", { ...chat, stream_options: { include_use: true } }, /stream_options.include_use/],
  ["chat", { messages: [] }, /model/],
  ["speech", { model: "m", voice: "nova", input: "Hello.", response_format: "g711" }, /format/],
  ["transcription", { model: "m" }, /file/],
  ["realtime", { type: "response.cancle" }, /./],
  ["responses", { model: "m", input: "Hello.", messages: [] }, /messages: no such field/],
])("a wrong request of %s is reported: %j", (request, body, problem) => {
  expect(schemaProblems(request, body).join("\n")).toMatch(problem);
});

test.each(["file", "sse"] as const)(
  "every request over HTTP is allowed by the description (%s)",
  async (sttMode) => {
    server.requests.length = 0;
    server.script.answer = ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "You are booked." }
        : { text: "Let me see.", tools: [{ name: "book_visit", arguments: { day: "Friday" } }] };
    const engine = openAiEngine(server.url, {
      sttMode,
      format: sttMode === "sse" ? "wav" : "pcm",
    });
    const session = engine.open(sessionSettings({ history: [{ by: "agent", text: "Hello." }] }));
    hum(session, 400);
    await session.stt.finalize();
    for (const event of await answerTo(session, utterance("Friday, please.")))
      if (event.type === "tool_call")
        await answerTo(session, { ...event, type: "tool_result", ok: true, output: { at: 10 } });
    await speech(session, "You are booked.");
    await session.llm.summarize({ reason: "caller_hangup", durationSeconds: 9 });
    await engine.close();
    const asked = server.requests.map(({ service }) => service).join(" ");
    expect(asked).toBe("stt llm llm tts llm");
    expect(server.requests.flatMap(({ problems }) => problems)).toEqual([]);
  },
);

test("every event over a Realtime socket is allowed by the description", async () => {
  realtime.script.recognises.push("Book me for Friday.", "Thank you.");
  const settings = realtimeSettings(realtime.url, {
    model: "gpt-realtime-2.1",
    reasoning_effort: "auto",
    turn_detection: "semantic",
    noise_reduction: "near_field",
    transcription_model: "gpt-transcribe",
    transcription_prompt: "Calls to a dental clinic.",
  });
  const engine = createRealtimeEngine({ settings, ...PORTS });
  const content = "Ask for Ona Petraitiene.";
  const session = engine.open(
    sessionSettings({
      history: [{ by: "agent", text: "Hello." }],
      knowledge: [{ filename: "staff.md", format: "md", content }],
    }),
  );
  await speech(session, "Good afternoon.");
  for (const words of ["Book me for Friday.", "Thank you."]) {
    hum(session, 800);
    expect((await session.stt.finalize()).text).toBe(words);
    await answerTo(session, utterance(words));
  }
  session.llm.truncateSpoken("All", 100);
  session.switchLanguage?.("lt");
  await eventually(() => realtime.of("session.update").length === 2, "all of it has come");
  await engine.close();
  for (const event of realtime.received) {
    expect([event, ...schemaProblems("realtime", event)]).toEqual([event]);
  }
  expect(new Set(realtime.received.map(({ type }) => type)).size).toBeGreaterThan(3);
});

test("… and over a socket that only speaks", async () => {
  realtime.received.length = 0;
  const engine = openAiEngine(server.url, {
    speechUrl: realtime.url,
    ttsModel: "gpt-realtime-2.1-mini",
    voices: { Sari: "marin", Emma: "shimmer", Nathan: "cedar", Adrian: "echo" },
  });
  await speech(engine.open(sessionSettings()), "Good afternoon.");
  await engine.close();
  expect(realtime.received.map(({ type }) => type)).toEqual(["session.update", "response.create"]);
  expect(realtime.received.flatMap((event) => schemaProblems("realtime", event))).toEqual([]);
});

test("… and over a transcription socket", async () => {
  realtime.received.length = 0;
  realtime.script.recognises.push("Hello.");
  const settings = { ...openAiSettings(server.url), stt_mode: "realtime" as const };
  const engine = composeEngine(
    "openai",
    openAiParts({ ...settings, stt_realtime_url: realtime.url }),
  );
  const session = engine.open(sessionSettings());
  hum(session, 400);
  expect((await session.stt.finalize()).text).toBe("Hello.");
  await engine.close();
  expect(realtime.received.flatMap((event) => schemaProblems("realtime", event))).toEqual([]);
});
