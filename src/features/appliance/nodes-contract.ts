/** The nodes that share the store: `linevoice nodes`, `nodes drain` and `nodes resume`. */
import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { nothing, operation } from "../../http/contracts/operation.ts";
import { field, shown } from "../../http/contracts/schema.ts";
import type { NodeView } from "./nodes.ts";

export const ApplianceNode = z.strictObject({
  id: shown(z.string(), "Id of the node's data directory.", "4f1d0c2b9a8e7766"),
  name: shown(z.string(), "Host name of the machine.", "voice-1"),
  version: shown(z.string(), "Version of the program.", "0.2.0"),
  state: shown(
    z.enum(["active", "draining", "stopped", "silent"]),
    "State. `draining`: transfers its trunks to other nodes and finishes its calls. `stopped`: shut down. `silent`: no heartbeat, because it is dead or cannot reach the store.",
    "active",
  ),
  is_here: shown(z.boolean(), "Whether this node sent the response.", true),
  trunks: shown(z.int(), "Number of trunks of the node.", 3),
  calls: shown(z.int(), "Number of live calls at the last heartbeat.", 2),
  calls_max: shown(
    z.int(),
    "Maximum number of concurrent calls (`[limits] concurrent_calls`). Also decides its share of the trunks.",
    200,
  ),
  seen_at: shown(
    z.iso.datetime({ offset: true }),
    "Time of the last heartbeat, ISO 8601 in UTC.",
    "2026-11-21T04:05:06+00:00",
  ),
});

const named = z.strictObject({
  node: field(z.string().trim().min(1).max(253), {
    description: "Id or name of the node.",
    example: "voice-1",
    must: "have 1 to 253 characters",
  }),
});

const present = ({
  id,
  name,
  version,
  state,
  isHere,
  trunks,
  calls,
  weight,
  seenAt,
}: NodeView) => ({
  id,
  name,
  version,
  state,
  trunks,
  calls,
  is_here: isHere,
  calls_max: weight,
  seen_at: isoUtc(seenAt),
});

export const nodeOperations = {
  "node.list": operation({
    input: nothing,
    output: z.array(ApplianceNode),
    role: "operator",
    needsServer: true,
    run: async ({ nodes }) => (await nodes.list()).map(present),
  }),
  /** Live calls of the node continue. */
  "node.drain": operation({
    input: named,
    output: ApplianceNode,
    role: "operator",
    needsServer: true,
    run: async ({ nodes }, { node }) => present(await nodes.setDraining(node, true)),
  }),
  "node.resume": operation({
    input: named,
    output: ApplianceNode,
    role: "operator",
    needsServer: true,
    run: async ({ nodes }, { node }) => present(await nodes.setDraining(node, false)),
  }),
} as const;
