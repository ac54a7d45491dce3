/**
 * Finds constructions that readers stumble over, in comments, test names, Markdown, messages and OpenAPI descriptions.
 * The rules were measured against four projects of the same trade; they find about 60 % of such sentences.
 */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Rules for prose, by id. `P8` applies to doc comments as written, the others to text without code. */
const RULES: Readonly<Record<string, RegExp>> = {
  P1: /\b(?:tells?|telling|told)\b(?! (?:you|us|me|him|her|them|the (?:caller|user|operator|owner|agent|person|model|customer|reader|LLM|browser|client|worker|provider)s?|callers?|agents?|operators?|owners?)\b)/g,
  P2: /\b[Ww]hat (?:is|was|are|were|has|had|came|comes|goes|went|stands|stood|no|nobody|must|may|can|could|waits?|follows?|still|it (?:is|was|has|had|wrote|sends|sent|gave|said|takes|costs)|they (?:are|were|have|had|said))\b/g,
  P3: /(?:^|[.;:|] |, |\*\* )[Ww]hoever \w+| (?:^|\. |\*\* )[Ww]ho (?!(?:is|are|was|can|may|should|will|does|do) (?:it|you|they|this|that|the)\b)\w+/gm,
  P4: /(?:,|\(|^|;|\b(?:only|even|and|but|or)) ?[Ww]here (?:it|there|that|this|one|no|nobody|none|they|both|nothing|an? \w+|the \w+(?:'s)?(?: \w+)?) (?:is|are|was|were|has|had|can|cannot|may|must|does|do|wants?|needs?|allows?|permits?|knows?|says|answers?|refuses?|supports?|accepts?|names?)\b/gm,
  P5: /\bof (?:its|their|our|your|his|her) own\b|\bof (?:ours|yours|theirs)\b/g,
  P6: /(?<!of )(?:\b\d[\d,–]*(?:\.\d+)?(?: (?!of|on|for|at|in)\w+)?|\b(?:one|two|three|four|once|twice|file|row|socket|look-up|copy|thread)) an? (?:call|tenant|packet|worker|trunk|utterance|number|line|socket|thread|job|provider|company|voice|language|address|frame|character|million|key|node|event|request|message|row|page|agent|month|server|connection|segment|site|file)\b(?! (?:that|which|who|of|is|with|at|in|where)\b)/g,
  P7: /\b(?:stands?|stood) (?:in|on|at|under|beside|above|below|before|behind|there|where|as|with|alone|by)\b/g,
  P8: /^\/\*\*\s*\*?\s*(?:Of|Which|Whose|Whom|For whom|As) \w/g,
  P9: /\b(?:mend(?:s|ed)?|heed(?:s|ed)?|anew|in vain|dear(?:er)?|seldom|but for (?!a moment)|at the latest|so many|in turns|for want of|begin's|whence|lest|thereof|the deed|begun|[Rr]ivals?|sittings?|talkers?)\b/g,
  P10: /\bbeside\b(?! it\b)/g,
  P11: /\b\d[\d.,]*(?:[–-]\d[\d.,]*)?, \d[\d.,]*(?:[–-]\d[\d.,]*)?(?:, \d[\d.,]*)*,? (?:and|instead of) \d[\d.,]*(?:, \d| (?:ms|s|µs|MB|of)\b)/g,
  P13: /\b(?:that|which) (?:is|are|was|were) (?:not |no longer |still |never |already )?(?:\w+ed|known|left|due|free|gone|over|kept|meant|held|sent|lost|set|written|given|taken|shown|made|heard|spoken|told|bought|under way|in use|wrong|full|new|open|dead|long|live)\b/g,
};

/** Rules for commit subjects, by id. */
const SUBJECT_RULES: Readonly<Record<string, RegExp>> = {
  shape: /^(?![a-z0-9-]+(?:\([a-z0-9-]+\))?: [a-z])/,
  length: /^.{73,}/,
  C1: /^(?:tell|say|state|note)\b/i,
  C2: /^(?:know|let|leave|hear|spare|judge|look|pay|bring|speak|live|walk|hold|mind|go|own|seek|want|lay|head|paste|heed|obey|have|cost|lose)\b/i,
  C3: /^\w+ (?:no|none|nobody|nothing|never|neither)\b/,
};

/** One place where a rule matches. */
export interface ProseHit {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly text: string;
}

export type ProseKind = "comments" | "tests" | "docs" | "messages" | "openapi";

interface Passage {
  readonly kind: ProseKind;
  readonly line: number;
  /** The passage as written, for P8. */
  readonly raw: string;
}

/** Strings come first, so that what looks like a comment inside one is passed over. */
const TOKENS =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
const TEST_NAME = /\b(?:test|it|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*$/;
/** A shorter literal is a name or a label. */
const MESSAGE_WORDS_MIN = 5;

const wordsOf = (text: string) => text.match(/[A-Za-z][A-Za-z'’-]*/g)?.length ?? 0;

function passagesOfCode(file: string, text: string): Passage[] {
  const isTest = file.startsWith("test/");
  return [...text.matchAll(TOKENS)].flatMap(({ 0: raw, index: at }): Passage[] => {
    const line = text.slice(0, at).split("\n").length;
    if (raw.startsWith("/*") || raw.startsWith("//")) return [{ kind: "comments", line, raw }];
    const inner = raw.slice(1, -1);
    if (isTest)
      return TEST_NAME.test(text.slice(Math.max(0, at - 60), at))
        ? [{ kind: "tests", line, raw: inner }]
        : [];
    const isMessage = file.startsWith("src/") && wordsOf(inner) >= MESSAGE_WORDS_MIN;
    return isMessage ? [{ kind: "messages", line, raw: inner }] : [];
  });
}

function passagesOfMarkdown(text: string): Passage[] {
  let isFenced = false;
  return text.split("\n").flatMap((raw, at): Passage[] => {
    if (/^\s*```/.test(raw)) isFenced = !isFenced;
    return isFenced || raw.trim() === "" ? [] : [{ kind: "docs", line: at + 1, raw }];
  });
}

function passagesOfOpenApi(text: string): Passage[] {
  return text.split("\n").flatMap((raw, at): Passage[] => {
    const [, words] = /^\s*"(?:description|summary)": "(.*)",?$/.exec(raw) ?? [];
    return words ? [{ kind: "openapi", line: at + 1, raw: words }] : [];
  });
}

/** The English texts of a `texts.json`: strings and lists under `en`. */
function passagesOfTexts(text: string): Passage[] {
  let isEnglish = false;
  return text.split("\n").flatMap((raw, at): Passage[] => {
    const [, key] = /^\s*"(\w+)": /.exec(raw) ?? [];
    if (key) isEnglish = key === "en";
    const [, words = ""] = /"((?:[^"\\]|\\.)*)",?$/.exec(raw) ?? [];
    const isMessage = isEnglish && wordsOf(words) >= MESSAGE_WORDS_MIN;
    return isMessage ? [{ kind: "messages", line: at + 1, raw: words }] : [];
  });
}

/** Leaves prose alone: no code in backticks, no comment marks, one space between words. */
const proseOf = (raw: string) =>
  raw
    .replace(/`[^`\n]*`/g, "X")
    .replace(/^\s*\/?\*+\/?|\*\/$/gm, " ")
    .replace(/\s+/g, " ");

const PROSE = "{src,test,scripts,bench}/**/*.{ts,tsx,mjs}";
const CATALOGUES = "src/**/*messages.json";
const MARKDOWN = [
  "*.md",
  "docs/*.md",
  "docs/{decisions,security}/*.md",
  "{bench,rehearsals}/**/*.md",
];
/** Texts by others, and documents that are generated from sources the lint reads. */
const isLeftOut = (file: string) =>
  /\.gen\.|\.d\.ts$|^docs\/(?:specification|configuration)\.md$|^test\/support\/source\/prose\.ts$/.test(
    file,
  );

async function passages(): Promise<Map<string, Passage[]>> {
  const found = new Map<string, Passage[]>();
  const read = async (pattern: string, of: (file: string, text: string) => Passage[]) => {
    const files = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }));
    for (const file of files.filter((name) => !isLeftOut(name)).sort())
      found.set(file, of(file, await Bun.file(root + file).text()));
  };
  await read(PROSE, passagesOfCode);
  await read(CATALOGUES, passagesOfCode);
  for (const pattern of MARKDOWN) await read(pattern, (_, text) => passagesOfMarkdown(text));
  await read("src/**/*texts.json", (_, text) => passagesOfTexts(text));
  await read("docs/openapi.json", (_, text) => passagesOfOpenApi(text));
  return found;
}

/** Every hit in the repository, and the number of words read, by kind. */
export async function findProse(): Promise<{
  readonly hits: readonly (ProseHit & { readonly kind: ProseKind })[];
  readonly words: Readonly<Record<ProseKind, number>>;
}> {
  const words = { comments: 0, tests: 0, docs: 0, messages: 0, openapi: 0 };
  const hits: (ProseHit & { readonly kind: ProseKind })[] = [];
  for (const [file, all] of await passages())
    for (const { kind, line, raw } of all) {
      const text = proseOf(raw);
      words[kind] += wordsOf(text);
      for (const [rule, pattern] of Object.entries(RULES))
        for (const match of (rule === "P8" ? raw : text).matchAll(pattern)) {
          const near = text.slice(Math.max(0, match.index - 40), match.index + 80).trim();
          hits.push({ file, line, rule, kind, text: near });
        }
    }
  return { hits, words };
}

/** The rules that a commit subject breaks. */
export function rulesBrokenBy(subject: string): string[] {
  const verb = subject.replace(/^[a-z0-9-]+(?:\([a-z0-9-]+\))?: /, "");
  return Object.entries(SUBJECT_RULES)
    .filter(([rule, pattern]) => pattern.test(/^[CP]/.test(rule) ? verb : subject))
    .map(([rule]) => rule);
}

/** Hits of each file that has any, in the order of their names. */
export function hitsByFile(hits: readonly ProseHit[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { file } of hits) counts.set(file, (counts.get(file) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
