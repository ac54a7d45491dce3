/**
 * Writes docs/spoken/: ten whole conversations per language from the embedded engine's own
 * dialogue, as text, as the voice's input and in phonemes (`npm run docs`).
 */

import type { ToolSnapshot } from "../src/conversation/call-config.ts";
import { DISCLOSURE } from "../src/conversation/conversation-settings.ts";
import type { LlmInput } from "../src/conversation/engine-port.ts";
import { SpokenOptOut } from "../src/conversation/opt-out/spoken-opt-out.ts";
import { ActiveLanguage } from "../src/conversation/speech/active-language.ts";
import { withoutGreeting } from "../src/conversation/speech/greetings.ts";
import { phrasesFor } from "../src/conversation/speech/phrases.ts";
import { systemClock } from "../src/core/clock.ts";
import { seededRandom } from "../src/core/random.ts";
import { parseKnowledge } from "../src/engine/embedded/scripted/knowledge.ts";
import { createScriptedSession } from "../src/engine/embedded/scripted/scripted-session.ts";
import { Topics } from "../src/engine/embedded/scripted/topics.ts";
import { spokenText } from "../src/engine/embedded/speech/spoken-text.ts";
import { AGENT_LANGUAGES, type AgentLanguage } from "../src/features/agent/agent.ts";
import { addressOf, greetingFor } from "../src/features/contact/greeting.ts";
import { BUSINESSES, type Business, WORDS } from "./spoken-samples/conversations.ts";

const FOLDER = new URL("../docs/spoken/", import.meta.url).pathname;
const SUNDAY = Date.UTC(2026, 10, 22, 8);
const NAMES: Readonly<Record<AgentLanguage, string>> = {
  en: "English",
  lt: "Lithuanian",
  lv: "Latvian",
  ru: "Russian",
};

interface Line {
  readonly by: "agent" | "caller";
  readonly text: string;
}

function toolOf(language: AgentLanguage): ToolSnapshot {
  const words = WORDS[language];
  return {
    name: "book_visit",
    description: words.tool,
    parameters: {
      type: "object",
      required: ["date", "time"],
      properties: {
        date: { type: "string", format: "date", description: words.date },
        time: { type: "string", description: words.time },
      },
    },
  };
}

/** Greeting, date, price, number, appointment, rejection, transfer, message, goodbye. */
async function conversationOf(language: AgentLanguage, business: Business): Promise<Line[]> {
  const words = WORDS[language];
  const phrases = phrasesFor(language);
  const content = business.knowledge
    .map(([asked, answer]) => `## ${asked}\n${answer}\n`)
    .join("\n");
  const tools = [toolOf(language)];
  const knowledge = parseKnowledge([{ filename: "faq.md", format: "md", content }]);
  const topics = new Topics(knowledge, tools, language);
  const dialogue = createScriptedSession({
    settings: { transferTargets: ["reception"] },
    subject: { callId: "", language, tools, knowledge: [], memory: null },
    askTopics: async (_subject, { texts, confidence }) => ({
      found: texts.map((text) => ({
        match: null,
        finding: topics.find(text, confidence),
      })),
      offered: topics.offered,
      lesson: null,
    }),
    clock: { ...systemClock, now: () => SUNDAY },
    random: seededRandom(1),
  });
  const lines: Line[] = [];
  const say = (text: string) => lines.push({ by: "agent", text });
  const respond = async (input: LlmInput) => {
    for await (const event of dialogue.respond(input, new AbortController().signal)) {
      if (event.type === "text") say(event.text);
      if (event.type === "tool_call") {
        const { date, time } = event.arguments;
        const speech = words.booked.replace("{date}", String(date)).replace("{time}", String(time));
        const { toolCallId } = event;
        await respond({ type: "tool_result", toolCallId, ok: true, output: { speech } });
      }
    }
  };
  const optOut = new SpokenOptOut({
    applies: true,
    activeLanguage: new ActiveLanguage({ language, fillerPhrases: [] }),
    ask: say,
    say,
    sayAndEnd: say,
    confirmed: () => undefined,
  });
  const ask = async (text: string) => {
    lines.push({ by: "caller", text });
    if (!optOut.takes(text)) await respond({ type: "utterance", text, confidence: 1 });
  };
  const [firstName, lastName] = business.person;
  const address = addressOf({ firstName, lastName, vocative: null }, language);
  const firstMessage = words.firstMessage.replace("{company}", business.company);
  say(withoutGreeting(DISCLOSURE[language], language));
  say(greetingFor(firstMessage, address, language));
  for (const [question] of business.knowledge) await ask(question);
  const [day, time] = business.visit;
  for (const text of [words.book, day, words.yes, time, words.yes]) await ask(text);
  for (const text of [words.refuse, words.takeBack, words.transfer]) await ask(text);
  say(phrases.transferFailed.busy);
  for (const text of [words.message, words.messageText, words.goodbye]) await ask(text);
  return lines;
}

async function pageOf(language: AgentLanguage): Promise<string> {
  const sections = await Promise.all(
    BUSINESSES[language].map(async (business, index) => {
      const lines = await conversationOf(language, business);
      const told = lines.map(({ by, text }) => {
        if (by === "caller") return `*${text}*`;
        const said = spokenText(text, language);
        return said === text ? text : `${text}<br>\n\`${said}\``;
      });
      return [`## ${index + 1}. ${business.company}`, ...told].join("\n\n");
    }),
  );
  const head = [
    `# ${NAMES[language]}, spoken`,
    "Made by `npm run docs` from the embedded engine. In italics: the caller. Else the agent: as written, and as it is read out where that differs.",
  ].join("\n\n");
  return `${[head, ...sections].join("\n\n")}\n`;
}

/** The pages by file name. */
export async function spokenPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  for (const language of AGENT_LANGUAGES) pages.set(`${language}.md`, await pageOf(language));
  return pages;
}

/** Current text of the file. */
export const spokenPage = (name: string): Promise<string> => Bun.file(FOLDER + name).text();

if (import.meta.main) {
  for (const [name, text] of await spokenPages()) await Bun.write(FOLDER + name, text);
  console.error("wrote docs/spoken/");
}
