/**
 * `npm run prose`: counts odd constructions by kind of text. `-- --list [PATH]` shows them; `-- --write` lowers the
 * numbers in the baseline. A file never gets a higher number.
 */
import { fileURLToPath } from "node:url";
import { findProse, hitsByFile, type ProseKind } from "../test/support/source/prose.ts";

const baseline = fileURLToPath(new URL("../test/fixtures/prose-baseline.json", import.meta.url));
const { hits, words } = await findProse();

if (process.argv.includes("--list")) {
  const path = process.argv[process.argv.indexOf("--list") + 1] ?? "";
  for (const { file, line, rule, text } of hits)
    if (file.startsWith(path)) console.log(`${file}:${line}: ${rule}: ${text}`);
}
if (process.argv.includes("--write")) {
  const before: Record<string, number> = await Bun.file(baseline)
    .json()
    .catch(() => ({}));
  const isFirst = Object.keys(before).length === 0;
  const lowered = Object.entries(hitsByFile(hits)).map(([file, count]) => [
    file,
    isFirst ? count : Math.min(count, before[file] ?? 0),
  ]);
  const kept = Object.fromEntries(lowered.filter(([, count]) => Number(count) > 0));
  await Bun.write(baseline, `${JSON.stringify(kept, null, 2)}\n`);
}
for (const kind of Object.keys(words) as ProseKind[]) {
  const found = hits.filter((hit) => hit.kind === kind).length;
  const rate = words[kind] === 0 ? 0 : (1_000 * found) / words[kind];
  console.log(`${kind}: ${found} in ${words[kind]} words, ${rate.toFixed(1)} per 1,000`);
}
