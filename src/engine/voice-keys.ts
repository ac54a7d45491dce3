/** `[engine.<id>.voices]`: the provider's names of the API's four voices. */
import type { AgentVoice } from "../features/agent/agent.ts";
import { section, text } from "../platform/config/key.ts";

const NAME = { allowed: "the provider's name of the voice", charactersMax: 200 };

const voice = (name: AgentVoice, fallback: string) =>
  text(`The voice of agents with the voice ${name}.`, fallback, NAME);

export const voiceKeys = (names: Readonly<Record<AgentVoice, string>>) =>
  section({
    Sari: voice("Sari", names.Sari),
    Emma: voice("Emma", names.Emma),
    Nathan: voice("Nathan", names.Nathan),
    Adrian: voice("Adrian", names.Adrian),
  });
