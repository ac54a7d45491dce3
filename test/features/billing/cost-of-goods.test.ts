import { expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import { costOfGoods } from "../../../src/features/billing/cost-of-goods.ts";

const prices = {
  sttPerMinute: microEur(6000),
  llmInputPerMillionTokens: microEur(2_500_000),
  llmOutputPerMillionTokens: microEur(10_000_000),
  ttsPerMillionCharacters: microEur(15_000_000),
  embeddingPerMillionTokens: microEur(20_000),
  trunkPerMinute: microEur(9000),
};

test("each part of the cost is its exact price, rounded half up once", () => {
  const usage = { llmInputTokens: 1001, llmOutputTokens: 99, ttsCharacters: 333, sttSeconds: 10.2 };
  expect(costOfGoods(usage, 61_500, prices)).toEqual({
    stt: microEur(1100), // 11 s
    llm: microEur(3493), // 2502.5 + 990
    tts: microEur(4995),
    trunk: microEur(9300), // 62 s
  });
});

test("embedding tokens of knowledge searches count as language model cost", () => {
  const none = { llmInputTokens: 0, llmOutputTokens: 0, ttsCharacters: 0, sttSeconds: 0 };
  const { llm } = costOfGoods({ ...none, embeddingTokens: 1_000 }, 0, prices);
  expect(llm).toBe(microEur(20));
});

test("a call without usage costs nothing", () => {
  const usage = { llmInputTokens: 0, llmOutputTokens: 0, ttsCharacters: 0, sttSeconds: 0 };
  const free = microEur(0);
  const none = { stt: free, llm: free, tts: free, trunk: free };
  expect(costOfGoods(usage, 0, prices)).toEqual(none);
  const dear = { ...prices, embeddingPerMillionTokens: microEur(1_000_000) };
  expect(costOfGoods(usage, 0, dear)).toEqual(none);
});
