/** `[conversation]`: turn-taking, silence, tools, disclosure. Times in milliseconds. */
import { z } from "zod";
import type { RecordOf } from "../core/wire-names.ts";
import { flag, integer, oneOf, section, tableOf, textOrOff } from "../platform/config/key.ts";
import texts from "./disclosure-texts.json" with { type: "json" };

const sentence = (description: string, fallback: string) =>
  textOrOff(description, fallback, { allowed: "a sentence to speak", charactersMax: 500 });

export const DISCLOSURE = texts.disclosure;

export const conversationKeys = {
  endpointing_ms: integer("Silence that ends a finished sentence.", 350, 100, 5000),
  endpointing_unfinished_ms: integer("Silence that ends an unfinished sentence.", 900, 100, 5000),
  endpointing_dictation_ms: integer(
    "Silence that ends an utterance while the caller dictates digits, a name or an address.",
    1600,
    100,
    10_000,
  ),
  speculate: oneOf(
    'Work that starts after 0.1 s of silence and is discarded if the caller continues: "hearing": speech to text. "all": also the LLM and the first sentence of its answer. At most three times per utterance. Answers come sooner, but discarded work costs money at a provider. Usage reports show this cost.',
    ["off", "hearing", "all"],
    "all",
  ),
  endpointing_max_ms: integer("Maximum silence before an utterance ends.", 3000, 500, 10_000),
  barge_in_ms: integer(
    "Length of the caller's speech that interrupts the agent. At least 650 while no word is recognised, because it may be only a listener's \"okay\".",
    400,
    100,
    5000,
  ),
  barge_in_words: integer("Number of words that also interrupt the agent.", 2, 1, 20),
  barge_in_fade_ms: integer("Fade-out when the agent is interrupted.", 150, 0, 1000),
  resume_after_ms: integer(
    "Silence after a false interruption before the agent continues.",
    1500,
    200,
    10_000,
  ),
  idle_prompt_ms: integer(
    "Silence before the agent asks whether the caller is still there.",
    8000,
    1000,
    120_000,
  ),
  idle_prompts: integer("Number of times that the agent asks a silent caller.", 2, 0, 10),
  silence_timeout_ms: integer("Silence that ends the call.", 30_000, 5000, 600_000),
  never_silent_ms: integer(
    "Time without audio of the answer until the agent says a cached phrase.",
    1200,
    200,
    10_000,
  ),
  filler_delay_ms: integer(
    "Duration of a tool call after which the agent says a filler phrase.",
    2500,
    200,
    20_000,
  ),
  tool_calls_max: integer(
    "Maximum number of tool calls per call. 0: tools are not called.",
    50,
    0,
    1000,
  ),
  tool_result_bytes_max: integer(
    "Maximum size of a tool's response in bytes. A longer one is cut.",
    16_384,
    256,
    1_048_576,
  ),
  knowledge_tokens: integer(
    "Maximum size of an agent's knowledge that is completely in its prompt, in tokens (4 bytes each). Above it, or above three quarters of the model's window, each question comes with the matching passages.",
    24_000,
    0,
    1_000_000,
  ),
  transfer_targets: tableOf(
    "Names and numbers of transfer targets.",
    z.string().regex(/^(?:\+[1-9]\d{6,14}|sip:\S{3,200})$/),
    {},
    'names with a number or SIP URI each, e.g. reception = "+37060000000"',
  ),
  disclosure_enabled: flag(
    "Whether the agent first announces that it is an AI and that the call is recorded.",
    true,
  ),
  disclosure: section({
    lt: sentence("Disclosure in Lithuanian.", DISCLOSURE.lt),
    lv: sentence("Disclosure in Latvian.", DISCLOSURE.lv),
    en: sentence("Disclosure in English.", DISCLOSURE.en),
    ru: sentence("Disclosure in Russian.", DISCLOSURE.ru),
  }),
};

type Keys = z.output<z.ZodObject<typeof conversationKeys>>;
type Values = RecordOf<Keys>;
/** Settings that apply before a conversation begins, or only in a call. */
type Optional = "disclosureEnabled" | "knowledgeTokens" | "toolResultBytesMax" | "transferTargets";

/** The keys of `[conversation]` in camel case, plus the tool timeout. */
export type ConversationSettings = Omit<Values, Optional> &
  Partial<Pick<Values, Optional>> & { readonly toolTimeoutMs: number };
