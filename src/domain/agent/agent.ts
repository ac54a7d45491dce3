/** Words of the agent record (specification section 2). */
export const AGENT_VOICES = ["Sari", "Emma", "Nathan", "Adrian"] as const;
export type AgentVoice = (typeof AGENT_VOICES)[number];

export const AGENT_LANGUAGES = ["lt", "lv", "en", "ru"] as const;
export type AgentLanguage = (typeof AGENT_LANGUAGES)[number];

export const FIRST_SPEAKERS = ["assistant", "customer"] as const;
export const VOICEMAIL_ACTIONS = ["leave_message", "hangup"] as const;
