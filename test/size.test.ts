/** The number of hand-written lines per folder. A commit that raises a budget says why (decisions 21). */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** By path, the longest that matches. Lines of TypeScript, CSS, HTML, C and WebAssembly text, comments included. */
const BUDGETS: Readonly<Record<string, number>> = {
  bench: 7_300,
  scripts: 3_900,
  src: 200,
  "src/app": 5_750,
  "src/call": 7_950,
  "src/cli": 4_100,
  "src/control": 350,
  "src/conversation": 7_950,
  "src/core": 2_400,
  "src/dashboard": 30_250,
  "src/demo": 3_600,
  "src/engine": 18_500,
  "src/features/agent": 3_600,
  "src/features/appliance": 1_350,
  "src/features/billing": 5_600,
  "src/features/call-log": 5_350,
  "src/features/campaign": 1_650,
  "src/features/contact": 4_300,
  "src/features/identity": 4_800,
  "src/features/key": 700,
  "src/features/knowledge": 5_950,
  "src/features/mail": 1_800,
  "src/features/number": 650,
  "src/features/privacy": 1_150,
  "src/features/rehearsal": 4_100,
  "src/features/schedule": 650,
  "src/features/tenant": 1_950,
  "src/features/tool": 1_250,
  "src/features/trunk": 1_000,
  "src/features/webhook": 3_250,
  "src/http": 5_950,
  "src/media": 7_250,
  "src/ops": 7_150,
  "src/platform": 2_250,
  "src/sip": 12_200,
  "src/store": 5_050,
  "src/worker": 1_950,
  test: 104_400,
  "test/support": 19_300,
};

const HAND_WRITTEN = "{src,test,scripts,bench}/**/*.{ts,tsx,mjs,css,html,c,wat}";
const isGenerated = (file: string) => /\.gen\.|\/(?:generated|dist|results)\//.test(file);

async function linesByFolder(): Promise<Map<string, number>> {
  const folders = Object.keys(BUDGETS).sort((a, b) => b.length - a.length);
  const lines = new Map(folders.map((folder) => [folder, 0] as const));
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
