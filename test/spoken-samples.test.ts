/** docs/spoken/: the conversations match the code, and are read out correctly. */
import { beforeAll, expect, test } from "bun:test";
import { spokenPage, spokenPages } from "../scripts/spoken-samples.ts";
import { AGENT_LANGUAGES } from "../src/features/agent/agent.ts";

let pages: ReadonlyMap<string, string>;
beforeAll(async () => {
  pages = await spokenPages();
});

test.each(AGENT_LANGUAGES)("%s: the page equals the output of `npm run docs`", async (language) => {
  const name = `${language}.md`;
  expect(await spokenPage(name)).toBe(pages.get(name) ?? "");
});

test.each(AGENT_LANGUAGES)("%s: ten conversations, and no digit in the spoken text", (language) => {
  const page = pages.get(`${language}.md`) ?? "";
  expect(page.match(/^## \d+\. /gm)).toHaveLength(10);
  const lines = page
    .split(/\n\n/)
    .filter((line) => !/^[*#]/.test(line))
    .slice(1);
  const readOut = lines.map((line) => /`(.*)`$/s.exec(line)?.[1] ?? line);
  expect(readOut.length).toBeGreaterThan(150);
  for (const line of readOut) expect(line).not.toMatch(/\d/);
});
