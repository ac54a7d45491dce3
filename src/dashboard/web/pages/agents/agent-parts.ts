/** The label of each part of an agent, for version comparisons. */
import type { MessageKey } from "../../i18n/catalogue.ts";
import type { AgentDraft } from "./agent-draft.ts";

export const PARTS: Readonly<Record<keyof AgentDraft | "files" | "tools", MessageKey>> = {
  name: "form.name",
  language: "language.label",
  files: "nav.knowledge",
  tools: "nav.tools",
  prompt: "agents.prompt",
  voice: "agents.voice",
  first_message: "agents.first_message",
  first_speaker: "agents.first_speaker",
  filler_phrases: "agents.filler_phrases",
  max_duration_sec: "agents.max_duration_sec",
  voicemail_action: "agents.voicemail_action",
  send_digits_inbound: "agents.send_digits_inbound",
  transcript_email: "agents.transcript_email",
  transcript_email_enabled: "agents.transcript_email_enabled",
  webhook_url: "agents.webhook_url",
};
