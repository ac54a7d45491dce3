/** Male voices use masculine forms for themselves, female ones feminine forms. */
import { expect, test } from "bun:test";
import { closingPhrase } from "../../../src/call/live/closing-phrase.ts";
import { buildSystemPrompt } from "../../../src/conversation/prompt/prompt.ts";
import { phrasesFor } from "../../../src/conversation/speech/phrases.ts";
import { PHRASES } from "../../../src/engine/embedded/scripted/phrases.ts";
import { MESSAGE_PHRASES } from "../../../src/engine/fallback/message-phrases.ts";
import { AGENT_LANGUAGES, AGENT_VOICES } from "../../../src/features/agent/agent.ts";
import { callConfig, scriptedCall } from "../../support/media/scripted-call.ts";

/** First-person participles and past tenses with a marked gender. */
const MARKED: Readonly<Record<string, RegExp>> = {
  en: /(?!)/,
  lt: /\p{L}(?:usi|ęs|iusi)(?!\p{L})/u,
  lv: /(?:esmu|neesmu|būšu|biju) (?:\p{L}+ )?\p{L}+(?:usi|is|ies|usies)(?!\p{L})/u,
  ru: /(?<!\p{L})я(?!\p{L})[^.!?]*\p{L}(?:ла|лась|л|лся)(?!\p{L})|вынужден|(?<!\p{L})рада?(?!\p{L})/iu,
};

const textsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

test.each(AGENT_LANGUAGES)(
  "%s: phrases shared by all voices show no gender of the speaker",
  (language) => {
    const texts = [
      ...textsIn(phrasesFor(language)),
      ...textsIn(PHRASES[language]),
      ...textsIn(MESSAGE_PHRASES[language]),
      closingPhrase(language),
    ];
    expect(texts.length).toBeGreaterThan(40);
    for (const text of texts) expect(text).not.toMatch(MARKED[language] ?? /(?!)/);
  },
);

test("the patterns find marked forms", () => {
  for (const [language, text] of [
    ["lt", "Aš dar nieko nesu sakiusi."],
    ["lv", "Es vēl neko neesmu teikusi."],
    ["ru", "Извините, я вас не слышала."],
    ["ru", "Я понял."],
  ] as const)
    expect(text).toMatch(MARKED[language] ?? /(?!)/);
});

test("the prompt tells the model which gender its voice has", () => {
  const genders = AGENT_VOICES.map((voice) => {
    const prompt = buildSystemPrompt(callConfig({ voice, language: "ru" }), {});
    return /speak of yourself in the (\w+)\./.exec(prompt)?.[1];
  });
  expect(genders).toEqual(["feminine", "feminine", "masculine", "masculine"]);
});

test.each([
  ["lt", "Sari", "asistentė"],
  ["lt", "Nathan", "asistentas"],
  ["lv", "Emma", "asistente"],
  ["lv", "Adrian", "asistents"],
] as const)("%s: %s announces a transfer with %s", async (language, voice, word) => {
  const config = callConfig({ language, voice, firstMessage: "Labas." });
  const call = await scriptedCall({ config, secondAudio: true });
  await call.answerAndGreet();
  call.session.transferBegin();
  await call.silence(2_000);
  call.session.bridgeOpen();
  await call.silence(200);
  call.session.bridgeJoin("Ona.");
  await call.silence(200);
  expect(call.spoken.at(-1)).toContain(` ${word}. `);
});
