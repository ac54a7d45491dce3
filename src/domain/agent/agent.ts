/** Words of the agent record (specification section 2). */
export const AGENT_VOICES = ["Sari", "Emma", "Nathan", "Adrian"] as const;
export type AgentVoice = (typeof AGENT_VOICES)[number];

/** How a voice speaks of itself where the language marks it. */
export type VoiceGender = "feminine" | "masculine";
export const VOICE_GENDERS: Readonly<Record<AgentVoice, VoiceGender>> = {
  Sari: "feminine",
  Emma: "feminine",
  Nathan: "masculine",
  Adrian: "masculine",
};

export const AGENT_LANGUAGES = ["lt", "lv", "en", "ru"] as const;
export type AgentLanguage = (typeof AGENT_LANGUAGES)[number];
/** As models know them. */
export const LANGUAGE_NAMES: Readonly<Record<AgentLanguage, string>> = {
  en: "English",
  lt: "Lithuanian",
  lv: "Latvian",
  ru: "Russian",
};

/** Fields of an agent that a trial from its form does not take, and why. The trial takes all others. */
export const NOT_IN_TRIAL = {
  name: "the agent does not know its name",
  max_duration_sec: "a trial has another limit",
  voicemail_action: "no machine answers a trial",
  send_digits_inbound: "a browser takes no keys",
  webhook_url: "nothing is sent after a trial",
  transcript_email: "nothing is mailed after a trial",
  transcript_email_enabled: "nothing is mailed after a trial",
} as const;

/** Fields that the agent of a rehearsal by telephone lacks, and why. */
export const NOT_REHEARSED = {
  webhook_url: "nothing is sent after a rehearsal",
  transcript_email: "nothing is mailed after a rehearsal",
  transcript_email_enabled: "nothing is mailed after a rehearsal",
} as const;

export const FIRST_SPEAKERS = ["assistant", "customer"] as const;
export const VOICEMAIL_ACTIONS = ["leave_message", "hangup"] as const;
