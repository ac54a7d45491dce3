/** Texts for people are data: four languages in JSON files, each text in use. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { fill, textsOf } from "../src/core/texts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const LANGUAGES = ["en", "lt", "lv", "ru"];

const readAll = async (pattern: string) => {
  const files = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }));
  const kept = files.filter((file) => !/\.gen\.|^src\/dashboard\//.test(file)).sort();
  return await Promise.all(
    kept.map(async (file) => [file, await Bun.file(root + file).text()] as const),
  );
};

const catalogues = (await readAll("src/**/*texts.json")).map(
  ([file, text]) => [file, JSON.parse(text) as object] as const,
);
const code = (await readAll("src/**/*.{ts,tsx}")).map(
  ([file, text]) => [file, text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")] as const,
);

/** The texts of a file by the path of their keys: `["unpaid", "subject"]`. */
function textsIn(group: object, path: readonly string[] = []): [readonly string[], object][] {
  return Object.entries(group).flatMap(([key, value]): [readonly string[], object][] => {
    const here = [...path, key];
    const isText = LANGUAGES.some((language) => language in value);
    return isText ? [[here, value]] : textsIn(value, here);
  });
}

/** A text without its words: the number of paragraphs, and the placeholders. */
const shapeOf = (text: unknown) => {
  const paragraphs = Array.isArray(text) ? text : [text];
  const placeholders = paragraphs.flatMap((words) => String(words).match(/\{\w+\}/g) ?? []);
  return [paragraphs.length, ...new Set(placeholders.sort())].join(" ");
};

test("each text has the four languages, with the same placeholders in each", () => {
  const wrong = catalogues.flatMap(([file, catalogue]) =>
    textsIn(catalogue)
      .filter(([, text]) => {
        const all = Object.values(text);
        return (
          !Bun.deepEquals(Object.keys(text), LANGUAGES) ||
          all.flat().some((words) => typeof words !== "string" || words.trim() === "") ||
          new Set(all.map(shapeOf)).size > 1
        );
      })
      .map(([path]) => `${file}: ${path.join(".")}`),
  );
  expect(wrong).toEqual([]);
  expect(catalogues.length).toBeGreaterThan(15);
});

/** Code that reads a key: `texts.key`, `"key"`, `{ key }` or `key:` in a list of keys. */
const reads = (text: string, key: string) =>
  new RegExp(`\\.${key}\\b|["']${key}["']|[{,]\\s*${key}\\s*[,}:=]`).test(text);

const nameOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);

/** `src/conversation`, `src/features/mail`: a noun's folder. */
const areaOf = (file: string) => /^src\/(?:features\/)?[^/]+\//.exec(file)?.[0] ?? file;

test("code reads each key", () => {
  const wrong = catalogues.flatMap(([file, catalogue]) => {
    const owners = code.filter(([, text]) => text.includes(`/${nameOf(file)}" with`));
    if (owners.length === 0) return [`${file}: not imported`];
    const near = code.filter(
      ([source, text]) =>
        areaOf(source) === areaOf(file) ||
        owners.some(([owner]) => text.includes(`/${nameOf(owner)}"`)),
    );
    return textsIn(catalogue).flatMap(([path]) => {
      // A variable may select a text of a group; the names are then in another folder.
      const isRead = path.every((key, depth) =>
        (depth === 0 ? near : code).some(([, text]) => reads(text, key)),
      );
      return isRead ? [] : [`${file}: ${path.join(".")}`];
    });
  });
  expect(wrong).toEqual([]);
});

/** Files with words of several languages that nobody reads or hears: the code looks for them. */
const WORD_TABLES = {
  "speech of callers": [
    "src/conversation/answering-machine-detection/greeting-words.ts",
    "src/conversation/opt-out/do-not-call-phrases.ts",
    "src/conversation/opt-out/opt-out.ts",
    "src/conversation/words.ts",
    "src/engine/embedded/scripted/lexicon.ts",
    "src/engine/noise-words.ts",
    "src/features/knowledge/turn-knowledge.ts",
  ],
  "texts that a tenant wrote": [
    "src/conversation/disclosure/disclosure-words.ts",
    "src/conversation/speech/greetings.ts",
    "src/engine/embedded/scripted/knowledge.ts",
    "src/features/contact/csv.ts",
  ],
  "words to search for": [
    "src/engine/embedded/scripted/retrieval.ts",
    "src/features/knowledge/stems.ts",
  ],
  "grammar: case forms, numbers and abbreviations": [
    "src/conversation/prompt/withheld-number.ts",
    "src/engine/abbreviations.ts",
    "src/engine/embedded/speech/spoken-text.ts",
  ],
  "personal data in recorded calls, and its replacements": [
    "src/features/rehearsal/mask.ts",
    "src/features/rehearsal/values.ts",
  ],
};

test("texts of several languages in TypeScript are only words to recognise, and grammar", () => {
  const found = code
    .filter(([, text]) => /[а-яё]{3}/i.test(text) && /[āčēģīķļņšūžąęėįų]/i.test(text))
    .map(([file]) => file);
  expect(found).toEqual(Object.values(WORD_TABLES).flat().sort());
});

test("a value has braces or dollar signs: it stays as it is", () => {
  const texts = textsOf({ group: { hello: { en: "{a} {b} {c}", lt: "", lv: "", ru: "" } } });
  expect(fill(texts.en.group.hello, { a: "{b}", b: "$& $1" })).toBe("{b} $& $1 {c}");
  expect(texts.en).toEqual({ group: { hello: "{a} {b} {c}" } });
});
