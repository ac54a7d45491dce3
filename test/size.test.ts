/** The number of hand-written lines per folder. A commit that raises a budget says why (decisions 21). */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** By path, the longest that matches. Lines of TypeScript, CSS, HTML, C and WebAssembly text, comments included. */
const BUDGETS: Readonly<Record<string, number>> = {
  bench: 7_300,
  scripts: 3_900,
  src: 200,
  "src/app": 5_800,
  "src/call": 7_900,
  "src/cli": 4_100,
  "src/control": 350,
  "src/conversation": 7_800,
  "src/core": 2_450,
  "src/dashboard": 22_400,
  "src/demo": 3_600,
  "src/engine": 18_150,
  "src/features/agent": 3_550,
  "src/features/appliance": 1_450,
  "src/features/billing": 5_250,
  "src/features/call-log": 5_400,
  "src/features/campaign": 1_750,
  "src/features/contact": 4_300,
  "src/features/identity": 4_700,
  "src/features/key": 700,
  "src/features/knowledge": 5_950,
  "src/features/mail": 1_700,
  "src/features/number": 600,
  "src/features/privacy": 1_150,
  "src/features/rehearsal": 4_100,
  "src/features/schedule": 650,
  "src/features/tenant": 1_950,
  "src/features/tool": 1_250,
  "src/features/trunk": 1_000,
  "src/features/webhook": 3_150,
  "src/http": 6_050,
  "src/media": 7_250,
  "src/ops": 7_150,
  "src/platform": 2_250,
  "src/sip": 12_200,
  "src/store": 5_050,
  "src/worker": 1_950,
  test: 105_500,
  "test/support": 19_550,
};

const HAND_WRITTEN = "{src,test,scripts,bench}/**/*.{ts,tsx,mjs,css,html,c,wat}";
const isGenerated = (file: string) => /\.gen\.|\/(?:generated|dist|results)\//.test(file);

async function linesByFolder(): Promise<Map<string, number>> {
  const folders = Object.keys(BUDGETS).sort((a, b) => b.length - a.length);
  const lines = new Map<string, number>(folders.map((folder) => [folder, 0]));
  for await (const file of new Bun.Glob(HAND_WRITTEN).scan({ cwd: root })) {
    if (isGenerated(file)) continue;
    const folder = folders.find((each) => file === each || file.startsWith(`${each}/`)) ?? "none";
    const text = await Bun.file(root + file).text();
    lines.set(folder, (lines.get(folder) ?? 0) + text.split("\n").length - 1);
  }
  return lines;
}

test("no folder has more lines than its budget", async () => {
  const over = [...(await linesByFolder())]
    .filter(([folder, count]) => count > (BUDGETS[folder] ?? 0))
    .map(([folder, count]) => `${folder}: ${count} lines, budget ${BUDGETS[folder] ?? 0}`);
  expect(over).toEqual([]);
});

test("no budget is more than a tenth above its folder", async () => {
  const loose = [...(await linesByFolder())]
    .filter(([folder, count]) => (BUDGETS[folder] ?? 0) > 1.1 * count + 100)
    .map(([folder, count]) => `${folder}: ${count} lines, budget ${BUDGETS[folder]}`);
  expect(loose).toEqual([]);
});
