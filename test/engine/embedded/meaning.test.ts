/**
 * Semantic similarity in addition to words: the sentence encoder, an agent's learnt topics, and the combined
 * result.
 */
import { expect, test } from "bun:test";
import { type Nearness, TOPICS_MAX } from "../../../src/engine/embedded/meaning/lessons.ts";
import { SemanticSimilarity } from "../../../src/engine/embedded/meaning/semantic-similarity.ts";
import { dot, SentenceEncoder } from "../../../src/engine/embedded/meaning/sentence-encoder.ts";
import { WordPieces } from "../../../src/engine/embedded/meaning/word-pieces.ts";
import { parseKnowledge } from "../../../src/engine/embedded/scripted/knowledge.ts";
import { lessonOf, Topics, textForMeaning } from "../../../src/engine/embedded/scripted/topics.ts";
import { fakeClock } from "../../support/fake-clock.ts";

/** The first numbers of the original program for the sentence below. */
const REFERENCE = [0.0548, 0.0438, 0.0089, -0.046, -0.0319, 0.059, 0.0571, 0.0575, -0.0461, 0.0574];

test("text is split into the likeliest row of word pieces", () => {
  const reserved: [string, number][] = Array.from({ length: 6 }, (_, id) => [`<${id}>`, 0]);
  const pieces = new WordPieces([
    ...reserved,
    ...([
      ["▁park", -3],
      ["▁par", -2],
      ["k", -4],
      ["ing", -2],
      ["▁parking", -6],
    ] as [string, number][]),
  ]);
  expect(pieces.idsOf("parking")).toEqual([6, 9]);
  expect(pieces.idsOf("park king")).toEqual([6, 0, 8, 9]);
  expect(pieces.idsOf("ж par")).toEqual([0, 7]);
});

test("the encoder computes the same as the original program", () => {
  const made = SentenceEncoder.load().encode("can i park my car at your place");
  expect(made.length).toBe(512);
  expect(dot(made, made)).toBeCloseTo(1, 3);
  for (const [at, value] of REFERENCE.entries())
    expect(Math.abs((made[at] ?? 0) - value)).toBeLessThan(0.01);
});

const KNOWLEDGE = `## Is there parking?
Yes, guests leave their cars in the yard for free.

## How do I end my membership?
Write to us one month before the end of the year.

## Do you have a sauna?
Yes, it is open from four in the afternoon.
`;
const entries = parseKnowledge([{ filename: "faq.md", format: "md", content: KNOWLEDGE }]);
const lesson = lessonOf(entries, []);
const topics = new Topics(entries, [], "en");

async function learnt() {
  const clock = fakeClock();
  const meanings = new SemanticSimilarity(clock);
  const done = meanings.learn(lesson);
  expect(meanings.compare(lesson.key, "parking")).toBeNull();
  for (let text = 0; text < 20; text++) await clock.advance(100);
  await done;
  return { meanings };
}

test("a question in other words than the knowledge's is understood by its meaning", async () => {
  const { meanings } = await learnt();
  const find = (said: string) => {
    const nearness = meanings.compare(lesson.key, textForMeaning(said));
    expect(nearness).not.toBeNull();
    return [topics.find(said, 0.95, null).zone, topics.find(said, 0.95, nearness)] as const;
  };
  const title = "How do I end my membership?";
  const [byWords, byMeaning] = find("How do I drop my subscription?");
  expect(byWords).toBe("unknown");
  expect(byMeaning).toMatchObject({ topic: { title } });
  expect(find("Is there a place for my vehicle?")[1]).toMatchObject({
    topic: { title: "Is there parking?" },
  });
  expect(find("Is there parking?")[1]).toMatchObject({ zone: "sure" });
  expect(find("Who painted the Mona Lisa?")[1]).toEqual({ zone: "unknown" });
});

test("nothing is learnt while the thread is busy", async () => {
  const clock = fakeClock();
  let isBusy = true;
  const meanings = new SemanticSimilarity(clock, () => isBusy);
  const done = meanings.learn(lesson);
  await clock.advance(1_000);
  isBusy = false;
  expect(meanings.compare(lesson.key, "parking")).toBeNull();
  for (let text = 0; text < 20; text++) await clock.advance(100);
  await done;
  expect(meanings.compare(lesson.key, "parking")).not.toBeNull();
});

test("an unlearnt agent, or one with too many topics, has no result", async () => {
  const { meanings } = await learnt();
  expect(meanings.compare("another", "parking")).toBeNull();
  const topic = { asked: [], answer: "" };
  const huge = { key: "huge", topics: new Array(TOPICS_MAX + 1).fill(topic) };
  await meanings.learn(huge);
  expect(meanings.compare("huge", "parking")).toBeNull();
});

test("two equally likely topics are both offered, a much likelier one alone", () => {
  const near = (...asked: number[]): Nearness => ({ asked, answered: asked });
  const said = "something in no words of theirs";
  expect(topics.find(said, 0.95, near(0.75, 0.75, 0.1))).toMatchObject({
    zone: "unsure",
    topic: { title: "Is there parking?" },
    other: { title: "How do I end my membership?" },
  });
  expect(topics.find(said, 0.95, near(0.2, 0.2, 0.2))).toEqual({ zone: "unknown" });
});
