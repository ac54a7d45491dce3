/** A call's engine usage is the sum of its parts. */
import { expect, test } from "bun:test";
import { UsageMeter } from "../../src/conversation/usage-meter.ts";

test("tokens, characters and seconds are added up, and the discarded ones among them", () => {
  const meter = new UsageMeter();
  meter.tokens({ inputTokens: 10, outputTokens: 2 });
  meter.tokens({ inputTokens: 20, cachedInputTokens: 5, outputTokens: 3 });
  meter.tokens({ inputTokens: 8, outputTokens: 1, discarded: { inputTokens: 4, outputTokens: 1 } });
  meter.recognised({ audioMs: 1_000 });
  meter.recognised({ audioMs: 500, discardedMs: 200 });
  for (const characters of [7, 8]) meter.synthesised(characters);
  meter.synthesisedInVain(6);
  expect(meter.read()).toEqual({
    llmInputTokens: 38,
    llmCachedInputTokens: 5,
    llmOutputTokens: 6,
    ttsCharacters: 21,
    sttSeconds: 1.5,
    discarded: { llmInputTokens: 4, llmOutputTokens: 1, ttsCharacters: 6, sttSeconds: 0.2 },
  });
});
