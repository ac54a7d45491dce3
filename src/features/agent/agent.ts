/** Values of the agent record's fields (specification section 2). */
export const AGENT_VOICES = ["Sari", "Emma", "Nathan", "Adrian"] as const;
export type AgentVoice = (typeof AGENT_VOICES)[number];

/** Grammatical gender in which a voice speaks of itself. */
type VoiceGender = "feminine" | "masculine";
export const VOICE_GENDERS: Readonly<Record<AgentVoice, VoiceGender>> = {
  Sari: "feminine",
  Emma: "feminine",
  Nathan: "masculine",
  Adrian: "masculine",
};

export const AGENT_LANGUAGES = ["lt", "lv", "en", "ru"] as const;
export type AgentLanguage = (typeof AGENT_LANGUAGES)[number];
/** Names for use in prompts. */
export const LANGUAGE_NAMES: Readonly<Record<AgentLanguage, string>> = {
  en: "English",
  lt: "Lithuanian",
  lv: "Latvian",
  ru: "Russian",
};

/** Fields that a trial from the form ignores, with the reason. */
export const NOT_IN_TRIAL = {
  name: "the agent does not know its name",
  max_duration_sec: "a trial has another limit",
  voicemail_action: "no machine answers a trial",
  send_digits_inbound: "a browser takes no keys",
  webhook_url: "nothing is sent after a trial",
  transcript_email: "nothing is mailed after a trial",
  transcript_email_enabled: "nothing is mailed after a trial",
} as const;

/** Fields that a telephone rehearsal's agent does not have, with the reason. */
export const NOT_REHEARSED = {
  webhook_url: "nothing is sent after a rehearsal",
  transcript_email: "nothing is mailed after a rehearsal",
  transcript_email_enabled: "nothing is mailed after a rehearsal",
} as const;

export const FIRST_SPEAKERS = ["assistant", "customer"] as const;
export const VOICEMAIL_ACTIONS = ["leave_message", "hangup"] as const;
