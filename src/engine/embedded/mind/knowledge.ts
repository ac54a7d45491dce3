import type { KnowledgeSnapshot } from "../../../worker/messages.ts";

/** One thing the agent knows: what may be asked, and the answer, word for word. */
export interface KnowledgeEntry {
  /** Empty for a bare paragraph. The first is the one read out in "did you mean". */
  readonly questions: readonly string[];
  readonly answer: string;
}

export function parseKnowledge(_files: readonly KnowledgeSnapshot[]): readonly KnowledgeEntry[] {
  return [];
}
