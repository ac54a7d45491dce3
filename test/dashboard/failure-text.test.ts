/** Every sentence that a rehearsal says of a failure has words in the reader's language. */
import { expect, test } from "bun:test";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { fill } from "../../src/dashboard/web/i18n/catalogue.ts";
import { failureText } from "../../src/dashboard/web/pages/rehearsals/failure-text.ts";
import { failuresOf } from "../../src/features/rehearsal/expectations.ts";
import { readScenario } from "../../src/features/rehearsal/read-scenario.ts";
import {
  NOT_LIVE,
  type RehearsedCall,
  type RehearsedTurn,
} from "../../src/features/rehearsal/rehearsed-call.ts";
import { failedResult, NO_MODEL } from "../../src/features/rehearsal/result.ts";

const { lt } = await messageCatalogues();
const texts = {
  findText: (key: string, blanks = {}) => {
    const text = Object.entries(lt).find(([name]) => name === key)?.[1];
    return text === undefined ? null : fill(text, blanks);
  },
};

const turn = (index: number, speaker: "agent" | "customer", text: string): RehearsedTurn => ({
  index,
  speaker,
  text,
  interrupted: false,
  latencyMs: speaker === "agent" ? 900 : null,
  startMs: index * 5_000,
  endMs: index * 5_000 + 2_000,
});

const SILENT: RehearsedCall = {
  turns: [],
  tools: [],
  transfers: [],
  messages: [],
  languages: [],
  unanswered: [],
  steps: [{ step: 0, atMs: 0 }],
  interruptions: [],
  endedReason: "caller_hangup",
  durationMs: 30_000,
  language: "en",
  day: "2026-11-23",
  recording: null,
};

const BUSY: RehearsedCall = {
  ...SILENT,
  turns: [
    turn(0, "agent", "Hello."),
    turn(1, "customer", "A visit?"),
    turn(2, "agent", "Yes."),
    { ...turn(3, "agent", "Over you."), startMs: 5_500 },
  ],
  tools: [
    ...[{ tool: "find", arguments: { day: "Monday" }, ok: true, output: null, durationMs: 5 }],
  ].map((each) => ({ ...each, atMs: 6_000 })),
  transfers: [{ target: "desk", outcome: "busy", atMs: 7_000 }],
  messages: [{ text: "Call Ruta.", atMs: 8_000 }],
  unanswered: ["find"],
  interruptions: [{ atMs: 1_000, silentAfterMs: null }],
};

const LIVE = {
  tool: "find",
  arguments: {},
  ok: false,
  output: { error: NOT_LIVE },
  atMs: 1,
  durationMs: 1,
};

const WANTED = [
  "name: A",
  "script:",
  "  - say: Hello",
  "  - say: A step that is not reached",
  "    must: [see you]",
  "must:",
  "  - says: {regex: moon}",
  "  - says: {money: 40 EUR}",
  "  - {tool: find, with: {day: Friday}}",
  "  - tool: other",
  "  - transferred_to: reception",
  "  - message: nobody",
  "  - language: lv",
  "  - ended: agent_hangup",
  "never:",
  "  - says: yes",
  "  - tool: find",
  "  - ended: caller_hangup",
  "  - language: en",
  "limits: {turns: 1, latency_p95_ms: 100, dead_air_ms: 100, silent_after_interruption_ms: 100, never_interrupts: true}",
].join("\n");

test("in Lithuanian, no text of the appliance stays English", () => {
  const scenario = readScenario("a.yaml", WANTED);
  const agent = { agent: { language: "en" } } as Parameters<typeof failedResult>[2];
  const stopped = failedResult(scenario, 1, agent, "the telephones stopped before its end");
  const live = { ...SILENT, unanswered: ["find"], tools: [LIVE] };
  const sentences = [
    ...[SILENT, BUSY, live].flatMap((call) => failuresOf(scenario, call)),
    ...[...stopped.failures, ...failedResult(scenario, 1, agent, NO_MODEL).failures],
    ...['the model answered "Maybe."', 'the model quotes what nobody said: "A."'].map((found) => ({
      expected: "the rehearsal is carried out",
      found,
    })),
  ].flatMap(({ expected, found }) => [expected, found]);
  expect(sentences.length).toBeGreaterThan(40);
  const bare = /^(\d+( ms)?|find \{.*\})$/;
  const untold = sentences.filter((each) => !bare.test(each) && failureText(each, texts) === each);
  expect(untold).toEqual([]);
});

test("quoted speech is not translated", () => {
  expect(failureText('never: says "yes"', texts)).toBe('niekada: agentas pasako "yes"');
  expect(failureText("ends with agent_hangup", texts)).not.toContain("agent_hangup");
  expect(failureText("judge: It is kind.", texts)).toBe("judge: It is kind.");
});
