/** Who changed something: an API key, a person signed in, or the operator's command line. */
export type Author =
  | { readonly kind: "key" | "member"; readonly id: number }
  | { readonly kind: "operator" | "upgrade"; readonly id: null };

/** The command line, and whatever else the operator starts. */
export const OPERATOR: Author = { kind: "operator", id: null };
/** An upgrade of the appliance: what was there before versions were kept. */
export const UPGRADE: Author = { kind: "upgrade", id: null };

/** As it is stored: `key:7`, `operator`. */
export const authorText = ({ kind, id }: Author): string => (id === null ? kind : `${kind}:${id}`);

export function authorOf(text: string): Author {
  const [kind, id] = text.split(":");
  if (kind === "key" || kind === "member") return { kind, id: Number(id) };
  return kind === "upgrade" ? UPGRADE : OPERATOR;
}

/** What is stored with a version of an agent. */
export interface VersionNote {
  readonly author: Author;
  readonly nowMs: number;
  /** The version whose content is published again. */
  readonly restoredFrom?: number | null;
}
