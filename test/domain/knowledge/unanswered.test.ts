/** The list of questions that agents could not answer, without a store. */
import { expect, test } from "bun:test";
import { UnansweredQuestions } from "../../../src/domain/knowledge/unanswered.ts";

test("the newest 2,000 are looked at, and the hundred that were asked most often are shown", async () => {
  const limits: number[] = [];
  const asked = Array.from({ length: 102 }, (_, n) => ({
    ...{ key: `${Math.min(n, 100)}`, text: `Question ${n}?`, callUuid: "c", agentId: 1 },
    askedAt: 1_000 - n,
  }));
  const list = async (_: number, limit: number) => {
    limits.push(limit);
    return asked;
  };
  const questions = new UnansweredQuestions({
    ...{ database: {}, records: () => ({ list }), files: {} },
  } as unknown as ConstructorParameters<typeof UnansweredQuestions>[0]);
  const shown = await questions.list(1);
  expect(limits).toEqual([2_000]);
  expect([shown.length, shown[0]?.key, shown[0]?.count]).toEqual([100, "100", 2]);
});
