/** When an agent that should speak but has no audio says a filler phrase, and which one: to the frame. */
import { expect, test } from "bun:test";
import { FillerPhrases } from "../../../src/conversation/speech/filler-phrases.ts";

const FRAME_MS = 20;

function world(
  speech: { hasSpoken?: boolean; hasWords?: boolean; disclosureShare?: number | null } = {},
) {
  const said: string[] = [];
  const fillerPhrases = new FillerPhrases({
    settings: { neverSilentMs: 1_200, fillerDelayMs: 2_500 },
    speech: {
      hasSpoken: false,
      hasWords: false,
      disclosureShare: null,
      ...speech,
      interject: (text: string) => said.push(`put in: ${text}`),
    },
    activeLanguage: { fillers: { next: () => "filler" }, phrases: { pleaseWait: "wait" } },
    say: (text: string) => void said.push(text),
  } as unknown as ConstructorParameters<typeof FillerPhrases>[0]);
  const pass = (ms: number, { hasTurn = true, isAudible = false } = {}) => {
    for (let passed = 0; passed < ms; passed += FRAME_MS)
      fillerPhrases.follow({ hasTurn, isAudible });
  };
  return { pass, said };
}

test("the first phrase comes after 1.2 s, each further one after 2.5 s", () => {
  const { pass, said } = world();
  pass(1_180);
  expect(said).toEqual([]);
  pass(20);
  expect(said).toHaveLength(1);
  for (const count of [2, 3]) {
    pass(2_480);
    expect(said).toHaveLength(count - 1);
    pass(20);
    expect(said).toHaveLength(count);
  }
});

test.each([
  ["is heard", { isAudible: true }, 2_500],
  ["has lost the word", { hasTurn: false }, 1_200],
])("an agent that %s is not silent; the count restarts", (_, meanwhile, dueMs) => {
  const { pass, said } = world();
  pass(1_200);
  pass(1_180);
  pass(FRAME_MS, meanwhile);
  pass(dueMs - FRAME_MS);
  expect(said).toHaveLength(1);
  pass(FRAME_MS);
  expect(said).toHaveLength(2);
  pass(10_000, meanwhile);
  expect(said).toHaveLength(2);
});

test.each([
  ["nothing was said and nothing is to be said", {}, ["wait"]],
  ["something was said, and nothing more is known", { hasSpoken: true }, ["filler"]],
  ["words wait for the voice", { hasWords: true }, ["put in: wait"]],
  ["words wait after others", { hasSpoken: true, hasWords: true }, ["put in: filler"]],
  ["half of the disclosure was heard", { hasWords: true, disclosureShare: 0.5 }, ["put in: wait"]],
  ["the disclosure itself waits", { hasWords: true, disclosureShare: 0 }, []],
])("filler phrase if %s", (_, speech, expected) => {
  const { pass, said } = world(speech);
  pass(1_200);
  expect(said).toEqual(expected);
});
