/** Limits and defaults of `[conversation]`, as in docs/configuration.md. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { conversationKeys } from "../../src/conversation/conversation-settings.ts";

const keys = z.object(conversationKeys);
const takes = (key: string, value: unknown) => keys.safeParse({ [key]: value }).success;

test.each([
  ["endpointing_ms", 350, 100, 5_000],
  ["endpointing_unfinished_ms", 900, 100, 5_000],
  ["endpointing_dictation_ms", 1_600, 100, 10_000],
  ["endpointing_max_ms", 3_000, 500, 10_000],
  ["barge_in_ms", 400, 100, 5_000],
  ["barge_in_words", 2, 1, 20],
  ["barge_in_fade_ms", 150, 0, 1_000],
  ["resume_after_ms", 1_500, 200, 10_000],
  ["idle_prompt_ms", 8_000, 1_000, 120_000],
  ["idle_prompts", 2, 0, 10],
  ["silence_timeout_ms", 30_000, 5_000, 600_000],
  ["never_silent_ms", 1_200, 200, 10_000],
  ["filler_delay_ms", 2_500, 200, 20_000],
  ["tool_calls_max", 50, 0, 1_000],
  ["tool_result_bytes_max", 16_384, 256, 1_048_576],
  ["knowledge_tokens", 24_000, 0, 1_000_000],
] as const)("%s is %d by default; %d to %d are accepted", (key, byDefault, least, most) => {
  expect(keys.parse({})[key]).toBe(byDefault);
  const values = [least - 1, least, most, most + 1];
  expect(values.map((value) => takes(key, value))).toEqual([false, true, true, false]);
});

test("a disclosure has at most 500 characters", () => {
  const says = (length: number) => takes("disclosure", { en: "a".repeat(length) });
  expect([says(500), says(501)]).toEqual([true, false]);
});
