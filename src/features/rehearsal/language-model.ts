/**
 * Uses of a language model in a rehearsal, besides the agent: it plays a persona as the caller, and judges
 * sentences about the transcript. Both are normal sessions of the configured engine with separate prompts.
 */
import type { EngineSession, SessionSettings } from "../../conversation/engine-port.ts";
import { wordsOf } from "../../conversation/words.ts";
import {
  type CallerLine,
  type PersonaPlayer,
  type PlayedCaller,
  playPersona,
  playScript,
} from "./caller.ts";
import type { Failure } from "./expectations.ts";
import { type RehearsedCall, transcriptOf } from "./rehearsed-call.ts";
import type { Persona, Scenario } from "./scenario.ts";

/** Opens an engine session with this prompt and without tools or knowledge. */
export type OpenModel = (prompt: string) => Pick<EngineSession, "llm" | "close">;

const HANG_UP = "[hang up]";
const ANSWER_CHARACTERS_MAX = 4_000;

export const modelSettings = (prompt: string, callId: string): SessionSettings => ({
  callId,
  systemPrompt: prompt,
  language: "en",
  voice: "Sari",
  sampleRateHz: 8000,
  knowledge: [],
  tools: [],
});

/** Plays the script, or the persona if a model is available. */
export const playCaller = (
  line: CallerLine,
  { persona, script = [] }: Scenario,
  open: OpenModel | null,
): Promise<PlayedCaller> =>
  persona && open ? playPersona(line, persona, personaPlayer(open)) : playScript(line, script);

const personaPlayer =
  (open: OpenModel): PersonaPlayer =>
  async (persona, heard) => {
    const answer = await ask(
      open,
      personaPrompt(persona),
      heard.join("\n") || "(You were called.)",
    );
    const words = answer.replace(/^(?:you|caller):\s*/i, "").trim();
    return words === "" || words.toLowerCase().includes(HANG_UP) ? null : words;
  };

function personaPrompt({ goal, character, knows }: Persona): string {
  const facts = Object.entries(knows).map(([name, value]) => `- ${name}: ${value}`);
  return [
    "You play a person on the telephone. An agent of a company is on the other side.",
    `Your goal: ${goal}`,
    ...(character === undefined ? [] : [`Your character: ${character}`]),
    ...(facts.length === 0 ? [] : ["What you know:", ...facts]),
    "You get the conversation so far. Answer with your next words only: one or two spoken sentences.",
    `When your goal is reached or cannot be reached, answer ${HANG_UP} and nothing else.`,
  ].join("\n");
}

/** A sentence fails if the model finds it false, or if its quote does not occur. */
export async function judge(
  open: OpenModel,
  sentences: readonly string[],
  call: RehearsedCall,
): Promise<Failure[]> {
  const found = sentences.map(async (sentence) => judged(open, sentence, call));
  return (await Promise.all(found)).flatMap((failure) => failure ?? []);
}

const JUDGE_PROMPT = [
  "You get the transcript of a telephone call and a sentence about it.",
  "Decide whether the sentence is true of the call. Judge only what the transcript shows.",
  'Answer in one line: YES or NO, then the words of the transcript that decide it, in double quotes: NO "We are closed."',
].join("\n");

async function judged(
  open: OpenModel,
  sentence: string,
  call: RehearsedCall,
): Promise<Failure | null> {
  const question = `Transcript:\n${transcriptOf(call)}\n\nSentence: ${sentence}`;
  const answer = await ask(open, JUDGE_PROMPT, question);
  const [, result = "", quote = ""] = /^\W*(yes|no)\b[^"“]*["“]?([^"”]*)/i.exec(answer) ?? [];
  const turn = quotedTurn(call, quote);
  const expected = `judge: ${sentence}`;
  if (result === "") return { expected, found: `the model answered "${answer}"`, turn: null };
  if (turn === null)
    return { expected, found: `the model quotes what nobody said: "${quote}"`, turn };
  return result.toLowerCase() === "yes" ? null : { expected, found: `"${quote}"`, turn };
}

/** The turn with these words; null if none. */
function quotedTurn({ turns }: RehearsedCall, quote: string): number | null {
  const words = wordsOf(quote).join(" ");
  if (words === "") return null;
  return turns.find(({ text }) => wordsOf(text).join(" ").includes(words))?.index ?? null;
}

async function ask(open: OpenModel, prompt: string, text: string): Promise<string> {
  const session = open(prompt);
  const pieces: string[] = [];
  try {
    const input = { type: "utterance", text, confidence: 1 } as const;
    for await (const event of session.llm.respond(input, new AbortController().signal))
      if (event.type === "text") pieces.push(event.text);
    return pieces.join(" ").slice(0, ANSWER_CHARACTERS_MAX).trim();
  } finally {
    session.close();
  }
}
