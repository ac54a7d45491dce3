/**
 * Speech to text, language model and text to speech of different providers, over RTP: each part may be the
 * embedded one, and each falls back separately. About 25 s.
 */
import { afterAll, beforeEach, expect, test } from "bun:test";
import type { Part } from "../../src/engine/provider.ts";
import { DEFAULT_GUARD, type EngineSettings } from "../../src/engine/settings.ts";
import { openAiChoice } from "../support/engine/engine-session.ts";
import { type OpenAiServer, openAiServer } from "../support/engine/openai-server.ts";
import { openStudio, type Studio, startCall } from "../support/media/live-conversation.ts";
import { AGENT } from "../support/media/scripted-call.ts";
import { heardAudio } from "../support/speech/heard-audio.ts";
import { spoken } from "../support/speech/spoken.ts";

const QUESTION = "What are your opening hours?";
const ANSWER = "From nine to five, my friend.";
const KNOWLEDGE = [
  { filename: "k.md", format: "md" as const, content: `## ${QUESTION}\nFrom nine to five.\n` },
];
const EMBEDDED = { id: "embedded", settings: {} };

const servers = { openai: openAiServer("127.0.43.51"), standby: openAiServer("127.0.43.52") };
const timeouts = { sttTimeoutMs: 1_000, llmTimeoutMs: 1_000, ttsTimeoutMs: 1_000 };
const [openai, standby] = [
  openAiChoice(servers.openai.url, timeouts),
  openAiChoice(servers.standby.url, { ...timeouts, name: "standby" }),
];
const all: readonly OpenAiServer[] = Object.values(servers);
afterAll(() => {
  for (const server of all) server.close();
});
beforeEach(() => {
  for (const server of all) {
    server.fail(null);
    server.requests.length = 0;
    server.script.recognises = Array.from({ length: 9 }, () => QUESTION);
    server.script.answer = () => ({ text: ANSWER });
  }
});

async function withStudio(
  providers: EngineSettings["providers"],
  firstPort: number,
  work: (studio: Studio) => Promise<void>,
): Promise<void> {
  const studio = await openStudio(
    { first: firstPort, last: firstPort + 19 },
    { idlePromptMs: 30_000 },
    {
      label: "mixed",
      providers,
      takesMessages: true,
      speechRatePercent: 100,
      guard: { ...DEFAULT_GUARD, breaker_open_sec: 60 },
    },
  );
  try {
    await work(studio);
  } finally {
    await studio.close();
  }
}

/** Asks once; returns the answer, its audio, and the requests of each part. */
async function askOnce(studio: Studio) {
  for (const server of all) server.requests.length = 0;
  const agent = { ...AGENT, firstMessage: "Hello." };
  const call = await startCall(studio, { agent, knowledge: KNOWLEDGE });
  await call.agentDone(0);
  const greeted = call.peer.media.received().length;
  await call.say(QUESTION);
  // A filler may come first, while the recogniser is loaded.
  const said = () =>
    call.turns.map(({ speaker, text }) => (speaker === "agent" ? text : "")).join(" ");
  await call.waitFor(() => said().includes("nine to five"));
  const { toneMs, voiceMs } = heardAudio(call.peer.media.received().subarray(greeted));
  const asked = Object.entries(servers).flatMap(([name, server]) =>
    [...new Set(server.requests.map(({ service }) => `${name} ${service}`))].sort(),
  );
  await call.hangUp();
  return {
    text: said().slice(said().indexOf("From")),
    sounds: toneMs > voiceMs ? "tone" : "voice",
    asked,
  };
}

const PORTS: Readonly<Record<Part, number>> = { stt: 32_000, llm: 32_020, tts: 32_040 };
test.each(["stt", "llm", "tts"] as const)(
  "%s of the embedded engine, the others of a provider",
  async (part) => {
    const providers = { stt: [openai], llm: [openai], tts: [openai], [part]: [EMBEDDED] };
    await withStudio(providers, PORTS[part], async (studio) => {
      const { text, sounds, asked } = await askOnce(studio);
      expect(text).toContain("nine to five");
      expect(text === ANSWER).toBe(part !== "llm");
      expect(sounds).toBe(part === "tts" ? "voice" : "tone");
      const others = (["llm", "stt", "tts"] as const).filter((each) => each !== part);
      expect(asked).toEqual(others.map((each) => `openai ${each}`));
    });
  },
  spoken(60_000),
);

test(
  "with three providers, a failure of one part affects neither the others nor their circuit breakers",
  async () => {
    const providers = { stt: [standby, openai], llm: [openai, EMBEDDED], tts: [standby] };
    await withStudio(providers, 32_060, async (studio) => {
      expect(await askOnce(studio)).toEqual({
        text: ANSWER,
        sounds: "tone",
        asked: ["openai llm", "standby stt", "standby tts"],
      });
      // The key of one part is no longer valid: for that part only, at that provider.
      servers.standby.script.always.stt = { type: "status", status: 401 };
      servers.openai.script.always.llm = { type: "status", status: 401 };
      const lost = await askOnce(studio);
      expect(lost.text).toContain("From nine to five");
      expect(lost.asked).toContain("openai stt");
      expect(lost.sounds).toBe("tone");
      // Their circuit breakers are open now; the others' are not.
      const next = await askOnce(studio);
      expect(next.text).toContain("From nine to five");
      expect(next.text).not.toBe(ANSWER);
      expect(next.asked).toEqual(["openai stt", "standby tts"]);
      expect(next.sounds).toBe("tone");
    });
  },
  spoken(90_000),
);
