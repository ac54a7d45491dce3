import { expect, test } from "bun:test";
import { openingOf } from "../../../src/conversation/disclosure/disclosure.ts";
import { knowledgeSection } from "../../../src/conversation/prompt/knowledge-section.ts";
import {
  buildSystemPrompt,
  fillVariables,
  variablesOf,
} from "../../../src/conversation/prompt/prompt.ts";
import { callConfig, SETTINGS } from "../../support/media/scripted-call.ts";

const NOW = Date.UTC(2026, 10, 21, 22, 30);
const config = {
  ...callConfig({ prompt: "You are {{agent_name}} of {{company}}. Nothing of {{secret}}." }),
  knowledge: [
    { filename: "hours.md", format: "md" as const, content: "## Open?\nFrom nine.\n" },
    { filename: "prices.csv", format: "csv" as const, content: "item,price\nfilling,60\n" },
  ],
  tools: [{ name: "book", description: "Books a visit.", parameters: {} }],
};

test("the prompt holds every assigned file, the tools, and the date in the tenant's zone", () => {
  const prompt = buildSystemPrompt(config, variablesOf(config, NOW));
  expect(prompt).toStartWith("You are Anna of Bright Smile. Nothing of.");
  expect(prompt).toContain("## KNOWLEDGE BASE");
  expect(prompt).toContain("### hours.md\n\n## Open?".replace("\n\n", "\n"));
  expect(prompt).toContain("item,price\nfilling,60");
  expect(prompt).toContain("- book: Books a visit.");
  expect(prompt).toContain("It is Sunday, 22 November 2026, 00:30 (Europe/Vilnius).");
  expect(prompt).toContain("The caller's number: +37060000001.");
});

/** Length of the common beginning of two prompts. */
function sharedCharacters(one: string, other: string): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count++;
  return count;
}

test.each([
  "You are {{agent_name}} of {{company}}, on {{weekday}}.",
  "It is {{time}}. {{caller_number}} is on the line.",
  "Remind {{ first_name }}; you phone {{to_number}}.",
])("prompts of one agent's calls are identical up to the first variable part: %s", (prompt) => {
  const agent = { ...config.agent, prompt };
  const first = {
    ...config,
    agent,
    callerFacts: ["We called this number today."],
    callerData: [{ label: "name", text: "Jonas" }],
    variables: { first_name: "Jonas" },
  };
  const second = { ...config, agent, fromNumber: "+37060000999", variables: { first_name: "Ona" } };
  const [one, other] = [
    buildSystemPrompt(first, variablesOf(first, NOW)),
    buildSystemPrompt(second, variablesOf(second, NOW + 3_600_000)),
  ];
  const shared = one.slice(0, sharedCharacters(one, other));
  expect(shared).toContain("## How to speak");
  expect(shared).toContain("- book: Books a visit.");
  expect(shared).toContain("item,price\nfilling,60");
  for (const changing of ["00:30", "01:30", "+3706000", "Jonas", "Ona"])
    expect(shared).not.toContain(changing);
});

test("text with the time or a number comes after the constant parts", () => {
  const changing = { ...config, agent: { ...config.agent, prompt: "It is {{time}} now." } };
  const prompt = buildSystemPrompt(changing, variablesOf(changing, NOW));
  expect(prompt.indexOf("It is 00:30 now.")).toBeGreaterThan(prompt.indexOf("filling,60"));
  expect(prompt.indexOf("It is 00:30 now.")).toBeLessThan(prompt.indexOf("## This call"));
});

test("a prompt without files or tools has no empty sections", () => {
  const bare = callConfig();
  const prompt = buildSystemPrompt(bare, variablesOf(bare, NOW));
  expect(prompt).not.toContain("KNOWLEDGE BASE");
  expect(prompt).not.toContain("## Tools");
});

test("an outbound call has the called number; a withheld number is marked as withheld", () => {
  const outbound = { ...callConfig(), direction: "outbound" as const };
  const prompt = buildSystemPrompt(outbound, variablesOf(outbound, NOW));
  expect(prompt).toContain("You phoned the other side.");
  expect(prompt).toContain("+37052000001");
  const withheld = { ...callConfig(), fromNumber: "" };
  expect(buildSystemPrompt(withheld, variablesOf(withheld, NOW))).toContain("withheld");
});

test.each([
  ["inbound", undefined, true],
  ["inbound", 0, true],
  ["inbound", 1, false],
  ["outbound", undefined, false],
] as const)(
  "data of a call: %s, level %p: marked as not verified: %p",
  (direction, callerLevel, isSaid) => {
    const known = { ...config, direction, callerData: [{ label: "name", text: "Jonas" }] };
    const level = callerLevel === undefined ? {} : { callerLevel };
    const prompt = buildSystemPrompt({ ...known, ...level }, variablesOf(known, NOW));
    expect(prompt).toContain("name: ");
    expect(prompt.includes("The caller is not verified")).toBe(isSaid);
  },
);

test("a value of a campaign's list may have 500 spoken characters", () => {
  const line = { ...config, variables: { visit: "x".repeat(600) } };
  expect(fillVariables("{{visit}}", variablesOf(line, NOW), "en")).toBe("x".repeat(500));
});

test("braces are never spoken: unknown variables become empty", () => {
  const text = "Hello {{ first_name }}, welcome to {{company}}!";
  expect(fillVariables(text, { company: "Us" }, "en")).toBe("Hello, welcome to Us!");
});

test("the greeting fills its variables; an agent that waits has no greeting", () => {
  const greets = callConfig({ firstMessage: "{{company}}, hello." });
  const variables = variablesOf(greets, NOW);
  expect(openingOf(greets, SETTINGS, variables)).toMatchObject({
    greeting: { disclosure: "", text: "Bright Smile, hello." },
    atOnce: true,
  });
  const waits = callConfig({ firstSpeaker: "customer" });
  expect(openingOf(waits, SETTINGS, variables)).toMatchObject({
    greeting: { text: "" },
    atOnce: false,
  });
});

const RECORDED = { ...SETTINGS, disclosure: { ...SETTINGS.disclosure, en: "A robot, recorded." } };

test("a caller who speaks first hears nothing before, inbound or outbound", () => {
  for (const direction of ["inbound", "outbound"] as const) {
    const waits = { ...callConfig({ firstSpeaker: "customer" }), direction };
    expect(openingOf(waits, RECORDED, variablesOf(waits, NOW))).toMatchObject({
      disclosure: "A robot, recorded.",
      atOnce: false,
    });
  }
});

test("the disclosure precedes a first message without it, also one with a name", () => {
  const config = { ...callConfig(), namedGreeting: "Hello, Jonas. How can I help?" };
  const settings = { ...SETTINGS, disclosure: { ...SETTINGS.disclosure, en: "I am a robot." } };
  expect(openingOf(config, settings, variablesOf(config, NOW))).toMatchObject({
    greeting: { disclosure: "I am a robot.", text: "Hello, how can I help you?" },
    namedGreeting: { disclosure: "I am a robot.", text: "Hello, Jonas. How can I help?" },
  });
});

test("a first message that contains the disclosure is spoken once, its disclosing sentence first", () => {
  const firstMessage = "Hello, I am the robot of {{company}}. How can I help?";
  const config = {
    ...callConfig({ firstMessage }),
    namedGreeting: "Hello, Jonas. I am the robot of {{company}}. How can I help?",
  };
  const settings = { ...SETTINGS, disclosure: { ...SETTINGS.disclosure, en: "I am a robot." } };
  expect(openingOf(config, settings, variablesOf(config, NOW))).toMatchObject({
    greeting: {
      disclosure: "Hello, I am the robot of Bright Smile.",
      text: "How can I help?",
      own: "Hello, I am the robot of Bright Smile. How can I help?",
    },
    namedGreeting: {
      disclosure: "Hello, Jonas. I am the robot of Bright Smile.",
      text: "How can I help?",
    },
  });
});

test("a birthday call has its reason in the prompt, and after the greeting's first sentence", () => {
  const wishes = { ...callConfig(), direction: "outbound" as const, occasion: "birthday" as const };
  const variables = variablesOf(wishes, NOW);
  expect(buildSystemPrompt(wishes, variables)).toContain(
    "You phone to congratulate this person on their birthday.",
  );
  const config = {
    ...wishes,
    agent: { ...wishes.agent, firstMessage: "Hello! How are you?" },
    namedGreeting: "Hello, Ona. How are you?",
  };
  expect(openingOf(config, SETTINGS, variables)).toMatchObject({
    greeting: { text: "Hello! I am calling to wish you a happy birthday. How are you?" },
    namedGreeting: { text: "Hello, Ona. I am calling to wish you a happy birthday. How are you?" },
    message: { text: "Hello! I am calling to wish you a happy birthday. How are you?" },
  });
  const lithuanian = { ...config, agent: { ...config.agent, language: "lt" as const } };
  expect(openingOf(lithuanian, SETTINGS, variables).greeting.text).toContain("gimtadieniu");
});

test("other calls do not mention a birthday", () => {
  const prompt = buildSystemPrompt(config, variablesOf(config, NOW));
  expect(prompt).not.toContain("birthday");
});

test("knowledge above the budget is listed in the prompt, not included", () => {
  const files = [{ id: 1, filename: "prices.md", format: "md", version: 1 }] as const;
  const large = { ...config, looksUpKnowledge: true, knowledgeScope: { tenantId: 1, files } };
  const prompt = buildSystemPrompt(large, variablesOf(large, NOW));
  expect(prompt).toContain("## KNOWLEDGE BASE");
  expect(prompt).toContain("- prices.md");
  for (const { content } of config.knowledge) expect(prompt).not.toContain(content.trim());
});

test("forty files of searched knowledge are listed", () => {
  const named = (count: number) => {
    const files = Array.from({ length: count }, (_, at) => ({
      id: at,
      filename: `file-${at}.md`,
      format: "md" as const,
      version: 1,
    }));
    const scope = { tenantId: 1, files };
    const section = knowledgeSection({
      knowledge: [],
      knowledgeScope: scope,
      looksUpKnowledge: true,
    });
    return section.match(/^- file-/gm)?.length;
  };
  expect([named(39), named(40), named(41)]).toEqual([39, 40, 40]);
});
