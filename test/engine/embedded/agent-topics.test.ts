/** Topics of an agent: prepared once, in short turns, with limited questions. */
import { expect, test } from "bun:test";
import { systemClock, yieldToEventLoop } from "../../../src/core/clock.ts";
import {
  boundedQuestion,
  PreparedTopics,
  type TopicAsk,
  type TopicSource,
} from "../../../src/engine/embedded/scripted/agent-topics.ts";
import { markdown } from "../../support/engine/topics-here.ts";

const ask = (texts: readonly string[], more: Partial<TopicAsk> = {}): TopicAsk => ({
  texts,
  confidence: 1,
  nearness: null,
  offers: false,
  lesson: false,
  ...more,
});
const source = (content: string): TopicSource => ({
  language: "en",
  tools: [],
  knowledge: markdown(content),
});
const prepared = (rest = yieldToEventLoop) =>
  new PreparedTopics({ nowMs: () => systemClock.monotonic(), rest });

test("a question finds its entry, and a menu lists the titles", async () => {
  const topics = prepared();
  topics.add(
    "clinic",
    source("# When are you open?\nNine to five.\n# What is a filling?\n50 EUR."),
  );
  const reply = await topics.ask("clinic", ask(["When are you open?"], { offers: true }));
  expect(reply?.found[0]?.finding).toMatchObject({
    zone: "sure",
    topic: { answer: "Nine to five." },
  });
  expect(reply?.offered.map(({ title }) => title)).toEqual([
    "When are you open?",
    "What is a filling?",
  ]);
  expect(await topics.ask("other", ask(["When?"]))).toBeNull();
});

test("a known source is not prepared a second time", async () => {
  let rests = 0;
  const topics = prepared(async () => void rests++);
  const large = source(largeKnowledge(300_000));
  topics.add("large", large);
  await topics.ask("large", ask([]));
  const once = rests;
  topics.add("large", large);
  await topics.ask("large", ask([]));
  expect(once).toBeGreaterThan(2);
  expect(rests).toBe(once);
});

test("preparing the largest knowledge of a call pauses at least every 200 ms of processor time", async () => {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const topics = prepared(async () => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    before = process.threadCpuUsage();
  });
  before = process.threadCpuUsage();
  topics.add("largest", source(largeKnowledge(1_000_000)));
  await topics.ask("largest", ask([]));
  expect(longestMs).toBeGreaterThan(0);
  expect(longestMs).toBeLessThan(200);
});

test.each([
  ["599 characters", "a".repeat(599), 599],
  ["600 characters", "a".repeat(600), 600],
  ["601 characters", "a".repeat(601), 600],
])("a question of %s is searched with at most 600", (_, text, length) => {
  expect(boundedQuestion(text)).toHaveLength(length);
});

test("a question is searched with at most 40 words", () => {
  const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");
  for (const count of [39, 40, 41])
    expect(boundedQuestion(words(count)).split(" ")).toHaveLength(Math.min(count, 40));
});

test("the least recently used sources are removed for new ones, and the newest is always kept", async () => {
  const topics = prepared();
  const blank = source(" ".repeat(1_500_000));
  for (const key of ["one", "two", "three"]) topics.add(key, blank);
  expect(["one", "two", "three"].filter((key) => topics.has(key))).toEqual(["two", "three"]);
  topics.add("huge", source(" ".repeat(5_000_000)));
  expect(["two", "three", "huge"].filter((key) => topics.has(key))).toEqual(["huge"]);
});

function largeKnowledge(characters: number): string {
  const part = (at: number) =>
    `# What about subject ${at}?\n${`Fact ${at} of the company. `.repeat(12)}\n`;
  let text = "";
  for (let at = 0; text.length < characters; at++) text += part(at);
  return text;
}
