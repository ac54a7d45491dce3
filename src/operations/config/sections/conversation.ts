/** [conversation]: turn-taking, silence, tools, disclosure. Times in milliseconds. */
import { z } from "zod";
import { flag, integer, section, tableOf, textOrOff } from "../key.ts";

const sentence = (fallback: string) =>
  textOrOff(fallback, { allowed: "a sentence to speak", charactersMax: 500 });

export const DISCLOSURE = {
  lt: "Sveiki, kalbate su virtualiu asistentu, pokalbis įrašomas.",
  lv: "Labdien, jūs runājat ar virtuālo asistentu, saruna tiek ierakstīta.",
  en: "Hello, you are speaking with an AI assistant, and this call is recorded.",
  ru: "Здравствуйте, с вами говорит виртуальный ассистент, разговор записывается.",
} as const;

export const conversation = section({
  endpointing_ms: integer(350, 100, 5000),
  endpointing_unfinished_ms: integer(900, 100, 5000),
  endpointing_dictation_ms: integer(1600, 100, 10_000),
  endpointing_max_ms: integer(3000, 500, 10_000),
  barge_in_ms: integer(400, 100, 5000),
  barge_in_words: integer(2, 1, 20),
  barge_in_fade_ms: integer(150, 0, 1000),
  resume_after_ms: integer(1500, 200, 10_000),
  idle_prompt_ms: integer(8000, 1000, 120_000),
  idle_prompts: integer(2, 0, 10),
  silence_timeout_ms: integer(30_000, 5000, 600_000),
  never_silent_ms: integer(1200, 200, 10_000),
  filler_delay_ms: integer(2500, 200, 20_000),
  tool_calls_max: integer(20, 0, 1000),
  tool_result_bytes_max: integer(16_384, 256, 1_048_576),
  transfer_targets: tableOf(
    z.string().regex(/^(?:\+[1-9]\d{6,14}|sip:\S{3,200})$/),
    {},
    'names with a number or SIP URI each, e.g. reception = "+37060000000"',
  ),
  disclosure_enabled: flag(true),
  disclosure: section({
    lt: sentence(DISCLOSURE.lt),
    lv: sentence(DISCLOSURE.lv),
    en: sentence(DISCLOSURE.en),
    ru: sentence(DISCLOSURE.ru),
  }),
});
