/**
 * Writes config/linevoice.toml and docs/configuration.md from the schema: every key with its
 * meaning, allowed values, default and environment variable.
 */
import { fileURLToPath } from "node:url";
import {
  itemKeys,
  type KnownKey,
  knownKeys,
  sectionDescription,
} from "../src/ops/config/known-keys.ts";
import { configSchema } from "../src/ops/config/schema.ts";
import { BUILT_IN_PLANS } from "../src/ops/config/sections/business.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Entry {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
  readonly variable: string;
}

interface Section {
  /** `[sip]` or `[[plans]]` */
  readonly title: string;
  readonly description: string;
  readonly entries: readonly Entry[];
  /** More tables with the same title, as text for the file. */
  readonly more: readonly string[];
}

const meaningOf = ({ meta }: KnownKey) => `${meta.description} Allowed: ${meta.allowed}.`;

function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(", ")}]`;
  return JSON.stringify(value ?? "");
}

const defaults: unknown = configSchema.parse({});

function defaultOf({ path }: KnownKey): unknown {
  let value = defaults;
  for (const step of path) value = (value as Record<string, unknown>)[step];
  return value;
}

const entryOf = (key: KnownKey): Entry => ({
  name: key.path.at(-1) ?? "",
  default: tomlOf(defaultOf(key)),
  meaning: meaningOf(key),
  variable: key.variable,
});

/** A key whose value is a table becomes a separate section, which operators fill. */
const tableSection = (key: KnownKey): Section => ({
  title: `[${key.name}]`,
  description: meaningOf(key),
  entries: [],
  more: [],
});

function plansSection(key: KnownKey): Section {
  const [first, ...others] = BUILT_IN_PLANS.map((plan): Record<string, unknown> => ({ ...plan }));
  return {
    title: "[[plans]]",
    description: meaningOf(key),
    entries: itemKeys(key.path).map(({ path, meta }) => {
      const name = path.at(-1) ?? "";
      const value = first?.[name] ?? ITEM_DEFAULTS[name];
      const meaning = `${meta.description} Allowed: ${meta.allowed}.`;
      return { name, default: tomlOf(value), meaning, variable: "" };
    }),
    more: others.map((plan) =>
      Object.entries(plan)
        .map(([name, value]) => `${name} = ${tomlOf(value)}`)
        .join("\n"),
    ),
  };
}

/** Default values of a plan's keys. */
const ITEM_DEFAULTS: Readonly<Record<string, unknown>> = {
  ...configSchema.parse({ plans: [{ slug: "a", name: "a" }] }).plans[0],
};

/** Sections in the schema's order, each before its nested tables. */
function sections(): Section[] {
  const tables = new Map<string, KnownKey[]>();
  for (const key of knownKeys) {
    const table = key.path.slice(0, -1).join(".");
    tables.set(table, [...(tables.get(table) ?? []), key]);
  }
  return [...tables].flatMap(([table, keys]) => {
    if (table === "") return keys.map(plansSection);
    const section: Section = {
      title: `[${table}]`,
      description: sectionDescription(table.split(".")),
      entries: keys.filter(({ meta }) => meta.kind !== "table").map(entryOf),
      more: [],
    };
    return [section, ...keys.filter(({ meta }) => meta.kind === "table").map(tableSection)];
  });
}

const comment = (text: string): string[] =>
  text === "" ? [] : text.split("\n").map((line) => `# ${line}`.trimEnd());

const tomlText = [
  "# Linevoice. Every key with its default: leave out what you do not change.",
  "# Each key is also an environment variable: LINEVOICE_SERVER__LISTEN is [server] listen.",
  '# Secrets may be { file = "…" } or a systemd credential named <section>.<key>.',
  '# An empty text means "not set". This file is made from the schema by `npm run docs`.',
  ...sections().flatMap(({ title, description, entries, more }) => [
    "",
    ...comment(description),
    title,
    ...entries.flatMap((entry) => [...comment(entry.meaning), `${entry.name} = ${entry.default}`]),
    ...more.flatMap((table) => ["", title, table]),
  ]),
  "",
].join("\n");

/** Indented lines become code blocks. */
function markdownOf(description: string): string[] {
  if (description === "") return [];
  const [first = "", ...rest] = description.split("\n");
  const block = rest.join("\n").replace(/^\n+/, "");
  return ["", first, ...(block === "" ? [] : ["", "```text", block, "```"])];
}

const escaped = (text: string) => text.replaceAll("|", "\\|");

const pageText = [
  "# Configuration",
  "",
  "One TOML file: `--config FILE`, else `/etc/linevoice/linevoice.toml`, else `./config/linevoice.toml`, else these",
  'defaults. Every key is also an environment variable, which wins over the file. A secret may be `{ file = "…" }`, a',
  "systemd credential, or a file named `<section>.<key>` in `credentials/` beside the configuration. `linevoice config",
  "check` says what is wrong, in which line, and what to do; `linevoice config show` says where each value comes from.",
  "",
  "The service reads what its group may read. Make such a file, and let no one else see it, with",
  "`sudo install -g linevoice -m 0640 FILE /etc/linevoice/credentials/mail.smtp.password`.",
  "",
  "SIGHUP (`systemctl reload linevoice`) applies `[log] level` and `format`, `[limits]` without `body_bytes`, and",
  "renewed certificates at once; other changes need a restart, and the log names them.",
  "",
  "*This page is made from the schema by `npm run docs`.*",
  ...sections().flatMap(({ title, description, entries }) => [
    "",
    `## ${title}`,
    ...markdownOf(description),
    ...(entries.length === 0
      ? []
      : ["", "| key | meaning | default | environment |", "|---|---|---|---|"]),
    ...entries.map(({ name, meaning, default: value, variable }) => {
      const cells = [`\`${name}\``, escaped(meaning), `\`${value}\``];
      return `| ${[...cells, variable === "" ? "" : `\`${variable}\``].join(" | ")} |`;
    }),
  ]),
  "",
].join("\n");

/** Generated texts by path in the repository. */
export const REFERENCE: Readonly<Record<string, string>> = {
  "config/linevoice.toml": tomlText,
  "docs/configuration.md": pageText,
};

if (import.meta.main)
  for (const [path, text] of Object.entries(REFERENCE)) {
    await Bun.write(root + path, text);
    console.error(`wrote ${path} (${knownKeys.length} keys)`);
  }
