/** An agent as its form shows it while somebody tries it, by text or by voice. */
import { z } from "zod";
import { AGENT_LANGUAGES, FIRST_SPEAKERS } from "../../../domain/agent/agent.ts";
import { field } from "../../contracts/schema.ts";

const PROMPT_MAX = 100_000;
const WORDS_MAX = 5_000;

function draftText(most: number, description: string, example: string) {
  const must = `be text of at most ${most} characters`;
  return field(z.string().max(most), { description, example, must }).optional();
}

/** What is written in the form but not saved. What is left out is as it is saved. */
export const AgentDraft = z
  .strictObject({
    prompt: draftText(PROMPT_MAX, "Instructions.", "You are the receptionist."),
    first_message: draftText(WORDS_MAX, "Greeting.", "Hello!"),
    first_speaker: field(z.enum(FIRST_SPEAKERS), {
      description: "Who speaks first.",
      example: "assistant",
      must: `be one of: ${FIRST_SPEAKERS.join(", ")}`,
    }).optional(),
    voice: draftText(120, "Voice.", "Sari"),
    language: field(z.enum(AGENT_LANGUAGES), {
      description: "Language of the conversation.",
      example: "en",
      must: `be one of: ${AGENT_LANGUAGES.join(", ")}`,
    }).optional(),
    filler_phrases: draftText(WORDS_MAX, "Phrases for a wait, one a line.", "One moment, please."),
  })
  .meta({ id: "AgentDraft" });
