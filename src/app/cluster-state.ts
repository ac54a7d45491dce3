/**
 * Cluster state from one read of the store: the lease of each trunk, and the nodes that may hold
 * trunks.
 */
import type { NodeRow } from "../features/appliance/node-store.ts";
import type { TrunkLease } from "../features/trunk/trunk-lease-store.ts";
import type { NodeLoad } from "./trunk-assignment.ts";

export interface ClusterState {
  /** Leases by trunk id. */
  readonly leases: ReadonlyMap<number, TrunkLease>;
  readonly self: NodeLoad;
  /** Nodes that may hold trunks: drained nodes only if there is no other. */
  readonly takers: readonly NodeLoad[];
  /** Whether this node gives up its trunks: it is drained, and another node can hold them. */
  readonly leaves: boolean;
}

export function clusterStateOf(
  ownId: string,
  leases: readonly TrunkLease[],
  nodes: readonly NodeRow[],
  isAlive: (id: string) => boolean,
): ClusterState {
  const loadOf = ({ id, weight, calls }: NodeRow): NodeLoad => ({
    id,
    weight,
    calls,
    trunks: leases.filter(({ node }) => node === id).length,
  });
  const alive = nodes.filter(({ id, isStopped }) => !isStopped && isAlive(id));
  const active = alive.filter(({ isDraining }) => !isDraining);
  const takers = (active.length > 0 ? active : alive).map(loadOf);
  const own = nodes.find(({ id }) => id === ownId);
  return {
    leases: new Map(leases.map((lease) => [lease.trunkId, lease])),
    self: own ? loadOf(own) : { id: ownId, weight: 1, calls: 0, trunks: 0 },
    takers,
    leaves: !takers.some(({ id }) => id === ownId) && takers.length > 0,
  };
}
