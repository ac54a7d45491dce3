/** Author of a change: an API key, a signed-in person, or the operator's command line. */
export type Author =
  | { readonly kind: "key" | "member"; readonly id: number }
  | { readonly kind: "operator" | "upgrade"; readonly id: null };

/** The command line, and everything else that the operator starts. */
export const OPERATOR: Author = { kind: "operator", id: null };
/** An upgrade of the appliance, for data from before versions existed. */
export const UPGRADE: Author = { kind: "upgrade", id: null };

/** Stored form: `key:7`, `operator`. */
export const authorText = ({ kind, id }: Author): string => (id === null ? kind : `${kind}:${id}`);

export function authorOf(text: string): Author {
  const [kind, id] = text.split(":");
  if (kind === "key" || kind === "member") return { kind, id: Number(id) };
  return kind === "upgrade" ? UPGRADE : OPERATOR;
}

/** Data stored with a version of an agent. */
export interface VersionNote {
  readonly author: Author;
  readonly nowMs: number;
  /** Number of the version whose content is published again. */
  readonly restoredFrom?: number | null;
}
