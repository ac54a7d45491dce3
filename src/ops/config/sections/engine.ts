/** [engine] and its tables, one per registered provider. */
import { z } from "zod";
import { guardKeys } from "../../../engine/fallback/guard-settings.ts";
import {
  COMBINED_PROVIDERS,
  completeIds,
  idsOf,
  LLM_PROVIDERS,
  STT_PROVIDERS,
  TTS_PROVIDERS,
} from "../../../engine/registry.ts";
import { AGENT_VOICES } from "../../../features/agent/agent.ts";
import { oneOf, quoted, section, tableOf, textOrOff } from "../../../platform/config/key.ts";

const PROVIDERS = [
  ...STT_PROVIDERS,
  ...LLM_PROVIDERS,
  ...TTS_PROVIDERS,
  ...COMBINED_PROVIDERS,
] as const;

type AnyProvider = (typeof PROVIDERS)[number];
type Keys<Id> = Extract<AnyProvider, { readonly id: Id }>["settings"];
type Tables = { [Id in AnyProvider["id"]]: ReturnType<typeof section<Keys<Id>>> };

/** Parts with the same provider id share a table, which has the keys of all of them. */
function tables(): Tables {
  const byId = new Map<string, { shape: z.ZodRawShape; description: string }>();
  for (const { id, settings, ...provider } of PROVIDERS) {
    const description = "description" in provider ? (provider.description ?? "") : "";
    const shape = { ...byId.get(id)?.shape, ...settings };
    byId.set(id, { shape, description });
  }
  const sections = [...byId].map(
    ([id, { shape, description }]) => [id, section(shape, description)] as const,
  );
  return Object.fromEntries(sections) as unknown as Tables;
}

const partChoice = (description: string, ids: readonly string[]) =>
  textOrOff(description, "", {
    allowed: ids.map((id) => `"${id}"`).join(" or "),
    matches: (text) => ids.includes(text),
  });

/** The provider of one part, and its fallback. */
const partChoices = <P extends "stt" | "llm" | "tts">(part: P, what: string) =>
  ({
    [part]: partChoice(`Provider of ${what}. Empty: the value of kind.`, idsOf(part)),
    [`${part}_fallback`]: partChoice(
      `Fallback provider of ${what}. Empty: the value of fallback.`,
      idsOf(part),
    ),
  }) as { [Key in P | `${P}_fallback`]: ReturnType<typeof partChoice> };

const choice = (description: string, ids: readonly string[]) =>
  oneOf(description, ids as [string, ...string[]], "embedded");

export const engine = section({
  kind: choice(
    "Provider of speech to text, language model and text to speech.",
    completeIds("kind"),
  ),
  ...partChoices("stt", "speech to text"),
  ...partChoices("llm", "the language model"),
  ...partChoices("tts", "text to speech"),
  fallback: choice(
    'Fallback provider, used when the main provider fails. If all providers fail, the embedded engine takes a message, except with "none".',
    [...completeIds("fallback"), "none"],
  ),
  ...guardKeys,
  voice_aliases: tableOf(
    "Additional voice names for tenants.",
    z.enum(AGENT_VOICES),
    {},
    `your names of voices, each for one of ${quoted(AGENT_VOICES)}, e.g. "Brand Sari" = "Sari"`,
  ),
  ...tables(),
});
