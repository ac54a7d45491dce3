/** House style that a machine can check: imports between folders, ports of time and chance, dead code. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { deadExports } from "./support/source/dead-exports.ts";
import { longFunctionsOf } from "./support/source/function-length.ts";
import { cyclesOf, importsOf, roomOf } from "./support/source/import-graph.ts";

/** Parsing all sources takes a second, or many on a busy machine. */
setDefaultTimeout(120_000);

const root = fileURLToPath(new URL("..", import.meta.url));
const generated = (file: string) => file.includes(".gen.") || file.endsWith(".d.ts");

async function sourcesOf(
  pattern: string,
  isWanted = (file: string) => !generated(file),
): Promise<Map<string, string>> {
  const files = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }));
  const kept = files.filter(isWanted).sort();
  return new Map(
    await Promise.all(
      kept.map(async (file) => [file, await Bun.file(root + file).text()] as const),
    ),
  );
}

const sources = await sourcesOf("src/**/*.{ts,tsx}");

/** Prose may say "any"; code may not. Good enough for house style, not a parser. */
const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");

/**
 * Allowed imports of each folder, types included; all folders above may import `core` and `platform`. An unlisted
 * folder fails, and so does a listed folder that no longer exists.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "adapter/engine": ["domain/agent", "domain/conversation", "domain/knowledge"],
  "adapter/knowledge": ["adapter/engine", "domain/knowledge"],
  "adapter/mail": ["domain/mail"],
  "adapter/media": ["domain/call", "domain/conversation"],
  "adapter/payments": ["domain/billing"],
  "adapter/sip": ["domain/call"],
  "adapter/store": [
    "domain/agent",
    "domain/billing",
    "domain/call",
    "domain/campaign",
    "domain/contact",
    "domain/conversation",
    "domain/identity",
    "domain/knowledge",
    "domain/mail",
    "domain/number",
    "domain/retention",
    "domain/schedule",
    "domain/tenant",
    "domain/tool",
    "domain/webhook",
  ],
  "adapter/worker": [
    "adapter/engine",
    "adapter/media",
    "domain/call",
    "domain/conversation",
    "domain/knowledge",
    "domain/rehearsal",
    "domain/tool",
  ],
  app: [
    "adapter/engine",
    "adapter/knowledge",
    "adapter/mail",
    "adapter/media",
    "adapter/payments",
    "adapter/sip",
    "adapter/store",
    "adapter/worker",
    "domain/agent",
    "domain/billing",
    "domain/call",
    "domain/campaign",
    "domain/contact",
    "domain/conversation",
    "domain/identity",
    "domain/knowledge",
    "domain/mail",
    "domain/number",
    "domain/rehearsal",
    "domain/retention",
    "domain/schedule",
    "domain/tenant",
    "domain/tool",
    "domain/webhook",
    "interface/contracts",
    "interface/http",
    "operations/admin",
    "operations/backup",
    "operations/config",
    "operations/doctor",
    "operations/ops",
    "operations/privacy",
    "operations/revocation",
    "workers.ts",
  ],
  cli: [
    "adapter/store",
    "app",
    "demo",
    "domain/billing",
    "domain/call",
    "domain/contact",
    "domain/rehearsal",
    "domain/tenant",
    "interface/contracts",
    "interface/control",
    "operations/admin",
    "operations/backup",
    "operations/config",
    "operations/doctor",
    "operations/ops",
    "operations/privacy",
    "operations/revocation",
  ],
  core: [],
  // The agent form shows, while one types, the words that calls say before the agent's first message.
  dashboard: ["domain/agent", "domain/conversation"],
  demo: [
    "adapter/engine",
    "adapter/media",
    "adapter/sip",
    "app",
    "domain/agent",
    "domain/call",
    "domain/conversation",
    "domain/rehearsal",
    "domain/webhook",
    "operations/config",
  ],
  "domain/agent": [],
  "domain/billing": ["domain/mail", "domain/webhook"],
  "domain/call": [
    "domain/agent",
    "domain/billing",
    "domain/contact",
    "domain/conversation",
    "domain/knowledge",
    "domain/mail",
    "domain/number",
    "domain/schedule",
    "domain/tool",
    "domain/webhook",
  ],
  "domain/campaign": ["domain/billing", "domain/call", "domain/contact", "domain/number"],
  "domain/contact": ["domain/agent", "domain/billing", "domain/conversation", "domain/number"],
  "domain/conversation": ["domain/agent", "domain/knowledge"],
  "domain/identity": ["domain/mail"],
  "domain/knowledge": ["domain/agent", "domain/billing"],
  "domain/mail": ["domain/agent"],
  "domain/number": ["domain/billing", "domain/mail"],
  "domain/rehearsal": [
    "domain/agent",
    "domain/billing",
    "domain/call",
    "domain/conversation",
    "domain/tool",
  ],
  "domain/retention": [],
  "domain/schedule": [],
  "domain/tenant": ["domain/agent"],
  "domain/tool": ["domain/billing", "domain/contact", "domain/conversation"],
  "domain/webhook": ["domain/mail"],
  "interface/contracts": [
    "domain/agent",
    "domain/billing",
    "domain/call",
    "domain/campaign",
    "domain/contact",
    "domain/identity",
    "domain/number",
    "domain/tenant",
    "domain/tool",
    "operations/admin",
    "operations/privacy",
  ],
  "interface/control": ["interface/contracts", "operations/admin", "operations/config"],
  "interface/http": [
    "domain/agent",
    "domain/billing",
    "domain/call",
    "domain/campaign",
    "domain/contact",
    "domain/conversation",
    "domain/identity",
    "domain/knowledge",
    "domain/mail",
    "domain/number",
    "domain/rehearsal",
    "domain/tenant",
    "domain/tool",
    "domain/webhook",
    "interface/contracts",
    "operations/admin",
    "operations/backup",
    "operations/doctor",
    "operations/ops",
  ],
  "main.ts": ["cli"],
  "operations/admin": [
    "adapter/sip",
    "adapter/store",
    "domain/agent",
    "domain/billing",
    "domain/call",
    "domain/campaign",
    "domain/contact",
    "domain/conversation",
    "domain/identity",
    "domain/knowledge",
    "domain/number",
    "domain/rehearsal",
    "domain/tenant",
    "domain/tool",
    "domain/webhook",
    "operations/backup",
    "operations/doctor",
    "operations/ops",
    "operations/privacy",
  ],
  "operations/backup": ["adapter/store", "domain/billing", "domain/schedule"],
  "operations/config": ["adapter/engine", "domain/agent", "domain/conversation"],
  "operations/doctor": [
    "adapter/engine",
    "adapter/sip",
    "adapter/store",
    "domain/billing",
    "domain/conversation",
    "domain/tool",
    "operations/backup",
    "operations/config",
    "operations/ops",
    "workers.ts",
  ],
  "operations/ops": ["adapter/engine", "domain/call", "domain/mail", "operations/config"],
  "operations/privacy": ["adapter/store", "domain/call", "domain/contact", "operations/backup"],
  "operations/revocation": ["adapter/store", "domain/identity"],
  "platform/audio": [],
  "platform/config": [],
  "platform/files": [],
  "platform/memory": [],
  "platform/net": [],
  "platform/secrets": [],
  "platform/threads": [],
  "workers.ts": [],
};

const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)] as const));
const arrows = new Map<string, Set<string>>();
for (const [file, paths] of imports) {
  const room = roomOf(file);
  const known = arrows.get(room) ?? new Set();
  arrows.set(room, known);
  for (const path of paths) if (roomOf(path) !== room) known.add(roomOf(path));
}
const isOpen = (from: string, to: string) =>
  to === "core" ? from !== "core" : to.startsWith("platform/") && from !== "core";

test("imports point down: every import between folders is on the list, types included", () => {
  const wrong = [...arrows].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => !isOpen(from, to) && !ALLOWED[from]?.includes(to))
      .map((to) => `${from} → ${to}`),
  );
  expect(wrong).toEqual([]);
});

test("every folder is on the list, and the list names no other", () => {
  expect([...arrows.keys()].sort()).toEqual(Object.keys(ALLOWED).sort());
});

test("no cycle between folders", () => {
  expect(cyclesOf(arrows)).toEqual([]);
});

test("no cycle between files, types included", () => {
  expect(cyclesOf(new Map([...imports].map(([file, paths]) => [file, new Set(paths)])))).toEqual(
    [],
  );
});

/** Folders of many files, whose parts are subfolders: each imports those before it, and its folder's root. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  "adapter/store": [
    ...["schema", "query", "migration", "sqlite", "libsql", "copy", "webhook", "agent"],
    ...["billing", "contact", "identity", "knowledge", "mail", "node", "schedule", "call"],
    ...["retention", "tenant"],
  ],
  "domain/call": [
    ...["admission", "ended", "live", "inbound", "outbound", "web", "recovery", "service"],
  ],
  "domain/conversation": [
    ...["speech", "prompt", "tools", "disclosure", "opt-out", "answering", "turn", "session"],
  ],
};

test("parts of a folder of many files import only the parts before them", () => {
  const partOf = (file: string) => {
    const [, , , part = "", ...rest] = file.split("/");
    return rest.length > 0 ? part : "";
  };
  const wrong = [...imports].flatMap(([file, paths]) => {
    const parts = ["", ...(PARTS[roomOf(file)] ?? [])];
    const at = parts.indexOf(partOf(file));
    return paths
      .filter((path) => parts.length > 1 && roomOf(path) === roomOf(file))
      .filter((path) => at < 0 || !parts.slice(0, at + 1).includes(partOf(path)))
      .map((path) => `${file} → ${path}`);
  });
  expect(wrong).toEqual([]);
});

test("time and chance come through their ports", () => {
  const direct =
    /\bDate\.now\(|\bnew Date\(\)|(?<![.\w])set(?:Timeout|Interval|Immediate)\(|\bMath\.random\(|\bBun\.sleep\(/;
  const allowed = new Set(["src/core/clock.ts", "src/core/random.ts"]);
  const wrong = [...sources].filter(
    ([file, text]) =>
      !allowed.has(file) && !file.startsWith("src/interface/http/docs/") && direct.test(text),
  );
  expect(wrong.map(([file]) => file)).toEqual([]);
});

test("SIP.js stays behind its seam", () => {
  const reaching = [...sources].filter(
    ([file, text]) => !file.startsWith("src/adapter/sip/session/") && /from "sip\.js/.test(text),
  );
  expect(reaching.map(([file]) => file)).toEqual([]);
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

test("every file opens with a comment about its content", () => {
  const bare = [...sources].filter(([, text]) => !/^(#![^\n]*\n)?\/\*\*/.test(text));
  expect(bare.map(([file]) => file)).toEqual([]);
});

test("only the schema's last snapshot is kept, which the next migration is generated from", async () => {
  const tags = await Array.fromAsync(new Bun.Glob("migrations/*.sql").scan({ cwd: root }));
  const last = tags
    .sort()
    .at(-1)
    ?.replace(/^migrations\/(\d+)_.*$/, "$1");
  const kept = await Array.fromAsync(
    new Bun.Glob("migrations/meta/*_snapshot.json").scan({ cwd: root }),
  );
  expect(kept).toEqual([`migrations/meta/${last}_snapshot.json`]);
});

test("no object is spread to fold its properties up", async () => {
  const others = await sourcesOf("{test,scripts,bench}/**/*.{ts,tsx}");
  const folded = [...sources, ...others].filter(([, text]) => text.includes("...{"));
  expect(folded.map(([file]) => file)).toEqual(["test/tidy.test.ts"]);
});

test("no list is spread to fold its elements up", () => {
  const folded = [...sources].filter(([, text]) =>
    /^\s*\.\.\.\(?\[[^,\n].*\](?: as const\))?,?$/m.test(text),
  );
  expect(folded.map(([file]) => file)).toEqual([]);
});

test("functions fit a screen: 60 lines at most", () => {
  const long = [...sources].flatMap(([file, text]) =>
    longFunctionsOf(file, text).map(({ line, lines }) => `${file}:${line}: ${lines} lines`),
  );
  expect(long).toEqual([]);
});

/** Lists generated by the build from files found by name: they import the exports of those files. */
const COLLECTED = "src/dashboard/web/generated/*.gen.ts";

test("every export is imported somewhere", async () => {
  const others = await sourcesOf("{test,scripts,bench}/**/*.ts");
  const dead = deadExports(
    new Map([...sources, ...others, ...(await sourcesOf(COLLECTED, () => true))]),
    (file) => file.startsWith("src/") && file !== "src/main.ts" && !file.endsWith(".worker.ts"),
  );
  expect(dead.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

/**
 * Private words that the trade does not use (ARCHITECTURE.md, Words); replacements: STT, LLM, TTS, request,
 * remedy, result.
 */
const PRIVATE_WORDS =
  /\b(?:ears?|minds?|tongues?|wish(?:es)?|lamps?|mend(?:s|ed)?|verdicts?|postbox|eavesdropper|hush|giveBack|patience|upkeep)\b/i;
const IN_NAMES =
  /\b(?:ear|mind|tongue|wish|lamp|mend|verdict|hush)(?=[A-Z])|(?<=[a-z])(?:Ear|Mind|Tongue|Wish|Lamp|Verdict|Hush)(?![a-z])/;

/** Phrases that people say to each other. */
const ORDINARY_USES = /never mind|changed their mind|best wishes|wish you a happy|mouth-to-ear/;

test("names and comments use the words of the trade", () => {
  const wrong = [...sources].flatMap(([file, text]) =>
    text
      .split("\n")
      .flatMap((line, at) =>
        (PRIVATE_WORDS.test(line) || IN_NAMES.test(line)) && !ORDINARY_USES.test(line)
          ? [`${file}:${at + 1}: ${line}`]
          : [],
      ),
  );
  expect(wrong).toEqual([]);
});

test("files named in comments exist", async () => {
  const others = await sourcesOf("{test,scripts,bench}/**/*.ts");
  const names = new Set(
    [...sources.keys(), ...others.keys()].map((file) => file.slice(file.lastIndexOf("/") + 1)),
  );
  const COMMENT = /\/\*\*[\s\S]*?\*\/|\/\/ .*$/gm;
  const NAMED = /(?<![\w.])[\w-]+(?:\.worker|\.meta)?\.tsx?\b/g;
  const wrong = [...sources].flatMap(([file, text]) =>
    [...text.matchAll(COMMENT)]
      .flatMap(([comment]) => comment.match(NAMED) ?? [])
      .flatMap((name) => (names.has(name) ? [] : [`${file}: ${name}`])),
  );
  expect(wrong).toEqual([]);
});
