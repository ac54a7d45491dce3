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

export const FIRST_SPEAKERS = ["assistant", "customer"] as const;
export const VOICEMAIL_ACTIONS = ["leave_message", "hangup"] as const;
