/**
 * Schema of an agent: name, bounds, default and description of each field. The API's input and output, its
 * document, the record, trials and the agents of rehearsals are derived from it.
 */
import { z } from "zod";
import {
  changesOf,
  choice,
  emailIn,
  field,
  filled,
  flag,
  httpsUrl,
  integer,
  nameIn,
  text,
} from "../../core/schema.ts";
import { textsOf } from "../../core/texts.ts";
import { type CamelName, camelName, type RecordOf } from "../../core/wire-names.ts";
import {
  AGENT_LANGUAGES,
  AGENT_VOICES,
  FIRST_SPEAKERS,
  NOT_IN_TRIAL,
  VOICEMAIL_ACTIONS,
} from "./agent.ts";
import defaultTexts from "./default-texts.json" with { type: "json" };

/** First message and filler phrases if the tenant wrote none (decisions 3). */
const DEFAULTS = textsOf(defaultTexts);

const said = () => ({
  first_message: text(
    5_000,
    "First sentence of the agent. Default: a greeting in the agent's language.",
    "Hello! How can I help you?",
  )
    .optional()
    .meta({ default: DEFAULTS.en.firstMessage }),
  first_speaker: choice(FIRST_SPEAKERS, "Side that speaks first.", "assistant").default(
    "assistant",
  ),
});

const spokenIn = (voices: readonly string[]) => ({
  voice: field(z.enum(voices as [string, ...string[]]), {
    description: "Voice of the agent.",
    example: "Sari",
    must: `be one of: ${voices.join(", ")}`,
  }).default("Sari"),
  language: choice(AGENT_LANGUAGES, "Language of the conversation.", "en").default("en"),
});

const duringCall = () => ({
  max_duration_sec: integer(30, 3600, "Maximum length of a call in seconds.", 900).default(600),
  voicemail_action: choice(
    VOICEMAIL_ACTIONS,
    "Action if an answering machine answers.",
    "hangup",
  ).default("hangup"),
  send_digits_inbound: flag(
    "Whether the agent may send key tones on inbound calls. On outbound calls it always may.",
  ).default(false),
  filler_phrases: text(
    5_000,
    "Phrases that the agent says if a tool takes longer than 2.5 s, one per line. Default: three in the agent's language.",
    "One moment, please.\nLet me check that.",
  )
    .optional()
    .meta({ default: DEFAULTS.en.fillerPhrases }),
});

const afterCall = () => ({
  webhook_url: httpsUrl("Legacy URL that receives `call.ended`. `null` for none.")
    .nullable()
    .default(null),
  transcript_email: emailIn("Recipient of the email after each call. `null` for none.")
    .nullable()
    .default(null),
  transcript_email_enabled: flag(
    "Whether an email is sent after each call. Requires `transcript_email`.",
  ).default(false),
});

/** `voices`: the four voices and the operator's names for them. */
export const agentShape = (voices: readonly string[]) => ({
  name: nameIn(120, "Name of the agent.", "Reception"),
  prompt: filled(
    100_000,
    "System prompt of the agent.",
    "You are the receptionist of a dental clinic.",
  ),
  ...said(),
  ...spokenIn(voices),
  ...duringCall(),
  ...afterCall(),
});

/** Input of the tenant. The defaults of missing texts depend on the language. */
export type NewAgent = RecordOf<z.output<z.ZodObject<ReturnType<typeof agentShape>>>>;
export type AgentFields = {
  readonly [Name in keyof NewAgent]-?: Exclude<NewAgent[Name], undefined>;
};

export interface AgentRecord extends AgentFields {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Number of the published version; 0: none is stored. */
  readonly version: number;
}

export function withTexts(agent: NewAgent): AgentFields {
  const defaults = DEFAULTS[agent.language];
  const { firstMessage = defaults.firstMessage, fillerPhrases = defaults.fillerPhrases } = agent;
  return { ...agent, firstMessage, fillerPhrases };
}

/** Defaults that are equal in every language, by the field's name in a record. */
export const AGENT_DEFAULTS = Object.fromEntries(
  Object.entries(agentShape(AGENT_VOICES)).flatMap(([name, schema]) => {
    const { data } = schema.safeParse(undefined);
    return data === undefined ? [] : [[camelName(name), data]];
  }),
) as Omit<NewAgent, "name" | "prompt">;

/** Fields of a trial, from an unsaved form. */
export const trialShape = () => {
  const fields = changesOf(agentShape(AGENT_VOICES));
  return {
    ...without(fields, NOT_IN_TRIAL),
    // A trial may have no prompt so far, and may use a voice named by the operator.
    prompt: text(100_000, "Instructions.", "You are the receptionist.").optional(),
    voice: text(120, "Voice of the agent.", "Sari").optional(),
  };
};

/** Unsaved changes of the agent, used in the trial. */
export type AgentTrialDraft = Partial<Omit<AgentFields, CamelName<keyof typeof NOT_IN_TRIAL>>>;

const without = <Shape extends object, Name extends string>(
  shape: Shape,
  names: Readonly<Record<Name, string>>,
): Omit<Shape, Name> =>
  Object.fromEntries(Object.entries(shape).filter(([name]) => !(name in names))) as Omit<
    Shape,
    Name
  >;
