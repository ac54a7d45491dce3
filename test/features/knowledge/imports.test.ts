/** The files made from an added document: named, headed and split. */
import { expect, test } from "bun:test";
import { DocumentImports, partName } from "../../../src/features/knowledge/imports.ts";

type Deps = ConstructorParameters<typeof DocumentImports>;

async function added(markdown: string, title: string, footer = "") {
  const made: { filename: string; content: string; agentId: number | null }[] = [];
  const files = { createAll: async (_: number, drafts: typeof made) => void made.push(...drafts) };
  const reader = { read: async () => ({ markdown, title, footer, emptyPages: 2 }) };
  const imports = new DocumentImports(files as unknown as Deps[0], reader as unknown as Deps[1]);
  const document = { filename: "price list.pdf", bytes: new Uint8Array(), agentId: 7 };
  const { emptyPages } = await imports.add(1, document, {} as Parameters<typeof imports.add>[2]);
  return { made, emptyPages };
}

test.each([
  ["Prices", "A tooth costs 40 EUR.", "# Prices\n\nA tooth costs 40 EUR."],
  ["Prices", "# All prices\n\nA tooth.", "# All prices\n\nA tooth."],
  ["", "A tooth costs 40 EUR.", "A tooth costs 40 EUR."],
])("titled %j, it begins with one heading", async (title, markdown, begin) => {
  const { made, emptyPages } = await added(markdown, title);
  expect(made.map(({ filename, agentId }) => [filename, agentId])).toEqual([["price list.md", 7]]);
  expect(made[0]?.content.trim()).toBe(begin);
  expect(emptyPages).toBe(2);
});

test.each([
  ["Clinic", "# Clinic\n\nWelcome.\n\n# Clinic\n\nOpen 9–17"],
  ["", "Welcome.\n\n# price list.pdf\n\nOpen 9–17"],
])("the footer of a page titled %j is at the end, once", async (title, text) => {
  const { made } = await added("Welcome.", title, "Open 9–17");
  expect(made[0]?.content.trim()).toBe(text);
});

test("a part is named after the document, with at most 120 characters of its name", () => {
  expect(partName("price list.pdf", 1)).toBe("price list-2.md");
  expect(partName(`${"a".repeat(121)}.pdf`, 0)).toBe(`${"a".repeat(120)}.md`);
  expect([partName(".pdf", 0), partName("a/b.docx", 0)]).toEqual(["document.md", "a-b.md"]);
});

test("without a running server nothing can be read", async () => {
  const imports = new DocumentImports({} as unknown as Deps[0], null);
  const document = { filename: "a.pdf", bytes: new Uint8Array(), agentId: null };
  await expect(
    imports.add(1, document, {} as Parameters<typeof imports.add>[2]),
  ).rejects.toMatchObject({ code: "unavailable" });
});

test("a company may have three documents read at a time, whatever others do: below, at and above", async () => {
  const waiting: ((value: object) => void)[] = [];
  const read = () => new Promise<object>((settle) => waiting.push(settle));
  const files = { createAll: async () => [] };
  const imports = new DocumentImports(files as unknown as Deps[0], { read } as unknown as Deps[1]);
  const document = { filename: "a.pdf", bytes: new Uint8Array(), agentId: null };
  const add = (tenantId: number) =>
    imports.add(tenantId, document, {} as Parameters<typeof imports.add>[2]).then(
      () => "added",
      ({ code }) => code,
    );
  const added = [add(1), add(1), add(1)];
  expect(await add(1)).toBe("unavailable");
  added.push(add(2));
  for (const settle of waiting) settle({ markdown: "A", title: "", footer: "", emptyPages: 0 });
  expect(await Promise.all(added)).toEqual(Array(4).fill("added"));
  const later = add(1);
  waiting.at(-1)?.({ markdown: "A", title: "", footer: "", emptyPages: 0 });
  expect(await later).toBe("added");
});
