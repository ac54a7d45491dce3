/** Keeps comments, test names, documents, messages and commit subjects in plain English. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { findProse, hitsByFile, rulesBrokenBy } from "./support/source/prose.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Hits that each file had when it was last improved: `npm run prose -- --write` lowers them. */
const allowed: Record<string, number> = await Bun.file(
  `${root}test/fixtures/prose-baseline.json`,
).json();

/** Subjects before this commit followed another rule. */
const FIRST_CHECKED = "823ca25f";
/** Breaks a rule, but is on main: history is not rewritten. */
const PUSHED = "docs: say plainly what a plan costs in mid-month";

const { hits } = await findProse();
const counts = hitsByFile(hits);

test("no file has more odd constructions than before, and a new file has none", () => {
  const worse = Object.entries(counts).filter(([file, count]) => count > (allowed[file] ?? 0));
  const shown = worse.flatMap(([file]) =>
    hits
      .filter((hit) => hit.file === file)
      .map(({ line, rule, text }) => `${file}:${line}: ${rule}: ${text}`),
  );
  expect(shown).toEqual([]);
});

test("a file that was improved has its new, lower number in the baseline", () => {
  const stale = Object.entries(allowed).filter(([file, count]) => count > (counts[file] ?? 0));
  // Lower them: npm run prose -- --write
  expect(stale.map(([file]) => file)).toEqual([]);
});

test("commit subjects name an area, a verb and an object in 72 characters", () => {
  const log = Bun.spawnSync(
    ["git", "log", "--no-merges", "--format=%s", `${FIRST_CHECKED}..HEAD`],
    {
      cwd: root,
    },
  );
  // A release archive has no history.
  const subjects = log.success ? log.stdout.toString().split("\n").filter(Boolean) : [];
  const broken = subjects.filter((subject) => rulesBrokenBy(subject).length > 0);
  expect(broken.filter((subject) => subject !== PUSHED)).toEqual([]);
});

test.each([
  ["sip: drop silent connections", []],
  ["Tell no next call", ["shape", "C1", "C3"]],
  ["billing: tell what is left", ["C1"]],
  ["docs: Explain trunks", ["shape"]],
  [`sip: ${"x".repeat(67)}`, []],
  [`sip: ${"x".repeat(68)}`, ["length"]],
])("checks the subject %p", (subject, rules) => {
  expect(rulesBrokenBy(subject)).toEqual(rules);
});
