/** Agents (specification 2 and 4, decisions.md 3). Built for the voices that the operator allows. */
import { z } from "zod";
import { AGENT_LANGUAGES, AGENT_VOICES } from "../../../domain/agent/agent.ts";
import { DEFAULT_FILLER_PHRASES, DEFAULT_FIRST_MESSAGE } from "../../../domain/agent/defaults.ts";
import {
  deletedReply,
  field,
  httpsUrl,
  idOut,
  okReply,
  shown,
  timeOut,
  withDefaults,
} from "../../contracts/schema.ts";
import { contract } from "../contract.ts";

const text = (max: number, notes: { description: string; example: string }) =>
  field(z.string().max(max), { ...notes, must: `be text of at most ${max} characters` });

const filled = (max: number, notes: { description: string; example: string }) =>
  field(z.string().min(1).max(max).regex(/\S/), {
    ...notes,
    must: `be text of 1 to ${max} characters`,
  });

function agentFields(voices: readonly string[]) {
  return {
    name: filled(120, { description: "Name.", example: "Reception" }),
    prompt: filled(100_000, {
      description: "System prompt.",
      example: "You are the receptionist of a dental clinic.",
    }),
    first_message: text(5_000, {
      description: "Opening utterance. Default: a greeting in the agent's language.",
      example: "Hello! How can I help you?",
    }),
    first_speaker: field(z.enum(["assistant", "customer"]), {
      description: "Who speaks first.",
      example: "assistant",
      must: "be assistant or customer",
    }),
    voice: field(z.enum(voices as [string, ...string[]]), {
      description: "Voice.",
      example: "Sari",
      must: `be one of: ${voices.join(", ")}`,
    }),
    language: field(z.enum(AGENT_LANGUAGES), {
      description: "Language of the conversation.",
      example: "en",
      must: `be one of: ${AGENT_LANGUAGES.join(", ")}`,
    }),
    max_duration_sec: field(z.int().min(30).max(3600), {
      description: "Longest call, in seconds.",
      example: 600,
      must: "be an integer from 30 to 3600",
    }),
    voicemail_action: field(z.enum(["leave_message", "hangup"]), {
      description: "What to do when a machine answers.",
      example: "hangup",
      must: "be leave_message or hangup",
    }),
    send_digits_inbound: field(z.boolean(), {
      description:
        "Whether the agent may press keys on calls that came in, too. On calls it places it always may.",
      example: false,
      must: "be true or false",
    }),
    filler_phrases: text(5_000, {
      description:
        "Phrases for when a tool takes longer than 2.5 s, one a line. Default: three in the agent's language.",
      example: "One moment, please.\nLet me check that.",
    }),
    webhook_url: httpsUrl("Legacy subscriber for call.ended.").nullable(),
    transcript_email: field(z.email().max(254), {
      description: "Recipient of the post-call e-mail.",
      example: "office@example.com",
      must: "be an e-mail address of at most 254 characters",
    }).nullable(),
    transcript_email_enabled: field(z.boolean(), {
      description: "Whether the post-call e-mail is sent. Needs `transcript_email`.",
      example: false,
      must: "be true or false",
    }),
  };
}

const url = shown(z.string().nullable(), "Legacy subscriber for call.ended.", null);

export const Agent = z
  .strictObject({
    id: idOut("agent"),
    name: shown(z.string(), "Name.", "Reception"),
    prompt: shown(z.string(), "System prompt.", "You are the receptionist of a dental clinic."),
    first_message: shown(z.string(), "Opening utterance.", "Hello! How can I help you?"),
    first_speaker: shown(z.enum(["assistant", "customer"]), "Who speaks first.", "assistant"),
    voice: shown(z.string(), "Voice.", "Sari"),
    language: shown(z.enum(AGENT_LANGUAGES), "Language.", "en"),
    max_duration_sec: shown(z.int(), "Longest call, in seconds.", 600),
    voicemail_action: shown(
      z.enum(["leave_message", "hangup"]),
      "When a machine answers.",
      "hangup",
    ),
    send_digits_inbound: shown(
      z.boolean(),
      "Whether it may press keys on calls that came in, too.",
      false,
    ),
    filler_phrases: shown(z.string(), "Filler phrases, one a line.", "One moment, please."),
    webhook_url: url,
    transcript_email: shown(z.string().nullable(), "Recipient of the post-call e-mail.", null),
    transcript_email_enabled: shown(z.boolean(), "Whether the e-mail is sent.", false),
    engine: shown(z.string(), "Internal engine label.", "embedded"),
    created_at: timeOut("When it was made."),
    updated_at: timeOut("When it was last changed."),
  })
  .meta({ id: "Agent" });

export const CreatedAgent = z
  .strictObject({
    id: idOut("agent"),
    name: shown(z.string(), "Name.", "Reception"),
    language: shown(z.enum(AGENT_LANGUAGES), "Language.", "en"),
    voice: shown(z.string(), "Voice.", "Sari"),
    engine: shown(z.string(), "Internal engine label.", "embedded"),
    max_duration_sec: shown(z.int(), "Longest call, in seconds.", 600),
    webhook_url: url,
  })
  .meta({ id: "CreatedAgent" });

export function agentContracts(voices: readonly string[] = AGENT_VOICES) {
  const { name, prompt, ...rest } = agentFields(voices);
  const optional = withDefaults(z.strictObject(rest).partial().shape, {
    first_message: DEFAULT_FIRST_MESSAGE.en,
    first_speaker: "assistant",
    voice: "Sari",
    language: "en",
    max_duration_sec: 600,
    voicemail_action: "hangup",
    filler_phrases: DEFAULT_FILLER_PHRASES.en,
    webhook_url: null,
    transcript_email: null,
    transcript_email_enabled: false,
    send_digits_inbound: false,
  });
  return {
    list: contract({
      operationId: "listAgents",
      cacheable: true,
      method: "GET",
      path: "/agents",
      tag: "Agents",
      summary: "List agents",
      reply: okReply({ agents: z.array(Agent) }),
      errors: [],
    }),
    create: contract({
      operationId: "createAgent",
      method: "POST",
      path: "/agents",
      tag: "Agents",
      summary: "Create an agent",
      description:
        "Only `name` and `prompt` are required. Defaults: a greeting and three filler phrases in the agent's language, `first_speaker` assistant, `voice` Sari, `language` en, `max_duration_sec` 600, `voicemail_action` hangup, no e-mail, no webhook.",
      body: z.strictObject({ name, prompt, ...optional }).meta({ id: "NewAgent" }),
      reply: okReply({ agent: CreatedAgent }),
      errors: ["plan_limit_reached", "valid_name_required", "unknown_field", "invalid_json"],
    }),
    get: contract({
      operationId: "getAgent",
      cacheable: true,
      method: "GET",
      path: "/agents/{id}",
      noun: "agent",
      tag: "Agents",
      summary: "One agent",
      reply: okReply({ agent: Agent }),
      errors: [],
    }),
    update: contract({
      operationId: "updateAgent",
      method: "PATCH",
      path: "/agents/{id}",
      noun: "agent",
      tag: "Agents",
      summary: "Change an agent",
      description: "Any subset of the fields. Live calls keep the agent as it was when they began.",
      body: z
        .strictObject({ name, prompt, ...rest })
        .partial()
        .meta({ id: "AgentChanges" }),
      ignoredBodyFields: ["id", "engine", "created_at", "updated_at"],
      reply: okReply({ agent: Agent }),
      errors: ["valid_voice_required", "unknown_field", "invalid_json"],
    }),
    remove: contract({
      operationId: "deleteAgent",
      method: "DELETE",
      path: "/agents/{id}",
      noun: "agent",
      tag: "Agents",
      summary: "Delete an agent",
      description:
        "Its knowledge files detach; numbers and pending schedules that used it are left without an agent (`agent_id` null). Live calls go on.",
      reply: deletedReply(),
      errors: [],
    }),
  };
}

export type AgentContracts = ReturnType<typeof agentContracts>;
