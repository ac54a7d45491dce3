/**
 * Which regular expressions a tenant's schema may contain. A backtracking engine tries every way to
 * split a text among the repeats of a pattern, and nested repeats make that exponential. This file
 * counts in how many ways a group can match and allows a group to repeat only while that number is
 * small. Polynomial patterns pass; the deadline of the check limits those (argument-check.ts).
 */

const PATTERN_CHARACTERS_MAX = 200;
/** For one repeated group, all repetitions together. */
const WAYS_MAX = 1000;
/** Atoms of the pattern when {n} is expanded. */
const ATOMS_MAX = 2000;

const TOKEN =
  /\\k<|\\[1-9]|\\[\s\S]|\(\?(?:<?[=!])|\((?:\?:|\?<[A-Za-z_$][\w$]*>)?|\)|\||\[(?:\\[\s\S]|[^\]\\])*\]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/gy;
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??$/;
const PLAIN = /^[A-Za-z0-9 _,;:/@#%&=<>~"'!-]$/;

interface Sequence {
  /** In how many ways everything before the last atom matches. */
  ways: number;
  /** In how many ways the last atom matches; a quantifier may follow it. */
  last: number;
  /** Number of atoms before the last one, and in it. */
  atoms: number;
  lastAtoms: number;
  /** The first character, if it is a plain one. */
  head: string | null;
  isEmpty: boolean;
}

interface Group {
  readonly done: Sequence[];
  current: Sequence;
}

const newSequence = (): Sequence => ({
  ways: 1,
  last: 1,
  atoms: 0,
  lastAtoms: 0,
  head: null,
  isEmpty: true,
});
const newGroup = (): Group => ({ done: [], current: newSequence() });

/** One clause; null for a pattern that may be saved. */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARACTERS_MAX)
    return `a pattern must be at most ${PATTERN_CHARACTERS_MAX} characters`;
  try {
    new RegExp(pattern);
  } catch {
    return `the pattern ${pattern} is not a regular expression`;
  }
  return tokensProblem(pattern.match(TOKEN) ?? []);
}

function tokensProblem(tokens: readonly string[]): string | null {
  const groups: Group[] = [newGroup()];
  for (const token of tokens) {
    const group = groups.at(-1);
    if (!group) return null;
    if (/^\\(?:k<|[1-9])/.test(token)) return "a pattern must not refer back to a group (\\1)";
    if (/^\(\?<?[=!]/.test(token)) return "a pattern must not look ahead or behind";
    const quantifier = QUANTIFIER.exec(token);
    if (quantifier) {
      if (!repeat(group, token, quantifier))
        return "a pattern must not repeat a group that itself can match in many ways, as (a+)+ does; use one set with one repeat, like [a-z-]+";
    } else if (token.startsWith("(")) groups.push(newGroup());
    else if (token === ")") close(groups);
    else if (token === "|") next(group);
    else add(group, 1, 1, PLAIN.test(token) ? token : null);
  }
  const [whole] = groups;
  return whole && atomsOf(whole) > ATOMS_MAX
    ? `a pattern must match at most ${ATOMS_MAX} characters by its {n} repeats`
    : null;
}

function add({ current }: Group, ways: number, atoms: number, head: string | null): void {
  current.ways *= current.last;
  current.last = ways;
  current.atoms += current.lastAtoms;
  current.lastAtoms = atoms;
  if (current.isEmpty) current.head = head;
  current.isEmpty = false;
}

function next(group: Group): void {
  group.done.push(group.current);
  group.current = newSequence();
}

/** Makes the group an atom of the enclosing group. */
function close(groups: Group[]): void {
  const group = groups.pop();
  const outer = groups.at(-1);
  if (!group || !outer) return;
  next(group);
  const ways = group.done.map((sequence) => sequence.ways * sequence.last);
  const heads = new Set(group.done.map(({ head }) => head));
  const isTold = !heads.has(null) && heads.size === group.done.length;
  const sum = ways.reduce((total, each) => total + each, 0);
  add(outer, isTold || ways.length === 1 ? Math.max(...ways) : sum, atomsOf(group), null);
}

const atomsOf = ({ done, current }: Group) =>
  [...done, current].reduce((total, { atoms, lastAtoms }) => total + atoms + lastAtoms, 0);

/** Returns false if there are too many ways. */
function repeat(group: Group, token: string, [, least, range, most]: RegExpExecArray): boolean {
  const min = least === undefined ? (token.startsWith("+") ? 1 : 0) : Number(least);
  const max = maxOf(token, least, range, most);
  const { current } = group;
  const ways = current.last === 1 ? 1 : current.last ** max;
  if (max > 1 && ways > WAYS_MAX) return false;
  current.last = ways * (max - min + 1);
  current.lastAtoms *= Math.max(1, Number.isFinite(max) ? max : min);
  return true;
}

function maxOf(token: string, least?: string, range?: string, most?: string): number {
  if (token.startsWith("?")) return 1;
  if (least === undefined || most === "") return Number.POSITIVE_INFINITY;
  return Number(range === undefined ? least : most);
}
