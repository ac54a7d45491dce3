/** An agent as the form edits it, and as the API takes it. */
import type { Rest } from "../../api/client.ts";

type Agent = Rest["Agent"];

export interface AgentDraft {
  readonly name: string;
  readonly prompt: string;
  readonly first_message: string;
  readonly first_speaker: Agent["first_speaker"];
  readonly voice: string;
  readonly language: Agent["language"];
  readonly max_duration_sec: number | null;
  readonly voicemail_action: Agent["voicemail_action"];
  readonly send_digits_inbound: boolean;
  readonly filler_phrases: string;
  readonly webhook_url: string;
  readonly transcript_email: string;
  readonly transcript_email_enabled: boolean;
}

export const emptyDraft = (language: Agent["language"]): AgentDraft => ({
  name: "",
  prompt: "",
  first_message: "",
  first_speaker: "assistant",
  voice: "Sari",
  language,
  max_duration_sec: 600,
  voicemail_action: "hangup",
  send_digits_inbound: false,
  filler_phrases: "",
  webhook_url: "",
  transcript_email: "",
  transcript_email_enabled: false,
});

export const draftOf = (agent: Agent): AgentDraft => ({
  ...agent,
  webhook_url: agent.webhook_url ?? "",
  transcript_email: agent.transcript_email ?? "",
});

/** As the API takes it: empty addresses are null. */
export const bodyOf = (draft: AgentDraft) => ({
  name: draft.name,
  prompt: draft.prompt,
  first_message: draft.first_message,
  first_speaker: draft.first_speaker,
  voice: draft.voice as "Sari",
  language: draft.language,
  max_duration_sec: draft.max_duration_sec ?? 600,
  voicemail_action: draft.voicemail_action,
  send_digits_inbound: draft.send_digits_inbound,
  filler_phrases: draft.filler_phrases,
  webhook_url: draft.webhook_url || null,
  transcript_email: draft.transcript_email || null,
  transcript_email_enabled: draft.transcript_email_enabled,
});

/** A new agent's empty texts are left out: the API has good ones in the agent's language. */
export function newBodyOf(draft: AgentDraft) {
  const { first_message, filler_phrases, ...body } = bodyOf(draft);
  return {
    ...body,
    ...(first_message ? { first_message } : {}),
    ...(filler_phrases ? { filler_phrases } : {}),
  };
}
