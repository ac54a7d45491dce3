/** The list of questions that agents could not answer, without a store. */
import { expect, test } from "bun:test";
import { OPERATOR } from "../../../src/core/author.ts";
import {
  UnansweredQuestions,
  type UnansweredRecords,
} from "../../../src/features/knowledge/unanswered.ts";

test("of the newest 2,000 questions, the 100 most frequent are listed", async () => {
  const limits: number[] = [];
  const asked = Array.from({ length: 102 }, (_, n) => ({
    key: `${Math.min(n, 100)}`,
    text: `Question ${n}?`,
    callUuid: "c",
    agentId: 1,
    askedAt: 1_000 - n,
  }));
  const list = async (_: number, limit: number) => {
    limits.push(limit);
    return asked;
  };
  const questions = new UnansweredQuestions({
    database: {},
    records: () => ({ list }),
    files: {},
  } as unknown as ConstructorParameters<typeof UnansweredQuestions>[0]);
  const shown = await questions.list(1);
  expect(limits).toEqual([2_000]);
  expect([shown.length, shown[0]?.key, shown[0]?.count]).toEqual([100, "100", 2]);
});

interface KeptFile {
  readonly id: number;
  readonly filename: string;
  readonly format: string;
  readonly content: string;
  readonly agentIds: readonly number[];
}

type Asked = Awaited<ReturnType<UnansweredRecords["list"]>>[number];

const asked = (text: string, changes: Partial<Asked> = {}): Asked => ({
  key: "plants",
  text,
  callUuid: "c",
  agentId: 1,
  askedAt: 1,
  ...changes,
});

function world(list: readonly Asked[], kept: readonly Omit<KeptFile, "id">[] = []) {
  const files = new Map(kept.map((file, at) => [at + 1, { id: at + 1, ...file }]));
  const settled: string[] = [];
  const questions = new UnansweredQuestions({
    database: { read: null, tx: (work: (queries: null) => Promise<unknown>) => work(null) },
    records: () => ({
      list: async () => list,
      settle: async (_: number, key: string) => {
        settled.push(key);
        return list.filter((one) => one.key === key).length;
      },
    }),
    files: {
      list: async () => [...files.values()],
      get: async (_: number, id: number) => files.get(id),
      create: async (_: number, made: { filename: string; content: string }) => {
        const file = { ...made, id: files.size + 1, format: "md", agentIds: [] };
        files.set(file.id, file);
        return file;
      },
      update: async (
        _: number,
        id: number,
        change: Partial<KeptFile> | ((before: KeptFile) => Partial<KeptFile>),
      ) => {
        const before = files.get(id);
        if (!before) throw new Error(`no file ${id}`);
        files.set(id, { ...before, ...(typeof change === "function" ? change(before) : change) });
        return files.get(id);
      },
    },
  } as unknown as ConstructorParameters<typeof UnansweredQuestions>[0]);
  const answer = (fileId: number | null = null, changes = {}) =>
    questions.answer(
      1,
      { key: "plants", question: "Plants?", variants: [], answer: "Yes.", fileId, ...changes },
      OPERATOR,
    );
  return { questions, files, settled, answer };
}

test("a question is shown as last asked, with up to five other wordings on one line of 300 characters", async () => {
  const texts = ["Last?", "Two?", "Two?", "3", "4", "5", "six\n6", "Seven?", "8"];
  const { questions } = world(
    texts.map((text, at) =>
      asked(text, { agentId: [2, null, 2, 5][at] ?? 2, callUuid: `c${at}`, askedAt: 100 - at }),
    ),
  );
  expect(await questions.list(1)).toEqual([
    {
      key: "plants",
      question: "Last?",
      variants: ["Two?", "3", "4", "5", "six 6"],
      count: 9,
      lastAskedAt: 100,
      callUuid: "c0",
      agentIds: [2, 5],
    },
  ]);
  const long = await world([asked("a".repeat(301))]).questions.list(1);
  expect(long[0]?.question.length).toBe(300);
});

test("more frequent questions come before newer ones", async () => {
  const { questions } = world([
    ...[asked("A", { key: "a" }), asked("B", { key: "b" }), asked("B", { key: "b" })],
    ...[asked("C", { key: "c" })],
  ]);
  expect((await questions.list(1)).map(({ key }) => key)).toEqual(["b", "a", "c"]);
});

const md = { filename: "faq.md", format: "md", content: "# FAQ\n\nText.\n\n", agentIds: [1, 9] };

test("the first answer creates answers.md for the agents of the question; the next one is appended", async () => {
  const { answer, files, settled } = world(
    [asked("Plants?"), asked("Plants?", { agentId: 4 })],
    [md],
  );
  expect(await answer(null, { variants: ["Any plants?", "# Pots / soil"] })).toBe(2);
  expect(files.get(2)).toMatchObject({ filename: "answers.md", agentIds: [1, 4] });
  expect(files.get(2)?.content).toBe("## Plants?\nAlso: Any plants? / Pots, soil\nYes.\n");
  expect(await answer(null, { answer: " # No\nand ## no\n## no. " })).toBe(2);
  expect(files.get(2)?.content).toBe(
    "## Plants?\nAlso: Any plants? / Pots, soil\nYes.\n\n## Plants?\nNo\nand ## no\nno.\n",
  );
  expect([files.size, files.get(1)?.content, settled]).toEqual([
    ...[2, md.content, ["plants", "plants"]],
  ]);
});

test("an answer goes into the given file, for that file's agents and the agents of the question", async () => {
  const { answer, files } = world([asked("Plants?", { agentId: 9 })], [md]);
  expect(await answer(1)).toBe(1);
  expect(files.get(1)?.content).toBe("# FAQ\n\nText.\n\n## Plants?\nYes.\n");
  expect([files.size, files.get(1)?.agentIds]).toEqual([1, [1, 9]]);
  const other = world([asked("Plants?", { agentId: 4 })], [md]);
  await other.answer(1);
  expect(other.files.get(1)?.agentIds).toEqual([1, 9, 4]);
});

test("two answers to one file at the same moment are both stored", async () => {
  const list = [asked("Plants?"), asked("Is there a lift?", { key: "lift" })];
  const { answer, files } = world(list, [md]);
  await Promise.all([answer(1), answer(1, { key: "lift", question: "Is there a lift?" })]);
  expect(files.get(1)?.content).toBe(
    "# FAQ\n\nText.\n\n## Plants?\nYes.\n\n## Is there a lift?\nYes.\n",
  );
});

test.each([
  ["laser white", "laser price white", true],
  ["laser price white", "laser white", true],
  ["laser white", "laser", false],
  ["open sunda", "open satur", false],
  ["morni open sunda", "morni open satur", false],
  ["a b c d", "a b c e", false],
  ["a b c d e", "a b c d f", true],
])("%p and %p are one question: %p", async (one, other, isOne) => {
  const first = { key: one, agentId: 1, askedAt: 2 };
  const { questions, settled, files, answer } = world([
    ...[asked("One?", first), asked("One?", { ...first, askedAt: 3 })],
    asked("Other?", { key: other, agentId: 2, askedAt: 9 }),
  ]);
  const [listed, further] = await questions.list(1);
  expect(further === undefined).toBe(isOne);
  if (!isOne) return;
  expect(listed).toMatchObject({ question: "Other?", variants: ["One?"], count: 3, key: other });
  await answer(null, { key: other });
  expect(settled).toEqual([one, other]);
  expect(files.get(1)?.agentIds.toSorted()).toEqual([1, 2]);
  settled.length = 0;
  await questions.dismiss(1, one);
  expect(settled).toEqual([one, other]);
});

test.each([
  ["a question that is not listed", {}, 1, { key: "other" }, "not_found"],
  ["a file that is not there", {}, 8, {}, "not_found"],
  ["a table", { format: "csv" }, 1, {}, "valid_file_id_required"],
  [
    "a file of 512,001 bytes then",
    { content: "a".repeat(511_983) },
    1,
    {},
    "valid_file_id_required",
  ],
  ["a file of 512,000 bytes then", { content: "a".repeat(511_982) }, 1, {}, "none"],
] as const)("an answer to %s", async (_, file, fileId, changes, code) => {
  const { answer, settled } = world([asked("Plants?")], [{ ...md, ...file }]);
  const refused = answer(fileId, changes).then(
    () => "none",
    (error) => error.code as string,
  );
  expect(await refused).toBe(code);
  expect(settled).toEqual(code === "none" ? ["plants"] : []);
});

test("a question that nobody asked cannot be dismissed", async () => {
  const { questions, settled } = world([asked("Plants?")]);
  await questions.dismiss(1, "plants");
  expect(questions.dismiss(1, "other")).rejects.toThrow("Question not found");
  expect(settled).toEqual(["plants", "other"]);
});
