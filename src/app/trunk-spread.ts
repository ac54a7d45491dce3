/**
 * Which of the nodes that share a store should hold a trunk: the one with the fewest trunks and calls
 * for its weight. Pure rules; the leases carry them out.
 */

export interface NodeLoad {
  readonly id: string;
  /** Calls that the node may carry at once. */
  readonly weight: number;
  readonly trunks: number;
  readonly calls: number;
}

/** Above this share of its calls a node gives idle trunks away, and is given none. */
const BUSY_SHARE = 0.8;
/** Up to this share of its calls a node is given trunks of a busy one. */
const CALM_SHARE = 0.5;

const callShare = ({ calls, weight }: NodeLoad) => calls / Math.max(1, weight);
const trunkShare = ({ trunks, weight }: NodeLoad, more: number) =>
  (trunks + more) / Math.max(1, weight);

/** Equal candidates are told apart by their ids, so that all nodes come to the same answer. */
function least(nodes: readonly NodeLoad[], measure: (node: NodeLoad) => number): NodeLoad | null {
  const [first] = [...nodes].sort((a, b) => measure(a) - measure(b) || (a.id < b.id ? -1 : 1));
  return first ?? null;
}

/** Deals trunks that nobody holds out to the nodes, one after another. Null: there is no node. */
export function dealer(nodes: readonly NodeLoad[]): () => string | null {
  let loads = [...nodes];
  return () => {
    const taker = least(
      loads,
      ({ trunks, calls, weight }) => (trunks + calls + 1) / Math.max(1, weight),
    );
    loads = loads.map((load) => (load === taker ? { ...load, trunks: load.trunks + 1 } : load));
    return taker?.id ?? null;
  };
}

/**
 * The node that should get one of `from`'s idle trunks; null: all is even. One more trunk there never
 * makes the move back worth while.
 */
export function recipientOf(from: NodeLoad, others: readonly NodeLoad[]): string | null {
  const open = others.filter((other) => callShare(other) < BUSY_SHARE);
  const poorest = least(open, (node) => trunkShare(node, 1));
  if (poorest && trunkShare(from, -1) >= trunkShare(poorest, 1)) return poorest.id;
  if (callShare(from) < BUSY_SHARE) return null;
  const calm = others.filter((other) => callShare(other) <= CALM_SHARE);
  return least(calm, callShare)?.id ?? null;
}
