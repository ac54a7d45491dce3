/**
 * An agent: each field once, by its name on the wire, with bounds, default and meaning. What the API takes and
 * answers, its document, the record and the dashboard's form follow from here.
 */
import { z } from "zod";
import { field, httpsUrl } from "../../core/schema.ts";
import type { RecordOf } from "../../core/wire-names.ts";
import { AGENT_LANGUAGES, FIRST_SPEAKERS, VOICEMAIL_ACTIONS } from "./agent.ts";
import { DEFAULT_FILLER_PHRASES, DEFAULT_FIRST_MESSAGE } from "./defaults.ts";

const text = (max: number, notes: { description: string; example: string }) =>
  field(z.string().max(max), { ...notes, must: `be text of at most ${max} characters` });

const filled = (max: number, notes: { description: string; example: string }) =>
  field(z.string().min(1).max(max).regex(/\S/), {
    ...notes,
    must: `be text of 1 to ${max} characters`,
  });

const flag = (description: string) =>
  field(z.boolean(), { description, example: false, must: "be true or false" }).default(false);

const said = () => ({
  first_message: text(5_000, {
    description: "Opening utterance. Default: a greeting in the agent's language.",
    example: "Hello! How can I help you?",
  })
    .optional()
    .meta({ default: DEFAULT_FIRST_MESSAGE.en }),
  first_speaker: field(z.enum(FIRST_SPEAKERS), {
    description: "Who speaks first.",
    example: "assistant",
    must: "be assistant or customer",
  }).default("assistant"),
});

const spokenIn = (voices: readonly string[]) => ({
  voice: field(z.enum(voices as [string, ...string[]]), {
    description: "Voice.",
    example: "Sari",
    must: `be one of: ${voices.join(", ")}`,
  }).default("Sari"),
  language: field(z.enum(AGENT_LANGUAGES), {
    description: "Language of the conversation.",
    example: "en",
    must: `be one of: ${AGENT_LANGUAGES.join(", ")}`,
  }).default("en"),
});

const duringCall = () => ({
  max_duration_sec: field(z.int().min(30).max(3600), {
    description: "Longest call, in seconds.",
    example: 900,
    must: "be an integer from 30 to 3600",
  }).default(600),
  voicemail_action: field(z.enum(VOICEMAIL_ACTIONS), {
    description: "What to do when a machine answers.",
    example: "hangup",
    must: "be leave_message or hangup",
  }).default("hangup"),
  send_digits_inbound: flag(
    "Whether the agent may press keys on calls that came in, too. On calls it places it always may.",
  ),
  filler_phrases: text(5_000, {
    description:
      "Phrases for when a tool takes longer than 2.5 s, one a line. Default: three in the agent's language.",
    example: "One moment, please.\nLet me check that.",
  })
    .optional()
    .meta({ default: DEFAULT_FILLER_PHRASES.en }),
});

const afterCall = () => ({
  webhook_url: httpsUrl("Legacy subscriber for call.ended.").nullable().default(null),
  transcript_email: field(z.email().max(254), {
    description: "Recipient of the post-call e-mail.",
    example: "office@example.com",
    must: "be an e-mail address of at most 254 characters",
  })
    .nullable()
    .default(null),
  transcript_email_enabled: flag("Whether the post-call e-mail is sent. Needs `transcript_email`."),
});

/** `voices`: the four, and the names that the operator allows besides. */
export const agentShape = (voices: readonly string[]) => ({
  name: filled(120, { description: "Name.", example: "Reception" }),
  prompt: filled(100_000, {
    description: "System prompt.",
    example: "You are the receptionist of a dental clinic.",
  }),
  ...said(),
  ...spokenIn(voices),
  ...duringCall(),
  ...afterCall(),
});

/** As a tenant gives it: texts that it left out follow the language. */
export type NewAgent = RecordOf<z.output<z.ZodObject<ReturnType<typeof agentShape>>>>;
export type AgentFields = {
  readonly [Name in keyof NewAgent]-?: Exclude<NewAgent[Name], undefined>;
};

export interface AgentRecord extends AgentFields {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function withTexts(agent: NewAgent): AgentFields {
  const {
    firstMessage = DEFAULT_FIRST_MESSAGE[agent.language],
    fillerPhrases = DEFAULT_FILLER_PHRASES[agent.language],
  } = agent;
  return { ...agent, firstMessage, fillerPhrases };
}
