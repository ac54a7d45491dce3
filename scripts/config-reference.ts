/**
 * Writes docs/configuration.md from config/linevoice.toml and the schema: every key with its meaning, what
 * is allowed, its default and its environment variable. `--check` fails when the page is not current.
 */
import { fileURLToPath } from "node:url";
import { knownKeys } from "../src/operations/config/known-keys.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = `${root}docs/configuration.md`;

interface Entry {
  readonly name: string;
  readonly default: string;
  readonly description: string;
}

interface Section {
  readonly title: string;
  readonly description: string;
  readonly entries: Entry[];
}

/** Comments stand above what they are about; a section is a table of the file. */
function sectionsOf(toml: string): Section[] {
  const sections: Section[] = [];
  let comment: string[] = [];
  for (const line of toml.split("\n")) {
    const table = /^\[\[?([\w.]+)\]\]?$/.exec(line.trim())?.[1];
    const [, key, value] = /^([\w".-]+)\s*=\s*(.+)$/.exec(line.trim()) ?? [];
    if (line.startsWith("#")) comment.push(line.replace(/^# ?/, ""));
    else if (table) {
      sections.push({ title: line.trim(), description: comment.join(" "), entries: [] });
      comment = [];
    } else if (key && value) {
      sections.at(-1)?.entries.push({ name: key, default: value, description: comment.join(" ") });
      comment = [];
    } else if (line.trim() === "") comment = [];
  }
  return sections;
}

const variables = new Map(knownKeys.map(({ name, variable }) => [name, variable]));

function rows({ title, entries }: Section): string[] {
  const table = title.replaceAll(/[[\]]/g, "");
  return entries.map(({ name, default: value, description }) => {
    const variable = variables.get(`${table}.${name}`);
    const cells = [`\`${name}\``, description.replaceAll("|", "\\|"), `\`${value}\``];
    return `| ${[...cells, variable ? `\`${variable}\`` : ""].join(" | ")} |`;
  });
}

const toml = await Bun.file(`${root}config/linevoice.toml`).text();
const text = [
  "# Configuration",
  "",
  "One TOML file: `--config FILE`, else `/etc/linevoice/linevoice.toml`, else `./config/linevoice.toml`, else these",
  'defaults. Every key is also an environment variable, which wins over the file. A secret may be `{ file = "…" }`, a',
  "systemd credential, or a file named `<section>.<key>` in `credentials/` beside the configuration. `linevoice config",
  "check` says what is wrong with line and mend; `linevoice config show` says where each value comes from.",
  "",
  "SIGHUP (`systemctl reload linevoice`) applies `[log] level` and `format`, `[limits]` without `body_bytes`, and",
  "renewed certificates at once; other changes need a restart, and the log names them.",
  "",
  "*This page is made from the schema by `npm run docs`.*",
  ...sectionsOf(toml).flatMap((section) => [
    "",
    `## ${section.title}`,
    ...(section.description ? ["", section.description] : []),
    "",
    "| key | meaning | default | environment |",
    "|---|---|---|---|",
    ...rows(section),
  ]),
  "",
].join("\n");

if (process.argv.includes("--check")) {
  const current = await Bun.file(page)
    .text()
    .catch(() => "");
  if (current !== text) {
    console.error("docs/configuration.md is not current: npm run docs");
    process.exit(1);
  }
} else {
  await Bun.write(page, text);
  console.error(`wrote docs/configuration.md (${knownKeys.length} keys)`);
}
