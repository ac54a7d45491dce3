/** What a call has used of its engine is the sum of its parts. */
import { expect, test } from "bun:test";
import { UsageMeter } from "../../../src/domain/conversation/usage-meter.ts";

test("tokens, characters and seconds are added up; no cached tokens are none", () => {
  const meter = new UsageMeter();
  meter.tokens({ inputTokens: 10, outputTokens: 2 });
  meter.tokens({ inputTokens: 20, cachedInputTokens: 5, outputTokens: 3 });
  for (const audioMs of [1_000, 500]) meter.recognised(audioMs);
  for (const characters of [7, 8]) meter.synthesised(characters);
  expect(meter.read()).toEqual({
    ...{ llmInputTokens: 30, llmCachedInputTokens: 5, llmOutputTokens: 5 },
    ...{ ttsCharacters: 15, sttSeconds: 1.5 },
  });
});
