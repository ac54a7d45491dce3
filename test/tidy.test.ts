/** House style that a machine can check: layers, ports of time and chance, dead code. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { deadExports } from "./support/source/dead-exports.ts";
import { longFunctionsOf } from "./support/source/function-length.ts";
import { cyclesOf, importsOf } from "./support/source/import-graph.ts";

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
 * Layers, by path below `src/`; the first pattern that matches counts. A feature's folder has files of several layers:
 * its rules, its queries (`*-store.ts`), its services, its contracts and routes.
 */
const LAYERS: readonly (readonly [layer: string, files: RegExp])[] = [
  ["cli", /^(?:main\.ts$|cli\/|demo\/)/],
  ["app", /^(?:app|control)\//],
  ["dashboard", /^dashboard\//],
  ["core", /^core\//],
  ["platform", /^(?:platform\/|workers\.ts$)/],
  [
    "routes",
    /^features\/.*(?:routes|contract|page|response|shapes|draft|present-live|call-pcap|stripe-webhook)\.ts$/,
  ],
  [
    "routes",
    /^http\/(?:dashboard\/sockets\/|contracts\/(?:ask|operations|run-operation|command-line-audit)\.ts$)/,
  ],
  ["http", /^http\//],
  [
    "store",
    /^store\/|^(?:features|http)\/.*-stores?\.ts$|^ops\/(?:metrics|revocation)\/.*-store\.ts$|^call\/store\//,
  ],
  [
    "adapters",
    /^(?:sip|media|engine|worker)\/|^features\/(?:knowledge\/(?:index|reader)|billing\/payments|mail\/providers)\//,
  ],
  ["services", /^ops\//],
  ["rules", /^(?:features|call|conversation)\//],
];

/** Use cases that read the store without a port. Rules do not: they get what they need as arguments. */
const SERVICES = new Set([
  ...["agent-push", "agent-scenarios", "agent-source", "agent-splits", "agent-versions"].map(
    (name) => `features/agent/${name}.ts`,
  ),
  ...["log-reader", "nodes", "services"].map((name) => `features/appliance/${name}.ts`),
  ...["call-annotations", "call-records", "call-search", "calls", "follow-call", "reports"].map(
    (name) => `features/call-log/${name}.ts`,
  ),
  "features/contact/memories.ts",
  "features/mail/operator-queue.ts",
  ...["erase-person", "export-tenant"].map((name) => `features/privacy/${name}.ts`),
  ...["feature-settings", "tenants"].map((name) => `features/tenant/${name}.ts`),
  "features/trunk/trunks.ts",
  "features/webhook/webhook-states.ts",
]);

const BELOW: Readonly<Record<string, readonly string[]>> = {
  core: [],
  platform: ["core"],
  rules: ["core", "platform"],
  adapters: ["core", "platform", "rules"],
  store: ["core", "platform", "rules"],
  services: ["core", "platform", "rules", "adapters", "store"],
  http: ["core", "platform", "rules", "store", "services"],
  routes: ["core", "platform", "rules", "store", "services", "http"],
  // The agent form shows, while one types, what calls will say before the agent's first words.
  dashboard: ["core", "rules"],
  app: ["core", "platform", "rules", "adapters", "store", "services", "http", "routes"],
  cli: ["core", "platform", "rules", "adapters", "store", "services", "http", "routes", "app"],
};

const layerOf = (file: string) => {
  const path = file.replace(/^src\//, "");
  if (SERVICES.has(path)) return "services";
  return LAYERS.find(([, files]) => files.test(path))?.[0] ?? "";
};

const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)] as const));

test("imports point down: a file imports its own layer and those below it, types included", () => {
  const wrong = [...imports].flatMap(([file, paths]) => {
    const layer = layerOf(file);
    return paths
      .filter((path) => layerOf(path) !== layer && !BELOW[layer]?.includes(layerOf(path)))
      .map((path) => `${layer} → ${layerOf(path)}: ${file} → ${path}`);
  });
  expect(wrong).toEqual([]);
});

/** `src/features/mail/mails.ts` → `features/mail`; `src/call/state.ts` → `call`. */
const nounOf = (file: string) => /^src\/((?:features\/)?[^/]+)/.exec(file)?.[1] ?? "";

test("the rules of nouns import each other without a circle", () => {
  const nouns = new Map<string, Set<string>>();
  for (const [file, paths] of imports)
    for (const path of paths)
      if (layerOf(file) === "rules" && layerOf(path) === "rules" && nounOf(file) !== nounOf(path))
        nouns.set(nounOf(file), (nouns.get(nounOf(file)) ?? new Set()).add(nounOf(path)));
  expect(nouns.size).toBeGreaterThan(5);
  expect(cyclesOf(nouns)).toEqual([]);
});

test("every file belongs to a layer, and the list of services names files that are there", () => {
  expect([...sources.keys()].filter((file) => layerOf(file) === "")).toEqual([]);
  expect([...SERVICES].filter((path) => !sources.has(`src/${path}`))).toEqual([]);
});

test("no cycle between files, types included", () => {
  expect(cyclesOf(new Map([...imports].map(([file, paths]) => [file, new Set(paths)])))).toEqual(
    [],
  );
});

/** Folders of many files, whose parts are folders: each imports those before it, and files of the folder itself. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  call: [
    "store",
    "admission",
    "ended",
    "live",
    "inbound",
    "outbound",
    "web",
    "recovery",
    "service",
  ],
  conversation: [
    ...[
      "speech",
      "prompt",
      "tools",
      "disclosure",
      "opt-out",
      "answering-machine-detection",
      "turn",
      "session",
    ],
  ],
};

test("a part of a folder imports only the parts before it", () => {
  const folderOf = (file: string) => file.split("/")[1] ?? "";
  const partOf = (file: string) => file.split("/").slice(2, -1)[0] ?? "";
  const wrong = [...imports].flatMap(([file, paths]) => {
    const parts = ["", ...(PARTS[folderOf(file)] ?? [])];
    const at = parts.indexOf(partOf(file));
    return paths
      .filter((path) => parts.length > 1 && folderOf(path) === folderOf(file))
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
    ([file, text]) => !allowed.has(file) && !file.startsWith("src/http/docs/") && direct.test(text),
  );
  expect(wrong.map(([file]) => file)).toEqual([]);
});

test("SIP.js stays behind its seam", () => {
  const reaching = [...sources].filter(
    ([file, text]) => !file.startsWith("src/sip/session/") && /from "sip\.js/.test(text),
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
