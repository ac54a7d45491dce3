/** Comparison of two agent versions: changed parts, and word by word differences. */
import { expect, test } from "bun:test";
import type { AgentContent } from "../../../src/features/agent/agent-content.ts";
import { changedParts, compareContents } from "../../../src/features/agent/version-comparison.ts";

const content = (fields: object): AgentContent =>
  ({ name: "A", files: [], tools: [], ...fields }) as unknown as AgentContent;
async function segmentsOf(before: string, after: string) {
  const [from, to] = [content({ prompt: before }), content({ prompt: after })];
  return (await compareContents(from, to, () => undefined))[0]?.segments;
}

test("added and removed words are separated from unchanged ones", async () => {
  expect(await segmentsOf("We open at nine.", "We open at ten.")).toEqual([
    { op: "same", text: "We open at " },
    { op: "removed", text: "nine" },
    { op: "added", text: "ten" },
    { op: "same", text: "." },
  ]);
  expect(await segmentsOf("", "New.")).toEqual([{ op: "added", text: "New." }]);
  expect(await segmentsOf("Same.", "Same.")).toBeUndefined();
});

test.each([
  [480, 480],
  [481, 160 + 3 + 160],
])("of %d unchanged characters %d are shown", async (length, shown) => {
  const same = "a".repeat(length - 1);
  const [first] = (await segmentsOf(`${same} one`, `${same} two`)) ?? [];
  expect([first?.op, first?.text.length]).toEqual(["same", shown]);
  if (shown < length) expect(first?.text).toBe(`${"a".repeat(160)}\n…\n${`${same} `.slice(-160)}`);
});

test("texts of more than 100,000 characters together are compared by lines", async () => {
  const of = (length: number) =>
    segmentsOf(`${"a ".repeat(20)}one`, `${"a ".repeat(20)}${"b".repeat(length)}`);
  const others = 43 + 40;
  expect((await of(100_000 - others))?.[0]?.op).toBe("same");
  expect((await of(100_001 - others))?.[0]?.op).toBe("removed");
});

test("files are compared by text, tools by field, in the order of their names", async () => {
  const before = content({
    files: [{ filename: "a.md", sha256: "1" }],
    tools: [{ name: "book", url: "https://a.example" }],
  });
  const after = content({
    files: [{ filename: "b.md", sha256: "2" }],
    tools: [{ name: "book", url: "https://b.example" }],
  });
  const texts: Record<string, string> = { 1: "Old.", 2: "New." };
  expect(await compareContents(before, after, (sha256) => texts[sha256])).toMatchObject([
    { part: "files", name: "a.md", segments: [{ op: "removed", text: "Old." }] },
    { part: "files", name: "b.md", segments: [{ op: "added", text: "New." }] },
    { part: "tools", name: "book" },
  ]);
  const parameters = { type: "object", properties: { day: { type: "string" } } };
  const withTool = content({ tools: [{ name: "book", parameters }] });
  const [, shown] = await compareContents(null, withTool, () => undefined);
  const yaml = ["type: object", "properties:", "  day:", "    type: string"];
  expect(shown?.segments.map(({ text }) => text)).toEqual([
    ["parameters:", ...yaml.map((line) => `  ${line}`)].join("\n"),
  ]);
  expect(await compareContents(null, content({}), () => undefined)).toEqual([
    { part: "name", name: null, segments: [{ op: "added", text: "A" }] },
  ]);
  expect(changedParts(before, after)).toEqual(["files", "tools"]);
  expect(changedParts(before, before)).toEqual([]);
});
