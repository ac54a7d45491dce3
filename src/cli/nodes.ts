/** `linevoice nodes [list|drain|resume]`: the nodes that share the store. */
import type { OutputOf } from "../http/contracts/operations.ts";
import { asks, commandOf } from "./actions.ts";
import { type Command, table } from "./usage.ts";

const drained = ({ name, state, trunks, calls }: OutputOf<"node.drain">) => [
  `${name} is ${state}; it has ${trunks} trunks and ${calls} calls.`,
];

const actions = commandOf(
  "nodes",
  {
    list: asks("node.list", {
      usage: ["nodes [list] [--json]"],
      lines: (nodes) =>
        table([
          ["ID", "NAME", "STATE", "TRUNKS", "CALLS", "VERSION", "LAST SEEN", ""],
          ...nodes.map((node) => [
            node.id,
            node.name,
            node.state,
            String(node.trunks),
            `${node.calls} of ${node.calls_max}`,
            node.version,
            node.seen_at,
            node.is_here ? "this node" : "",
          ]),
        ]),
    }),
    drain: asks("node.drain", {
      usage: ["nodes drain NODE"],
      word: ["NODE", "node"],
      lines: drained,
    }),
    resume: asks("node.resume", {
      usage: ["nodes resume NODE"],
      word: ["NODE", "node"],
      lines: drained,
    }),
  },
  [
    "NODE is an id or a name. A drained node transfers its trunks to other nodes and finishes its calls.",
    "It stays drained until `nodes resume`, even after a restart.",
  ],
);

/** Without an action it lists the nodes. */
export const nodesCommand: Command = {
  ...actions,
  run: (args, terminal) =>
    actions.run(
      args[0] === undefined || args[0].startsWith("-") ? ["list", ...args] : args,
      terminal,
    ),
};
