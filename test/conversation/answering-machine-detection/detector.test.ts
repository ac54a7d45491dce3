/** Answering machine detection, to the frame: every duration at its limit. */
import { expect, test } from "bun:test";
import type { Beep } from "../../../src/conversation/answering-machine-detection/beep-detector.ts";
import {
  ANSWERING,
  AnsweringMachineDetector,
  type AnsweringResult,
  type SpeechSoFar,
} from "../../../src/conversation/answering-machine-detection/detector.ts";
import { sine } from "../../../src/platform/audio/tones.ts";

const NOBODY: SpeechSoFar = { active: false, speechMs: 0, silentMs: 0, partial: "" };
const QUIET = new Int16Array(160);

function detection() {
  const results: AnsweringResult[] = [];
  const beeps: Beep[] = [];
  const judge = new AnsweringMachineDetector(
    8_000,
    (result) => results.push(result),
    (beep) => beeps.push(beep),
  );
  const pass = (ms: number, speech: Partial<SpeechSoFar> = {}) => {
    for (let passed = 0; passed < ms; passed += 20) judge.frame(QUIET, { ...NOBODY, ...speech });
  };
  const hear = (pcm: Int16Array) => {
    for (let at = 0; at < pcm.length; at += 160) judge.frame(pcm.subarray(at, at + 160), NOBODY);
  };
  return { judge, results, beeps, pass, hear };
}

const UNKNOWN: AnsweringResult = { result: "unknown", cause: "silence" };
const PERSON: AnsweringResult = { result: "human", cause: "short_greeting" };

test("without speech the result is unknown after exactly two seconds", () => {
  const { results, pass, judge } = detection();
  pass(1_980);
  expect(results).toEqual([]);
  pass(20);
  expect(results).toEqual([UNKNOWN]);
  expect(judge.elapsedMs).toBe(2_000);
});

test("the two seconds restart after a tone, but not after speech", () => {
  const tone = detection();
  tone.hear(sine(425, 4_500, 8_000, 6_000)); // too long for a beep
  tone.pass(2_000);
  expect(tone.results).toEqual([]);
  tone.pass(60);
  expect(tone.results).toEqual([UNKNOWN]);
  const spoke = detection();
  spoke.pass(500, { active: true, speechMs: 500 });
  spoke.judge.utteranceEnded(1_000);
  spoke.judge.words("yes this is the", true);
  expect(spoke.results).toEqual([PERSON]);
});

test("a greeting of 900 ms needs no words, after a longer one the detection waits 700 ms for them", () => {
  const short = detection();
  short.judge.utteranceEnded(900);
  expect(short.results).toEqual([PERSON]);
  const medium = detection();
  medium.judge.utteranceEnded(901);
  medium.pass(680);
  expect(medium.results).toEqual([]);
  medium.pass(20);
  expect(medium.results).toEqual([PERSON]);
});

test("words decide only during that wait", () => {
  const words = detection();
  words.judge.words("hello", true);
  words.judge.utteranceEnded(1_000);
  words.judge.words("hello", false);
  expect(words.results).toEqual([]);
  words.judge.words("hello", true);
  expect(words.results).toEqual([PERSON]);
});

test("a greeting ends after 4.2 s at a person, and goes on at a machine", () => {
  const { results, pass } = detection();
  pass(20, { active: true, speechMs: 4_200 });
  expect(results).toEqual([]);
  pass(20, { active: true, speechMs: 4_201 });
  expect(results).toEqual([{ result: "machine", cause: "long_greeting" }]);
  const inPieces = detection();
  inPieces.judge.utteranceEnded(0);
  expect(inPieces.results).toEqual([PERSON]);
});

test("a screening service may finish, however long it speaks", () => {
  const { judge, results, pass } = detection();
  judge.words("please state your name", false);
  expect(results).toEqual([]);
  pass(20, { active: true, speechMs: 5_000 });
  expect(results).toEqual([]);
  judge.utteranceEnded(100);
  expect(results).toEqual([{ result: "unknown", cause: "call_screening" }]);
  judge.utteranceEnded(3_000);
  pass(20, { active: true, speechMs: 5_000 });
  expect(results).toHaveLength(1);
});

test("without a decision the result is unknown after ten seconds", () => {
  const { results, pass } = detection();
  pass(9_980, { active: true, speechMs: 4_000 });
  expect(results).toEqual([]);
  pass(20, { active: true, speechMs: 4_000 });
  expect(results).toEqual([UNKNOWN]);
});

test("words and beeps count for thirty seconds", () => {
  for (const isInTime of [true, false]) {
    const { judge, results, pass } = detection();
    pass(isInTime ? 29_980 : 30_000);
    expect(judge.watching).toBe(isInTime);
    judge.words("leave a message after the tone", true);
    expect(results.slice(1)).toEqual(
      isInTime ? [{ result: "machine", cause: "greeting_words" }] : [],
    );
    pass(40);
    expect(judge.elapsedMs).toBe(30_000);
  }
});

test("after a person's greeting a request to record or a beep alone means nothing, but both mean a machine", () => {
  const tone = sine(1_000, 400, 8_000, 6_000);
  const greeted = () => {
    const world = detection();
    world.judge.utteranceEnded(900);
    world.judge.words("hello", true);
    expect(world.results).toEqual([PERSON]);
    return world;
  };
  const asked = greeted();
  asked.judge.words("leave a message after the tone", true);
  asked.pass(5_000);
  expect(asked.results).toHaveLength(1);
  asked.hear(tone);
  asked.pass(400);
  expect(asked.results.at(-1)).toEqual({ result: "machine", cause: "beep" });
  for (const [afterMs, isMachine] of [
    [5_000, true],
    [5_020, false],
  ] as const) {
    const beeped = greeted();
    beeped.hear(tone);
    while (beeped.judge.beep === null) beeped.pass(20);
    expect(beeped.results).toHaveLength(1);
    expect(beeped.beeps).toEqual([]);
    beeped.pass(afterMs);
    beeped.judge.words("leave a message after the tone", true);
    expect([afterMs, beeped.results.length]).toEqual([afterMs, isMachine ? 2 : 1]);
    expect(beeped.beeps).toHaveLength(isMachine ? 1 : 0);
  }
});

test("after a longer greeting without words a beep makes a machine for five seconds", () => {
  const tone = sine(1_000, 400, 8_000, 6_000);
  const waited = (waitMs: number, words = "") => {
    const { judge, results, beeps, pass, hear } = detection();
    judge.utteranceEnded(901);
    pass(ANSWERING.wordsWaitMs);
    expect(results).toEqual([PERSON]);
    if (words !== "") judge.words(words, true);
    pass(waitMs);
    hear(tone);
    while (judge.beep === null) pass(20);
    return { isMachine: results.length === 2, beeps, atMs: judge.elapsedMs };
  };
  const { atMs } = waited(0);
  const latestMs = ANSWERING.guessMs - (atMs - ANSWERING.wordsWaitMs);
  expect(waited(latestMs)).toMatchObject({ isMachine: true, beeps: [{}] });
  expect(waited(latestMs + 20)).toMatchObject({ isMachine: false, beeps: [] });
  expect(waited(0, "yes who is this")).toMatchObject({ isMachine: false, beeps: [] });
});

test("late words of the first utterance still change the result", () => {
  const { judge, results } = detection();
  judge.utteranceEnded(900);
  judge.words("voicemail of tom", true);
  expect(results).toEqual([PERSON, { result: "machine", cause: "greeting_words" }]);
});

test("a beep is always reported, and a machine stays a machine", () => {
  const { judge, results, beeps, pass, hear } = detection();
  judge.words("leave a message after the tone", true);
  hear(sine(1_000, 400, 8_000, 6_000));
  pass(400);
  expect(results).toEqual([{ result: "machine", cause: "greeting_words" }]);
  expect(beeps).toHaveLength(1);
  expect(judge.beep).toEqual(beeps[0] ?? null);
  expect(judge.result).toEqual(results[0] ?? null);
});

test("stable words may decide during the utterance, and harmless ones decide nothing", () => {
  const machine = detection();
  machine.pass(20, { active: true, speechMs: 900, partial: "leave a message after the tone" });
  expect(machine.results).toEqual([{ result: "machine", cause: "greeting_words" }]);
  const harmless = detection();
  harmless.pass(20, { active: true, speechMs: 4_200, partial: "good morning" });
  expect(harmless.results).toEqual([]);
  harmless.pass(20, { active: true, speechMs: 4_201, partial: "good morning" });
  expect(harmless.results).toEqual([{ result: "machine", cause: "long_greeting" }]);
});

test("pieces of a greeting are added up", () => {
  const { judge, results, pass } = detection();
  judge.utteranceEnded(1_000);
  judge.words("good morning", false);
  pass(20, { active: true, speechMs: 3_300 });
  expect(results).toEqual([]);
  judge.utteranceEnded(0);
  expect(results).toEqual([]);
});
