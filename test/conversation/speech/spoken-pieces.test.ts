/** How the agent's sentences are queued, how long each may take, and which words count as heard. */
import { expect, test } from "bun:test";
import { AgentSpeech } from "../../../src/conversation/speech/agent-speech.ts";
import { EchoGuard } from "../../../src/conversation/speech/echo.ts";
import { CachedPhrases, PhraseCache } from "../../../src/conversation/speech/phrase-cache.ts";
import { sleep } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { ScriptedAudio } from "../../support/media/scripted-call.ts";

const settled = () => Bun.sleep(0);

/**
 * What the voice does with each sentence, in order. Number: milliseconds of audio; null: failure; "never": no end.
 */
function world(voice: (number | null | "never")[] = []) {
  const clock = fakeClock();
  const audio = new ScriptedAudio();
  const parts: number[] = [];
  const play = audio.play.bind(audio);
  audio.play = (pcm) => {
    parts.push(pcm.length / 8);
    return play(pcm);
  };
  const failures: string[] = [];
  const asked: string[] = [];
  const cache = new PhraseCache();
  let firstAudio = 0;
  const tts = {
    async *speak(text: string) {
      asked.push(text);
      const next = voice.shift();
      if (next === null) throw new Error("no voice");
      if (next === "never") await new Promise(() => {});
      else if (next) yield new Int16Array(next * 8).fill(1_000);
    },
  };
  const speech = new AgentSpeech({
    audio,
    tts,
    clock,
    log: silentLog,
    echo: new EchoGuard(8_000),
    phrases: new CachedPhrases(
      cache,
      tts,
      () => "v",
      () => {},
    ),
    onFailure: ({ message }) => failures.push(message),
    onFirstAudio: () => firstAudio++,
    onSynthesisedInVain: () => {},
    onSynthesised: () => {},
  });
  const keep = (text: string, ms: number) => cache.put("v", text, new Int16Array(ms * 8).fill(500));
  /** Plays `ms` of audio. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) {
      await clock.advance(20);
      audio.tick(new Int16Array(160));
    }
  };
  return { clock, audio, parts, failures, asked, speech, keep, pass, firsts: () => firstAudio };
}

test("a failed sentence is synthesised once more; a second failure in a row means that the voice is broken", async () => {
  const once = world([null, 500]);
  once.speech.say("Hello.", "llm");
  await settled();
  expect([once.asked, once.failures, once.audio.queuedMs]).toEqual([["Hello.", "Hello."], [], 500]);
  const twice = world([null, null]);
  twice.speech.say("Hello.", "llm");
  await settled();
  expect(twice.failures).toEqual(["synthesis failed"]);
  const apart = world([null, 500, null, 500]);
  apart.speech.say("One.", "llm");
  await settled();
  apart.speech.say("Two.", "llm");
  await settled();
  expect(apart.failures).toEqual([]);
});

test("17 seconds without audio count as a failure", async () => {
  const { clock, asked, speech } = world(["never", 500]);
  speech.say("Hello.", "llm");
  await settled();
  await clock.advance(16_999);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  await settled();
  expect(asked).toHaveLength(2);
});

test("a long phrase is queued in parts of five seconds, and none while more than twenty seconds are queued", async () => {
  const { parts, speech, keep, pass, audio } = world();
  keep("Long.", 32_000);
  speech.say("Long.", "phrase");
  await settled();
  expect(parts).toEqual([5_000, 5_000, 5_000, 5_000, 5_000]);
  await pass(4_980);
  await settled();
  expect(parts).toHaveLength(5);
  await pass(20);
  await settled();
  await pass(100);
  await settled();
  expect(parts).toEqual([5_000, 5_000, 5_000, 5_000, 5_000, 5_000]);
  expect(audio.queuedMs).toBeGreaterThan(24_800);
});

test.each([
  [4_999, [4_999]],
  [5_000, [5_000]],
  [5_001, [5_000, 1]],
  [10_000, [5_000, 5_000]],
])("a phrase of %d ms is queued whole, without an empty part", async (ms, expected) => {
  const { parts, speech, keep } = world();
  keep("Phrase.", ms);
  speech.say("Phrase.", "phrase");
  await settled();
  expect(parts).toEqual(expected);
});

test("a turn has at most five hundred sentences", async () => {
  const { speech, asked } = world();
  for (let n = 0; n < 502; n++) speech.say(`${n}.`, "llm");
  speech.say("  ", "llm");
  await settled();
  expect(asked).toHaveLength(500);
});

test("a cached phrase is inserted whole and at once if nothing is queued", async () => {
  const { speech, keep, audio, pass } = world(["never"]);
  expect(speech.interject("One moment.")).toBe(false);
  keep("One moment.", 1_000);
  speech.say("An answer.", "llm");
  expect(speech.interject("One moment.")).toBe(true);
  expect(audio.queuedMs).toBe(1_000);
  expect(speech.interject("One moment.")).toBe(false);
  await pass(1_000);
  expect(speech.stop(0)).toMatchObject({
    playedText: "One moment.",
    unplayed: ["An answer."],
    cut: true,
    playedMs: 0,
  });
});

test("after a lost voice returns, its sentence is spoken again, but not the phrase inserted before it", async () => {
  const { speech, keep, pass, asked, audio, clock } = world(["never", 500]);
  keep("One moment.", 1_000);
  speech.say("An answer.", "llm");
  speech.interject("One moment.");
  await pass(1_000);
  speech.retry();
  await clock.advance(17_000); // the lost voice times out
  await settled();
  expect([asked, audio.queuedMs]).toEqual([["An answer.", "An answer."], 500]);
  await pass(500);
  expect(speech.finish().playedText).toBe("One moment. An answer.");
});

test("the heard part of a sentence with stopped synthesis is estimated at 65 ms per letter", async () => {
  const text = `${"abcd ".repeat(40)}`.trim(); // 199 letters: 12,935 ms
  const { speech, pass, audio, clock, firsts } = world();
  const slow = {
    async *speak() {
      yield new Int16Array(2_000 * 8).fill(1_000);
      await sleep(clock, 60_000);
    },
  };
  Object.assign((speech as unknown as { options: { tts: object } }).options, { tts: slow });
  speech.say(text, "llm");
  await settled();
  expect([audio.queuedMs, firsts()]).toEqual([2_000, 1]);
  expect(speech.audible).toBe(false);
  await pass(1_300);
  expect([speech.audible, speech.starving, speech.remainingMs]).toEqual([true, false, null]);
  const spoken = speech.stop(0);
  // One tenth was heard: 19 letters, three whole words.
  expect(spoken.playedText).toBe("abcd abcd abcd abcd".slice(0, 19));
  expect(spoken).toMatchObject({ unplayed: [text], cut: true, playedMs: 201 });
});

test("a disclosure is protected until it was heard completely", async () => {
  const { speech, pass } = world([1_000]);
  expect([speech.disclosureShare, speech.protectedNow]).toEqual([null, false]);
  speech.say("I am an AI.", "disclosure");
  expect([speech.disclosureShare, speech.protectedNow]).toEqual([0, true]);
  await settled();
  await pass(500);
  expect([speech.disclosureShare, speech.protectedNow]).toEqual([0.5, true]);
  await pass(500);
  expect([speech.disclosureShare, speech.protectedNow]).toEqual([1, false]);
  expect(speech.finish()).toMatchObject({ playedText: "I am an AI.", playedLlmText: null });
  expect([speech.hasWords, speech.hasSpoken]).toEqual([false, false]);
});

test("only the current sentence is finished before a transfer", async () => {
  const { speech, pass } = world([1_000, 1_000]);
  speech.say("One.", "llm");
  speech.say("Two.", "llm");
  await settled();
  await pass(500);
  speech.keepToSentence();
  expect(speech.lastSentenceSaid).toBe(false);
  await pass(480);
  expect(speech.lastSentenceSaid).toBe(false);
  await pass(20);
  expect(speech.lastSentenceSaid).toBe(true);
  await pass(1_000);
  speech.keepToSentence();
  expect(speech.lastSentenceSaid).toBe(true);
});

test("an interrupted turn is split at the played audio, whatever was played before it", async () => {
  const { speech, pass } = world([1_000, 1_000, 500, 1_000, 1_000]);
  speech.say("Before.", "llm");
  await settled();
  await pass(1_000);
  expect([speech.busy, speech.hasSpoken]).toEqual([false, true]);
  expect(speech.finish()).toEqual({
    playedText: "Before.",
    playedLlmText: "Before.",
    unplayed: [],
    cut: false,
    playedMs: 1_000,
  });
  speech.say("Good morning.", "greeting");
  speech.say("A moment please.", "phrase");
  speech.say("We are open.", "llm");
  expect(speech.busy).toBe(true);
  await settled();
  expect([speech.busy, speech.remainingMs, speech.hasWords]).toEqual([true, 2_500, true]);
  await pass(1_000 + 500 + 500);
  expect(speech.stop(150)).toEqual({
    playedText: "Good morning. A moment please. We are",
    playedLlmText: "Good morning. We are",
    unplayed: ["We are open."],
    cut: true,
    playedMs: 1_500,
  });
  expect([speech.busy, speech.starving]).toEqual([false, true]);
});

test("a completely played turn is not split", async () => {
  const { speech, pass } = world([1_000, 0]);
  speech.say("All of it.", "llm");
  speech.say("Nothing.", "phrase");
  await settled();
  await pass(1_000);
  expect(speech.stop(0)).toEqual({
    playedText: "All of it. Nothing.",
    playedLlmText: "All of it.",
    unplayed: [],
    cut: false,
    playedMs: 1_000,
  });
});

test("an inserted phrase comes before the unheard words", async () => {
  const { speech, keep, pass } = world([0, "never"]);
  keep("One moment.", 500);
  speech.say("Silent.", "llm");
  await settled();
  speech.say("Later.", "llm");
  await settled();
  expect(speech.interject("One moment.")).toBe(true);
  await pass(250);
  expect(speech.stop(0)).toMatchObject({ playedText: "Silent. One", unplayed: ["Later."] });
});
