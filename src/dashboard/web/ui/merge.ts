/**
 * Merges two changes of one record: finds the fields that only one person changed, and those that
 * both changed.
 */

/** A field that both changed, each to a different value. */
export interface Clash {
  readonly name: string;
  readonly label: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** `mine` wins if both changed a field. */
export function merged<Values extends object>(
  before: Values,
  mine: Values,
  theirs: Values,
): { readonly values: Values; readonly clashes: readonly Clash[] } {
  const clashes: Clash[] = [];
  const entries = Object.entries(mine).map(([name, value]) => {
    const key = name as keyof Values;
    if (isSame(value, before[key])) return [name, theirs[key]];
    if (!isSame(theirs[key], before[key]) && !isSame(theirs[key], value))
      clashes.push({ name, label: name, mine: value, theirs: theirs[key] });
    return [name, value];
  });
  return { values: Object.fromEntries(entries) as Values, clashes };
}

/** The fields of a request body that differ from the unchanged body. */
export const changesOf = <Body extends object>(before: Body, after: Body): Partial<Body> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isSame(value, before[name as keyof Body])),
  ) as Partial<Body>;
