/**
 * Calls over RTP whose language model uses `/responses`: text, a reasoning model with tools, refusals, incomplete
 * answers, and errors, each as an audible call. About 30 s.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { MESSAGE_PHRASES } from "../../src/engine/fallback/message-phrases.ts";
import { UNFINISHED } from "../../src/engine/openai/unfinished.ts";
import { openAiSettings, sameForAllParts } from "../support/engine/engine-session.ts";
import {
  type LanguageModelServer,
  languageModelServer,
  type ModelAnswer,
} from "../support/engine/language-model-server.ts";
import { schemaProblems } from "../support/engine/openai-schema.ts";
import { openAiServer, toneSpeech } from "../support/engine/openai-server.ts";
import { openStudio, type Studio, startCall } from "../support/media/live-conversation.ts";
import { AGENT } from "../support/media/scripted-call.ts";
import { heardAudio } from "../support/speech/heard-audio.ts";

const QUESTION = "When are you open tomorrow?";
const OUTCOME_MS_MAX = 15_000;
const SILENT_MS_MAX = 4_500;
const MODEL = "gpt-6-astra";
/** The servers share a thread with nine telephones; no answer here tests a time-out. */
const PATIENT = {
  connectTimeoutMs: 10_000,
  sttTimeoutMs: 10_000,
  llmTimeoutMs: 10_000,
  ttsTimeoutMs: 10_000,
};

const speech = openAiServer("127.0.43.51");
let models: LanguageModelServer;
let studio: Studio;
let question: Int16Array;

interface Case {
  readonly name: string;
  readonly answer: ModelAnswer;
  readonly hears: string;
}

const { brokeOff, noAnswer, withheld } = UNFINISHED.en;
const CASES: readonly Case[] = [
  { name: "a whole answer", answer: { text: "From nine to five." }, hears: "From nine to five." },
  {
    name: "a refusal",
    answer: { refusal: "I cannot help with that one." },
    hears: "I cannot help with that one.",
  },
  {
    name: "an answer cut at its limit",
    answer: { text: "We open at nine. And on Sundays we", end: "length" },
    hears: `We open at nine. ${brokeOff}`,
  },
  { name: "thoughts alone", answer: { end: "length" }, hears: noAnswer },
  {
    name: "a filtered answer",
    answer: { text: "We open at nine. Then take", end: "content_filter" },
    hears: `We open at nine. ${withheld}`,
  },
  {
    name: "a filtered question",
    answer: { error: { code: "content_policy_violation", message: "Filtered." } },
    hears: withheld,
  },
  {
    name: "a failed response",
    answer: { error: { code: "server_error", message: "Sorry." } },
    hears: MESSAGE_PHRASES.en.apology,
  },
  {
    name: "a rate limit within the stream",
    answer: { error: { code: "rate_limit_exceeded", message: "Slower." } },
    hears: MESSAGE_PHRASES.en.apology,
  },
  {
    name: "a connection that breaks",
    answer: { text: "We open at nine. And on", cut: true },
    hears: "We open at nine.",
  },
];

const numberOf = (id: number) => `+370621${String(id).padStart(5, "0")}`;

beforeAll(async () => {
  models = languageModelServer("127.0.43.52");
  models.script.models[MODEL] = { efforts: ["low", "high"], chatTools: "none_only" };
  models.script.answer = ({ turns, api }) => {
    const id = Number(/\+370621(\d{5})/.exec(turns[0]?.text ?? "")?.[1] ?? -1);
    return api === "responses" ? (CASES[id]?.answer ?? {}) : {};
  };
  speech.script.speech = (text) => toneSpeech(text).filter((_, index) => index < text.length * 240);
  const settings = {
    ...openAiSettings(speech.url, { llmModel: MODEL, llmReasoningEffort: "none", ...PATIENT }),
    llm_base_url: models.url,
  };
  studio = await openStudio(
    { first: 32_000, last: 32_199 },
    { idlePromptMs: 30_000 },
    {
      label: "openai",
      providers: sameForAllParts([{ id: "openai", settings }]),
      guard: { retries: 1, breaker_failures: 1_000, breaker_open_sec: 1 },
      takesMessages: true,
      speechRatePercent: 100,
    },
  );
  question = await studio.voices.speak("m3", QUESTION);
}, 60_000);
afterAll(async () => {
  await studio.close();
  speech.close();
  models.close();
});

/** Rings, asks, and listens for the expected words. */
async function problemsOf({ hears, name }: Case, id: number): Promise<string[]> {
  speech.script.recognises.push(QUESTION);
  const agent = { ...AGENT, firstMessage: `Line ${id}.` };
  const call = await startCall(studio, { fromNumber: numberOf(id), agent });
  await call.agentDone(0);
  await call.peer.media.play(question);
  const askedAt = call.peer.media.received().length;
  const audio = () => heardAudio(call.peer.media.received().subarray(askedAt));
  const said = () =>
    call.turns
      .filter(({ speaker }) => speaker === "agent")
      .slice(1)
      .map(({ text }) => text)
      .join(" ");
  const isOver = () => said().includes(hears) && audio().toneMs + audio().voiceMs > 400;
  const deadline = performance.now() + OUTCOME_MS_MAX;
  while (!isOver() && performance.now() < deadline) await Bun.sleep(200);
  const { silentMs, noiseMs } = audio();
  const problems = [
    ...(isOver() ? [] : [`said "${said()}"`]),
    ...(silentMs > SILENT_MS_MAX ? [`${silentMs} ms of silence`] : []),
    ...(noiseMs > 0 ? [`${noiseMs} ms of noise`] : []),
  ];
  await call.hangUp();
  return problems.map((problem) => `${name}: ${problem}`);
}

test("each answer over /responses is audible as words, never as silence", async () => {
  const judged = await Promise.all(
    CASES.map(async (each, id) => {
      await Bun.sleep(id * 400);
      return { id, each, problems: await problemsOf(each, id) };
    }),
  );
  // On a busy machine audio stalls, so a call that failed is repeated alone.
  const again: string[] = [];
  for (const { id, each, problems } of judged)
    if (problems.length > 0) again.push(...(await problemsOf(each, id)));
  expect(again).toEqual([]);
  const asked = models.requests.filter(({ tools }) => tools.length > 0);
  expect(new Set(asked.map(({ api }) => api))).toEqual(new Set(["responses"]));
  expect(models.refusals).toEqual([]);
  for (const { api, body } of models.requests) expect(schemaProblems(api, body)).toEqual([]);
  expect(asked[0]?.body).toMatchObject({ reasoning: { effort: "low" }, store: false });
}, 240_000);
