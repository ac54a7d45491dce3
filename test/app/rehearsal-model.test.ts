/**
 * Rehearsals with a language model on a real socket: the agent's prompt, a persona played by the model, and
 * sentences judged with a quote.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { EMBEDDED_ONLY } from "../../src/engine/settings.ts";
import { NO_MODEL } from "../../src/features/rehearsal/result.ts";
import { failedLines, rehearseFiles } from "../support/appliance/rehearsals.ts";
import { openAiSettings, sameForAllParts } from "../support/engine/engine-session.ts";
import {
  type LanguageModelServer,
  languageModelServer,
  type ModelRequest,
} from "../support/engine/language-model-server.ts";

let server: LanguageModelServer;

beforeAll(() => {
  server = languageModelServer("127.0.44.9");
  server.script.models["llm-model"] = {};
  server.script.answer = answerOf;
});
afterAll(() => server.close());

const systemOf = ({ turns }: ModelRequest) => turns[0]?.text ?? "";
const lastOf = ({ turns }: ModelRequest) => turns.at(-1)?.text ?? "";

/** Three parts: the judge, the persona, and an agent that follows its prompt. */
function answerOf(request: ModelRequest) {
  const system = systemOf(request);
  if (system.includes("Decide whether the sentence is true"))
    return { text: judgement(lastOf(request)) };
  if (system.includes("You play a person"))
    return {
      text: lastOf(request).includes("forty euros") ? "[hang up]" : "How much does it cost?",
    };
  return { text: system.includes("forty") ? "It costs forty euros." : "I do not know." };
}

function judgement(question: string): string {
  if (question.includes("Sentence: The price was told")) return 'YES "It costs forty euros."';
  if (question.includes("Sentence: The caller was rude")) return 'NO "How much does it cost?"';
  return 'YES "Nobody said this."';
}

const AGENT = "name: Desk\nprompt: A consultation costs forty euros.\nfirst_message: Hello.\n";

function run(scenario: string, agent = AGENT) {
  const files = new Map([
    ["s/agent.yaml", agent],
    ["s/a.yaml", `name: A\n${scenario}`],
  ]);
  return rehearseFiles(files, ENGINE());
}

const ENGINE = () => ({
  ...EMBEDDED_ONLY,
  label: "openai",
  providers: sameForAllParts([{ id: "openai", settings: { ...openAiSettings(server.url) } }]),
});

const SCRIPT = "script:\n  - say: How much does it cost?\n    must: [{says: {money: 40 EUR}}]\n";

test("a script is answered by the model; a spoiled prompt fails, with its turn", async () => {
  expect(failedLines(await run(SCRIPT))).toEqual([]);
  const spoiled = await run(SCRIPT, AGENT.replace("costs forty euros", "is free"));
  expect(spoiled.results[0]?.failures).toEqual([
    { expected: "says 40 EUR", found: 'the agent said "I do not know."', turn: 2 },
  ]);
});

test("the model plays the caller until the goal is reached, with the goal and facts of its persona", async () => {
  server.requests.length = 0;
  const report = await run(
    "persona:\n  goal: Find out the price.\n  character: impatient\n  knows: {name: Ruta}\nmust: [forty euros, {ended: caller_hangup}]\nlimits: {turns: 3}\n",
  );
  expect(failedLines(report)).toEqual([]);
  const persona = server.requests.find((each) => systemOf(each).includes("You play a person"));
  expect(persona && systemOf(persona)).toContain("Your goal: Find out the price.");
  expect(persona && systemOf(persona)).toContain("- name: Ruta");
});

test("a judged sentence must be true, and its quote must occur in the call", async () => {
  const { results } = await run(
    `${SCRIPT}judge:\n  - The price was told\n  - The caller was rude\n  - The moon is green\n`,
  );
  expect(results[0]?.failures).toEqual([
    { expected: "judge: The caller was rude", found: '"How much does it cost?"', turn: 1 },
    {
      expected: "judge: The moon is green",
      found: 'the model quotes what nobody said: "Nobody said this."',
      turn: null,
    },
  ]);
});

test("without a language model a persona fails, and the error says what to configure", async () => {
  const files = new Map([
    ["s/agent.yaml", AGENT],
    ["s/a.yaml", "name: A\npersona: {goal: Find out the price.}\n"],
  ]);
  const { results } = await rehearseFiles(files);
  expect(results[0]?.failures[0]?.found).toContain(NO_MODEL);
});

test("of large knowledge the model gets the passages for the question, not all of it", async () => {
  server.requests.length = 0;
  const files = new Map([
    [
      "s/agent.yaml",
      `${AGENT.replace("A consultation costs forty euros.", "Help.")}knowledge: [a.md]\n`,
    ],
    [
      "s/a.md",
      "## How much does it cost?\nIt costs forty euros.\n\n## Parking\nBehind the house.\n",
    ],
    ["s/a.yaml", `name: A\n${SCRIPT}`],
  ]);
  await rehearseFiles(files, ENGINE(), 1, { knowledgeTokens: 1 });
  const asked = server.requests.map((request) => JSON.stringify(request.turns));
  expect(asked.some((text) => text.includes("It costs forty euros."))).toBe(true);
  expect(asked.some((text) => text.includes("Behind the house."))).toBe(false);
});
