/** `[conversation]`: turn-taking, silence, tools, disclosure. Times in milliseconds. */
import { z } from "zod";
import type { RecordOf } from "../core/wire-names.ts";
import { flag, integer, oneOf, section, tableOf, textOrOff } from "../platform/config/key.ts";

const sentence = (description: string, fallback: string) =>
  textOrOff(description, fallback, { allowed: "a sentence to speak", charactersMax: 500 });

export const DISCLOSURE = {
  lt: "Kalbate su dirbtinio intelekto asistentu, pokalbis įrašomas.",
  lv: "Jūs runājat ar mākslīgā intelekta asistentu, saruna tiek ierakstīta.",
  en: "You are speaking with an artificial intelligence assistant, and this call is being recorded.",
  ru: "С вами говорит ассистент с искусственным интеллектом, разговор записывается.",
} as const;

export const conversationKeys = {
  endpointing_ms: integer("Silence that ends a finished sentence.", 350, 100, 5000),
  endpointing_unfinished_ms: integer("Silence that ends an unfinished sentence.", 900, 100, 5000),
  endpointing_dictation_ms: integer(
    "Silence that ends an utterance while digits, a name or an address are dictated.",
    1600,
    100,
    10_000,
  ),
  speculate: oneOf(
    'What is begun at the first 0.1 s of silence, and thrown away if the caller goes on: "hearing" recognises; "all" also asks the LLM and makes the first sentence of its answer. At most three times an utterance. Answers come sooner; what is thrown away costs money at a provider, and usage shows how much.',
    ["off", "hearing", "all"],
    "all",
  ),
  endpointing_max_ms: integer("Longest silence that is ever waited for.", 3000, 500, 10_000),
  barge_in_ms: integer(
    'Speech of the caller that interrupts the agent. As long as no word of it is known, at least 650: it may be only a listener\'s "okay".',
    400,
    100,
    5000,
  ),
  barge_in_words: integer("So many words interrupt the agent, too.", 2, 1, 20),
  barge_in_fade_ms: integer("Fade-out of an interrupted agent.", 150, 0, 1000),
  resume_after_ms: integer(
    "After a false interruption the agent goes on after this silence.",
    1500,
    200,
    10_000,
  ),
  idle_prompt_ms: integer(
    "A silent caller is asked whether they are still there after this.",
    8000,
    1000,
    120_000,
  ),
  idle_prompts: integer("How often a silent caller is asked.", 2, 0, 10),
  silence_timeout_ms: integer("A silent call ends after this.", 30_000, 5000, 600_000),
  never_silent_ms: integer(
    "When no audio of an answer is there after this, the agent says a cached phrase.",
    1200,
    200,
    10_000,
  ),
  filler_delay_ms: integer(
    "When a tool takes longer, the agent says a filler phrase.",
    2500,
    200,
    20_000,
  ),
  tool_calls_max: integer("Most tool calls in one call; 0: none is made.", 50, 0, 1000),
  tool_result_bytes_max: integer(
    "A longer answer of a tool is cut to so many bytes.",
    16_384,
    256,
    1_048_576,
  ),
  knowledge_tokens: integer(
    "Knowledge of an agent that goes whole into its prompt, in tokens (4 bytes each). Above it, or above three quarters of the model's window, each question comes with the passages that fit.",
    24_000,
    0,
    1_000_000,
  ),
  transfer_targets: tableOf(
    "Transfer targets, by name.",
    z.string().regex(/^(?:\+[1-9]\d{6,14}|sip:\S{3,200})$/),
    {},
    'names with a number or SIP URI each, e.g. reception = "+37060000000"',
  ),
  disclosure_enabled: flag(
    "Whether the agent first says that it is an AI and that the call is recorded.",
    true,
  ),
  disclosure: section({
    lt: sentence("The disclosure in Lithuanian.", DISCLOSURE.lt),
    lv: sentence("The disclosure in Latvian.", DISCLOSURE.lv),
    en: sentence("The disclosure in English.", DISCLOSURE.en),
    ru: sentence("The disclosure in Russian.", DISCLOSURE.ru),
  }),
};

type Keys = z.output<z.ZodObject<typeof conversationKeys>>;
type Values = RecordOf<Keys>;
/** Settings that apply before a conversation begins, or only in a call. */
type Optional = "disclosureEnabled" | "knowledgeTokens" | "toolResultBytesMax" | "transferTargets";

/** The keys of `[conversation]` in camel case, plus the tool timeout. */
export type ConversationSettings = Omit<Values, Optional> &
  Partial<Pick<Values, Optional>> & { readonly toolTimeoutMs: number };
