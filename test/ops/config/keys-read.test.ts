/** Every configuration key is read somewhere: by its name, or by a name built from it. */
import { expect, test } from "bun:test";
import { itemKeys, knownKeys } from "../../../src/ops/config/known-keys.ts";

const SOURCES = new URL("../../../src/", import.meta.url).pathname;
/** `timeout_ms: integer(` and similar lines declare a key. */
const DECLARATION = /^\s*\w+: \w+\($|^\s*\w+: \w+\(.*["'\d)]/gm;
/** The names by which a key may be read; `${part}_api_key` reads those of all parts. */
const namesOf = (key: string) => [key, camelCased(key), key.replace(/^(?:stt|llm|tts)(?=_)/, "")];
const camelCased = (key: string) => key.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

async function readers(): Promise<string> {
  const files = [...new Bun.Glob("**/*.ts").scanSync({ cwd: SOURCES })].filter(
    (file) => !/^(?:dashboard|demo)\/|\.gen\.ts$/.test(file),
  );
  const texts = await Promise.all(files.map((file) => Bun.file(SOURCES + file).text()));
  return texts.join("\n").replace(DECLARATION, "");
}

test("every key of the configuration is read somewhere", async () => {
  const text = await readers();
  const words = new Set(text.match(/\w+/g));
  const unread = [...knownKeys, ...itemKeys(["plans"])]
    .map(({ path }) => path.at(-1) ?? "")
    .filter((key) => !namesOf(key).some((name) => words.has(name)));
  expect(unread).toEqual([]);
  expect(knownKeys.length).toBeGreaterThan(150);
});
