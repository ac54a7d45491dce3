/**
 * Selects the node that should hold a trunk: the one with the fewest trunks and calls relative to
 * its weight. Pure rules; the leases apply them.
 */

export interface NodeLoad {
  readonly id: string;
  /** Maximum number of concurrent calls. */
  readonly weight: number;
  readonly trunks: number;
  readonly calls: number;
}

/** Above this share of its capacity, a node gives idle trunks away and receives none. */
const BUSY_SHARE = 0.8;
/** Up to this share of its capacity, a node receives trunks from a busy one. */
const CALM_SHARE = 0.5;

const callShare = ({ calls, weight }: NodeLoad) => calls / Math.max(1, weight);
const trunkShare = ({ trunks, weight }: NodeLoad, more: number) =>
  (trunks + more) / Math.max(1, weight);

/** Equal candidates are ordered by id, so that all nodes get the same result. */
function least(nodes: readonly NodeLoad[], measure: (node: NodeLoad) => number): NodeLoad | null {
  const [first] = [...nodes].sort((a, b) => measure(a) - measure(b) || (a.id < b.id ? -1 : 1));
  return first ?? null;
}

/**
 * Assigns trunks without a holder to the nodes, one after another. Returns null if there is no
 * node.
 */
export function createRoundRobin(nodes: readonly NodeLoad[]): () => string | null {
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
 * The node that should get one of `from`'s idle trunks; null if the distribution is even. The move
 * never makes a move back necessary.
 */
export function recipientOf(from: NodeLoad, others: readonly NodeLoad[]): string | null {
  const open = others.filter((other) => callShare(other) < BUSY_SHARE);
  const poorest = least(open, (node) => trunkShare(node, 1));
  if (poorest && trunkShare(from, -1) >= trunkShare(poorest, 1)) return poorest.id;
  if (callShare(from) < BUSY_SHARE) return null;
  const calm = others.filter((other) => callShare(other) <= CALM_SHARE);
  return least(calm, callShare)?.id ?? null;
}
