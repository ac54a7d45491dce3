/** `linevoice agent versions|pull|diff|push|rollback|rule|publish`. */
import { resolve } from "node:path";
import type { OutputOf } from "../interface/contracts/operations.ts";
import { action, asks, commandOf } from "./actions.ts";
import { pullAgent, pushAgent } from "./agent-files.ts";
import { invokerConfig } from "./operator.ts";
import { idFrom, required, table } from "./usage.ts";

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
  tool_of_others: "belongs to all agents or another one, and stays as it is",
} as const;

const publishedLines = ({ version, notes }: Published): string[] => [
  `Calls run version ${version} from now on.`,
  ...notes.map(({ kind, name }) => `  ${name}: ${NOTES[kind]}`),
];

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
    ...(from === null ? ["The version before is not kept any more: all counts as added."] : []),
    ...differencesLines(differences),
  ],
});

/** Of two versions; without --tenant, of a folder with what is published. */
const diffAction: typeof diffVersions = {
  ...diffVersions,
  async run(call) {
    const { values, words, terminal } = call;
    const isFolder = [values.tenant, values.from, values.to].every((given) => given === undefined);
    if (!isFolder || words[0] === undefined) return await diffVersions.run(call);
    const folder = resolve(terminal.cwd, words[0]);
    const how = { dry: true, force: false };
    const loaded = invokerConfig(values.config, terminal);
    const { differences } = await pushAgent(loaded, folder, how);
    if (values.json) terminal.out(JSON.stringify(differences));
    else for (const line of differencesLines(differences)) terminal.out(line);
    return 0;
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
            ...[String(number), time, author.name ?? author.kind],
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
      usage: ["agent push DIR [--force]"],
      options: { force: { type: "boolean" } },
      words: 1,
      async run({ values, words: [dir], terminal }) {
        const folder = resolve(terminal.cwd, required(dir, "DIR"));
        const how = { dry: false, force: values.force ?? false };
        const pushed = await pushAgent(invokerConfig(values.config, terminal), folder, how);
        if (values.json) terminal.out(JSON.stringify(pushed));
        else if (pushed.differences.length === 0) terminal.out("No difference.");
        else for (const line of publishedLines(pushed)) terminal.out(line);
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
          ? "A draft is published only after its last rehearsal passed."
          : "A draft is published with or without a rehearsal.",
      ],
    }),
    publish: asks("agent.publish", {
      usage: ["agent publish --tenant ID AGENT [--force]"],
      fields: ["tenant", "force"],
      word: ["AGENT", "agent"],
      lines: publishedLines,
    }),
  },
  [
    "diff compares the published version with the draft, unless told otherwise: [-removed-] {+added+}.",
    "pull writes an agent's fields, tools and files into DIR; push publishes DIR; diff DIR tells what it would change.",
    "publish publishes the draft; --force also over what was published since it was made.",
  ],
);
