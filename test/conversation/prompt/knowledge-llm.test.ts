/** When passages are looked up for a turn, and which of them the LLM gets. */
import { expect, test } from "bun:test";
import type { LlmInput, LlmSession } from "../../../src/conversation/engine-port.ts";
import { KnowledgeLlm } from "../../../src/conversation/prompt/knowledge-llm.ts";
import type { KnowledgePassage } from "../../../src/features/knowledge/knowledge-index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { scriptedCall } from "../../support/media/scripted-call.ts";

const passage = (heading: string, characters = 20): KnowledgePassage => ({
  fileId: 1,
  filename: "faq.md",
  heading,
  coverage: 1,
  text: heading.padEnd(characters, "."),
});

function world(find: (question: string) => Promise<KnowledgePassage[]>) {
  const asked: string[] = [];
  const given: LlmInput[] = [];
  const clock = fakeClock();
  const inner: LlmSession = {
    async *respond(input) {
      given.push(input);
      yield { type: "done", usage: { inputTokens: 0, outputTokens: 0 } };
    },
    truncateSpoken() {},
    summarize: async () => ({ text: "", line: "" }),
  };
  const search = (question: string) => {
    asked.push(question);
    return find(question);
  };
  const llm = new KnowledgeLlm(inner, search, clock);
  const say = async (text: string) => {
    const input = { type: "utterance", text, confidence: 1 } as const;
    await Array.fromAsync(llm.respond(input, new AbortController().signal));
    const last = given.at(-1);
    return last?.type === "utterance" ? (last.passages ?? []).map(({ heading }) => heading) : null;
  };
  return { asked, given, clock, llm, say };
}

test("the look-up of stable words is reused for the turn", async () => {
  const { asked, llm, say } = world(async () => [passage("Hours")]);
  llm.heardSoFar("when");
  llm.heardSoFar("when are you open");
  expect(asked).toEqual(["when are you open"]);
  expect(await say("When are you open?")).toEqual(["Hours"]);
  expect(asked.length).toBe(1);
});

test("words that differ from the stable ones are looked up again", async () => {
  const { asked, llm, say } = world(async () => [passage("Hours")]);
  llm.heardSoFar("when are you");
  await say("When are you open on Sundays?");
  expect(asked).toEqual(["when are you", "When are you open on Sundays?"]);
});

test("a short question is looked up together with the one before, whose passages are kept", async () => {
  const { asked, say } = world(async (question) =>
    question.startsWith("And")
      ? [passage("Sunday")]
      : [passage("Hours"), passage("Two"), passage("Three")],
  );
  await say("When are you open in the week?");
  expect(await say("And on Sundays?")).toEqual(["Sunday", "Hours", "Two"]);
  expect(asked[1]).toBe("And on Sundays? When are you open in the week?");
});

test("a late or failed look-up leaves out the passages only", async () => {
  const late = world(() => new Promise(() => {}));
  const answer = late.say("When are you open today?");
  await late.clock.advance(299);
  expect(late.given).toEqual([]);
  await late.clock.advance(1);
  expect(await answer).toEqual([]);
  expect(await world(() => Promise.reject(new Error("gone"))).say("When?")).toEqual([]);
});

test.each([
  [999, 6],
  [1_000, 6],
  [1_001, 5],
])("passages of %i characters: %i of them come with a question", async (characters, count) => {
  const found = Array.from({ length: 8 }, (_, n) => passage(`Part ${n}`, characters));
  expect((await world(async () => found).say("When are you open?"))?.length).toBe(count);
});

test("keys and tools need no look-up", async () => {
  const { asked, given, llm } = world(async () => []);
  const input = { type: "digits", digits: "1" } as const;
  await Array.fromAsync(llm.respond(input, new AbortController().signal));
  expect(given).toEqual([input]);
  expect(asked).toEqual([]);
});

test.each([
  ["And on Sundays then?", 4, true],
  ["And what about Sundays then?", 5, false],
])("%s has %d words and is combined with the question before: %p", async (text, _, leans) => {
  const { asked, say } = world(async () => [passage("Hours")]);
  await say("When are you open in the week?");
  await say(text);
  expect(asked[1]).toBe(leans ? `${text} When are you open in the week?` : text);
});

test("an LLM that does not report early starts as supported is not asked early", () => {
  expect(world(async () => []).llm.capabilities).toEqual({ earlyStart: false });
});

test.each([
  ["writes words while they are spoken", null],
  ["writes words at the first silence", "When are you open?"],
])(
  "if speech to text %s, the look-up begins before the caller has finished, and the turn has its passages",
  async (_, early) => {
    const asked: string[] = [];
    const call = await scriptedCall({
      search: async (question) => {
        asked.push(question);
        return [passage("Hours")];
      },
    });
    await call.answerAndGreet();
    call.script.early = early;
    call.script.partial = early === null ? "When are you open?" : "";
    call.script.recognises.push("When are you open?");
    await call.speech(1_000);
    await call.silence(200);
    expect(asked).toEqual(["When are you open?"]);
    expect(call.inputs).toEqual([]);
    call.script.partial = "";
    await call.silence(1_000);
    expect(asked.length).toBe(1);
    expect(call.inputs).toMatchObject([{ type: "utterance", passages: [{ heading: "Hours" }] }]);
  },
);
