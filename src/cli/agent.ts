/** `linevoice agent versions|diff|rollback|rule|publish`. */
import type { OutputOf } from "../interface/contracts/operations.ts";
import { asks, commandOf } from "./actions.ts";
import { table } from "./usage.ts";

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
    diff: asks("agent.diff", {
      usage: ["agent diff --tenant ID AGENT [--from VERSION] [--to VERSION]"],
      fields: ["tenant", "from", "to"],
      word: ["AGENT", "agent"],
      lines: ({ from, differences }) => [
        ...(from === null ? ["The version before is not kept any more: all counts as added."] : []),
        ...(differences.length === 0 ? ["No difference."] : differences.flatMap(differenceLines)),
      ],
    }),
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
    "publish publishes the draft; --force also over what was published since it was made.",
  ],
);
