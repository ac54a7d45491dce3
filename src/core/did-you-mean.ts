/**
 * The known name nearest to a mistyped one, by Damerau-Levenshtein distance; null if none is near.
 */
export function nearest(name: string, known: readonly string[]): string | null {
  const limit = Math.max(2, Math.floor(name.length / 3));
  let best: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    const found = distance(name.toLowerCase(), candidate.toLowerCase());
    if (found <= limit && (best === null || found < best.distance))
      best = { name: candidate, distance: found };
  }
  return best?.name ?? null;
}

const NAME_CHARACTERS_MAX = 120;

function distance(left: string, right: string): number {
  if (left.length > NAME_CHARACTERS_MAX) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      const edited = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(swapped ? Math.min(edited, (beforeLast[column - 2] ?? 0) + 1) : edited);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}
