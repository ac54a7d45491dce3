/** House style that a machine can hold: import arrows, ports of time and chance, no loose ends. */
import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const generated = (file: string) => file.includes(".gen.") || file.endsWith(".d.ts");

async function sourcesOf(pattern: string): Promise<Map<string, string>> {
  const files = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }));
  const kept = files.filter((file) => !generated(file)).sort();
  return new Map(
    await Promise.all(
      kept.map(async (file) => [file, await Bun.file(root + file).text()] as const),
    ),
  );
}

const sources = await sourcesOf("src/**/*.{ts,tsx}");
const room = (file: string) => file.split("/")[1]?.replace(/\.tsx?$/, "") ?? "";

/** Imports of ours in a file, as paths from the root; `type` imports cost nothing at run time. */
function importsOf(file: string, text: string): { path: string; typeOnly: boolean }[] {
  const found = text.matchAll(/^\s*(?:import|export)\s+(type\s)?[^"';]*?from\s+"(\.[^"]+)"/gm);
  return [...found].map((match) => ({
    path: normalize(join(dirname(file), match[2] ?? "")),
    typeOnly: match[1] !== undefined,
  }));
}

/** Prose may say "any"; code may not. Good enough for house style, not a parser. */
const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");

/** Rooms nobody but the composition may reach for. */
const OUTER = ["app", "cli", "main", "demo", "workers"];
const DOMAIN = [
  "tenant",
  "agent",
  "knowledge",
  "tool",
  "number",
  "call",
  "schedule",
  "billing",
  "webhook",
  "mail",
  "conversation",
  "engine",
  "media",
  "sip",
  "backup",
  "retention",
  "privacy",
  "identity",
];

test("imports point inward: core imports nothing of ours", () => {
  const wrong = [...sources].flatMap(([file, text]) =>
    room(file) === "core"
      ? importsOf(file, text)
          .filter(({ path }) => room(path) !== "core")
          .map(({ path }) => `${file} → ${path}`)
      : [],
  );
  expect(wrong).toEqual([]);
});

test("imports point inward: domain rooms know neither http, cli, app nor ops", () => {
  const forbidden = new Set([...OUTER, "http", "ops"]);
  const wrong = [...sources].flatMap(([file, text]) =>
    DOMAIN.includes(room(file))
      ? importsOf(file, text)
          .filter(({ path }) => forbidden.has(room(path)))
          .map(({ path }) => `${file} → ${path}`)
      : [],
  );
  expect(wrong).toEqual([]);
});

test("imports point inward: audio never reaches signalling, storage or HTTP", () => {
  const forbidden = new Set(["sip", "store", "http", "webhook", "mail", "billing"]);
  const wrong = [...sources].flatMap(([file, text]) =>
    ["media", "conversation", "engine"].includes(room(file))
      ? importsOf(file, text)
          .filter(({ path, typeOnly }) => forbidden.has(room(path)) && !typeOnly)
          .map(({ path }) => `${file} → ${path}`)
      : [],
  );
  expect(wrong).toEqual([]);
});

test("time and chance come through their ports", () => {
  const direct =
    /\bDate\.now\(|\bnew Date\(\)|(?<![.\w])set(?:Timeout|Interval|Immediate)\(|\bMath\.random\(|\bBun\.sleep\(/;
  const allowed = new Set(["src/core/clock.ts", "src/core/random.ts"]);
  const wrong = [...sources].filter(
    ([file, text]) => !allowed.has(file) && !file.startsWith("src/http/docs/") && direct.test(text),
  );
  expect(wrong.map(([file]) => file)).toEqual([]);
});

test("there are no junk drawers", () => {
  const junk = /(^|\/)(utils?|helpers?|common|misc|types|constants)(\.tsx?|\/)/;
  expect([...sources.keys()].filter((file) => junk.test(file))).toEqual([]);
});

test("there are no escape hatches and no loose ends", async () => {
  const tests = await sourcesOf("test/**/*.ts");
  const loose =
    /@ts-(?:ignore|nocheck|expect-error)|\bas any\b|: any\b|not implemented|\btest\.only\(|\bdescribe\.only\(/;
  const wrong = [...sources, ...tests].filter(
    ([file, text]) => file !== "test/tidy.test.ts" && loose.test(withoutComments(text)),
  );
  expect(wrong.map(([file]) => file)).toEqual([]);
});

test("every file opens with what it is", () => {
  const bare = [...sources].filter(([, text]) => !/^(#![^\n]*\n)?\/\*\*/.test(text));
  expect(bare.map(([file]) => file)).toEqual([]);
});

test("files stay small", () => {
  const long = [...sources].filter(([, text]) => text.split("\n").length > 400);
  for (const [file, text] of long) console.warn(`${file}: ${text.split("\n").length} lines`);
  expect(long.length).toBeLessThan(4);
});
