/**
 * The nodes that share the store, for the operator: list, load and draining. A drained node hands its trunks
 * to the others and finishes its calls. It stays drained until the operator resumes it, even after a restart.
 */

import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { conflict, notFound } from "../../core/errors.ts";
import { trunkLeaseStore } from "../trunk/trunk-lease-store.ts";
import { trunkStore } from "../trunk/trunk-store.ts";
import { type NodeRow, nodeStore } from "./node-store.ts";
import { serverNeeded } from "./server-needed.ts";

type OwnNode = Pick<NodeRow, "id" | "name" | "version" | "weight" | "calls">;

/** Node information of a running server. */
export interface RunningNodes {
  self(): OwnNode;
  /** True if a node's heartbeat stopped. Null: no other node shares the store. */
  readonly isSilent: ((id: string) => boolean) | null;
}

export interface NodeView extends OwnNode {
  /** `silent`: dead, or cut off from the store. `stopped`: shut down normally. */
  readonly state: "active" | "draining" | "stopped" | "silent";
  /** True for the responding node. */
  readonly isHere: boolean;
  readonly trunks: number;
  readonly seenAt: number;
}

export interface Nodes {
  /** By name. Throws unavailable without a running server. */
  list(): Promise<NodeView[]>;
  /** By id or name. Throws not_found, and conflict if no other node can take its trunks. */
  setDraining(node: string, isDraining: boolean): Promise<NodeView>;
}

interface NodesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly running: RunningNodes | null;
}

export function createNodes({ database, clock, running }: NodesOptions): Nodes {
  function stateOf(row: NodeRow, isSilent: (id: string) => boolean): NodeView["state"] {
    if (row.isStopped) return "stopped";
    if (isSilent(row.id)) return "silent";
    return row.isDraining ? "draining" : "active";
  }

  async function list(): Promise<NodeView[]> {
    if (!running) throw serverNeeded();
    const { isSilent } = running;
    const own = running.self();
    if (!isSilent) {
      const trunks = (await trunkStore(database.read).all()).length;
      return [{ ...own, state: "active", isHere: true, trunks, seenAt: clock.now() }];
    }
    const [rows, leases] = await Promise.all([
      nodeStore(database.read).all(),
      trunkLeaseStore(database.read).all(),
    ]);
    return rows.map((row) => ({
      ...row,
      state: stateOf(row, isSilent),
      isHere: row.id === own.id,
      trunks: leases.filter(({ node }) => node === row.id).length,
    }));
  }

  async function setDraining(node: string, isDraining: boolean): Promise<NodeView> {
    const nodes = await list();
    const [found, another] = nodes.filter(({ id, name }) => id === node || name === node);
    if (!found) throw notFound("node");
    if (another) throw conflict(`Several nodes are named ${node}. Give the id.`);
    if (!running?.isSilent)
      throw conflict(
        "This is the only node. Stop the service instead: it waits for live calls (`systemctl stop linevoice`).",
      );
    if (isDraining && !nodes.some(({ id, state }) => id !== found.id && state === "active"))
      throw conflict("No other node is active, so its trunks cannot be transferred.");
    await database.tx((queries) => nodeStore(queries).setDraining(found.id, isDraining));
    return (await list()).find(({ id }) => id === found.id) ?? found;
  }

  return { list, setDraining };
}
