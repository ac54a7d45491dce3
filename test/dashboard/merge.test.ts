/** Two people change one record: whose value stands, and where somebody must be asked. */
import { expect, test } from "bun:test";
import { changesOf, merged } from "../../src/dashboard/web/ui/merge.ts";

const before = { name: "Reception", prompt: "Answer.", agents: [1] };

test("what only one of them changed stands", () => {
  const mine = { ...before, prompt: "Answer briefly." };
  const theirs = { ...before, name: "Front desk", agents: [1, 2] };
  expect(merged(before, mine, theirs)).toEqual({
    values: { name: "Front desk", prompt: "Answer briefly.", agents: [1, 2] },
    clashes: [],
  });
});

test("a field that both changed to different values is a clash, to the same value is none", () => {
  const mine = { ...before, prompt: "Mine.", agents: [] };
  const theirs = { ...before, prompt: "Theirs.", agents: [] };
  const { values, clashes } = merged(before, mine, theirs);
  expect(values).toEqual({ name: "Reception", prompt: "Mine.", agents: [] });
  expect(clashes).toEqual([{ name: "prompt", label: "prompt", mine: "Mine.", theirs: "Theirs." }]);
});

test("only changed fields are sent", () => {
  expect(changesOf(before, { ...before, agents: [2] })).toEqual({ agents: [2] });
  expect(changesOf(before, { ...before })).toEqual({});
});
