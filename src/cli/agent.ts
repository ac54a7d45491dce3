/** `linevoice agent versions|pull|diff|push|rollback|rule|publish|discard|split`. */
import { resolve } from "node:path";
import type { OutputOf } from "../http/contracts/operations.ts";
import { action, asks, commandOf } from "./actions.ts";
import { pullAgent, pushAgent } from "./agent-files.ts";
import { invokerConfig } from "./operator.ts";
import { idFrom, required, table, WrongUsage } from "./usage.ts";

type Difference = OutputOf<"agent.diff">["differences"][number];
type Published = OutputOf<"agent.rollback">;

const MARKS = { same: ["", ""], removed: ["[-", "-]"], added: ["{+", "+}"] } as const;

const differenceLines = ({ part, name, segments }: Difference): string[] => [
  `== ${part}${name === null ? "" : ` ${name}`}`,
  ...segments
    .map(({ op, text }) => `${MARKS[op][0]}${text}${MARKS[op][1]}`)
    .join("")
    .split("\n"),
];

const NOTES = {
  file_copied: "other agents use it too, so this one has a copy",
  tool_needs_secret: "switched off until its secret is entered again",
  tool_of_others: "belongs to all agents or another agent, and is unchanged",
} as const;

const publishedLines = ({ version, notes }: Published): string[] => [
  `New calls now use version ${version}.`,
  ...notes.map(({ kind, name }) => `  ${name}: ${NOTES[kind]}`),
];

function pushedLines(pushed: OutputOf<"agent.push">): readonly string[] {
  const { differences, version, draft } = pushed;
  if (differences.length === 0) return ["No difference."];
  if (draft)
    return [
      "The draft now matches these files. Rehearse it, then publish it with `agent publish`.",
    ];
  return differences.every(({ part }) => part === "rehearsals")
    ? [`The rehearsals now match these files. Calls still use version ${version}.`]
    : publishedLines(pushed);
}

const differencesLines = (differences: readonly Difference[]): readonly string[] =>
  differences.length === 0 ? ["No difference."] : differences.flatMap(differenceLines);

const diffVersions = asks("agent.diff", {
  usage: [
    "agent diff --tenant ID AGENT [--from VERSION] [--to VERSION] [--json]",
    "agent diff DIR [--json]",
  ],
  fields: ["tenant", "from", "to"],
  word: ["AGENT", "agent"],
  lines: ({ from, differences }) => [
    ...(from === null
      ? ["The previous version is no longer stored, so everything counts as added."]
      : []),
    ...differencesLines(differences),
  ],
});

/** Compares two versions. Without --tenant, compares a folder with the published version. */
const diffAction: typeof diffVersions = {
  ...diffVersions,
  async run(call) {
    const { values, words, terminal } = call;
    const isFolder = [values.tenant, values.from, values.to].every((given) => given === undefined);
    if (!isFolder || words[0] === undefined) return await diffVersions.run(call);
    const folder = resolve(terminal.cwd, words[0]);
    const how = { dry: true, force: false, draft: false };
    const loaded = invokerConfig(values.config, terminal);
    const { differences } = await pushAgent(loaded, folder, how);
    if (values.json) terminal.out(JSON.stringify(differences));
    else for (const line of differencesLines(differences)) terminal.out(line);
    return 0;
  },
};

type Split = NonNullable<OutputOf<"agent.split">>;
type Measure = Split["measures"][number];

const figureText = ({ measure }: Measure, value: number | null): string => {
  if (value === null) return "-";
  if (measure === "cost") return `${value.toFixed(4)} EUR`;
  if (measure === "length_sec") return `${value.toFixed(1)} s`;
  if (measure.startsWith("latency")) return `${Math.round(value)} ms`;
  return `${(100 * value).toFixed(1)} %`;
};

function splitLines(split: Split | null): string[] {
  if (split === null) return ["Callers are not split between versions."];
  const { version, published_version: published, percent, calls, measures, ended_at: end } = split;
  const estimateText = (measure: Measure, { value, low, high }: Measure["published"]) =>
    `${figureText(measure, value)}${low === null ? "" : ` (${figureText(measure, low)} to ${figureText(measure, high)})`}`;
  return [
    `${percent} of 100 callers ${end === null ? "get" : "got"} version ${version} instead of ${published}${end === null ? "" : `, until ${end}`}.`,
    ...table([
      ["", `VERSION ${published}`, `VERSION ${version}`, ""],
      ["calls", String(calls.published), String(calls.tried), ""],
      ...measures.map((measure) => [
        [measure.measure, measure.name ?? ""].join(" ").trim(),
        ...[measure.published, measure.tried].map((each) => estimateText(measure, each)),
        measure.noise ? "no difference yet" : "differs",
      ]),
    ]),
  ];
}

const shownSplit = asks("agent.split", {
  usage: ["agent split --tenant ID AGENT [--json]"],
  fields: ["tenant"],
  word: ["AGENT", "agent"],
  lines: splitLines,
});
const openedSplit = asks("agent.split.open", {
  usage: ["agent split --tenant ID AGENT --version VERSION|draft [--percent N]"],
  fields: ["tenant", "version", "percent"],
  word: ["AGENT", "agent"],
  lines: splitLines,
});
const closedSplit = asks("agent.split.close", {
  usage: ["agent split --tenant ID AGENT --keep VERSION"],
  fields: ["tenant", "keep"],
  word: ["AGENT", "agent"],
  lines: publishedLines,
});

/** Shows, opens or closes the split, depending on the options. */
const splitAction: typeof shownSplit = {
  ...shownSplit,
  usage: [shownSplit, openedSplit, closedSplit].flatMap(({ usage }) => usage),
  options: { ...openedSplit.options, ...closedSplit.options },
  async run(call) {
    const { version, percent, keep } = call.values;
    if (keep !== undefined && (version !== undefined || percent !== undefined))
      throw new WrongUsage("--keep closes a split; --version and --percent open one.");
    if (keep !== undefined) return await closedSplit.run(call);
    const isOpened = version !== undefined || percent !== undefined;
    return await (isOpened ? openedSplit : shownSplit).run(call);
  },
};

export const agentCommand = commandOf(
  "agent",
  {
    versions: asks("agent.versions", {
      usage: ["agent versions --tenant ID AGENT [--json]"],
      fields: ["tenant"],
      word: ["AGENT", "agent"],
      lines: (versions) =>
        table([
          ["VERSION", "TIME", "BY", "CHANGED", ""],
          ...versions.map(({ number, created_at: time, author, changes, ...rest }) => [
            String(number),
            time,
            author.name ?? author.kind,
            rest.restored_from === null
              ? changes.join(", ")
              : `version ${rest.restored_from} again`,
            rest.published ? "published" : "",
          ]),
        ]),
    }),
    pull: action({
      usage: ["agent pull --tenant ID AGENT DIR"],
      options: { tenant: { type: "string" } },
      words: 2,
      async run({ values, words: [agent, dir], terminal }) {
        const asked = { tenant: idFrom(values.tenant, "--tenant"), agent: idFrom(agent, "AGENT") };
        const folder = resolve(terminal.cwd, required(dir, "DIR"));
        const version = await pullAgent(invokerConfig(values.config, terminal), asked, folder);
        terminal.out(
          values.json ? JSON.stringify({ version }) : `Version ${version} is in ${dir}.`,
        );
        return 0;
      },
    }),
    push: action({
      usage: ["agent push DIR [--draft] [--force]"],
      options: { draft: { type: "boolean" }, force: { type: "boolean" } },
      words: 1,
      async run({ values, words: [dir], terminal }) {
        const folder = resolve(terminal.cwd, required(dir, "DIR"));
        const how = { dry: false, force: values.force ?? false, draft: values.draft ?? false };
        const pushed = await pushAgent(invokerConfig(values.config, terminal), folder, how);
        if (values.json) terminal.out(JSON.stringify(pushed));
        else for (const line of pushedLines(pushed)) terminal.out(line);
        return 0;
      },
    }),
    diff: diffAction,
    rollback: asks("agent.rollback", {
      usage: ["agent rollback --tenant ID AGENT --to VERSION"],
      fields: ["tenant", "to"],
      word: ["AGENT", "agent"],
      lines: publishedLines,
    }),
    rule: asks("agent.rule", {
      usage: ["agent rule --tenant ID AGENT --rehearsed on|off"],
      fields: ["tenant", "rehearsed"],
      word: ["AGENT", "agent"],
      lines: ({ publishes_rehearsed: isOn }) => [
        isOn
          ? "A draft can be published only after its last rehearsal passed."
          : "A draft can be published without a rehearsal.",
      ],
    }),
    split: splitAction,
    discard: asks("agent.discard", {
      usage: ["agent discard --tenant ID AGENT"],
      fields: ["tenant"],
      word: ["AGENT", "agent"],
      lines: () => ["The draft is discarded."],
    }),
    publish: asks("agent.publish", {
      usage: ["agent publish --tenant ID AGENT [--force]"],
      fields: ["tenant", "force"],
      word: ["AGENT", "agent"],
      lines: publishedLines,
    }),
  },
  [
    "diff compares the published version with the draft by default: [-removed-] {+added+}.",
    "pull writes an agent's fields, tools, files and rehearsals into DIR. push publishes DIR. diff DIR shows what push would change.",
    "push --draft changes only the draft: rehearse it, then publish it. discard deletes the draft.",
    "split compares the two versions between which callers are split. --version opens a split, --keep closes it.",
    "publish publishes the draft. --force: publish even if another version was published since the draft was created.",
  ],
);
