/**
 * The index of passages as calls see it: what an agent knows is looked up turn by turn, and what an answer
 * was taken from is found afterwards. A scope names one tenant and files of it; nothing outside it is ever found.
 */
import type { FileFormat } from "./content.ts";

/** Maximum characters of a look-up; 30 seconds of speech are shorter. */
export const QUESTION_CHARACTERS_MAX = 600;

/** The files that an agent may answer from. */
export interface KnowledgeScope {
  readonly tenantId: number;
  readonly files: readonly IndexedFile[];
}

export interface IndexedFile {
  readonly id: number;
  readonly filename: string;
  readonly format: FileFormat;
  /** Changes with the content. */
  readonly version: number;
}

/** Part of a knowledge file, found for a question. */
export interface KnowledgePassage {
  readonly fileId: number;
  readonly filename: string;
  /** The headings above it, or the name of its row; empty: nothing names it. */
  readonly heading: string;
  readonly text: string;
  /** Share of what was asked for (or said) that stands in it, 0 to 1. */
  readonly coverage: number;
}

/** Implemented by adapter/knowledge. Nothing here rejects: an index that is away finds nothing. */
export interface KnowledgeIndex {
  /** Indexes what is missing or has changed, in the background. */
  prepare(scope: KnowledgeScope): void;
  /** The passages that fit a question best, the best first. `used`: told of tokens that a provider counted. */
  search(
    scope: KnowledgeScope,
    question: string,
    used?: (tokens: number) => void,
  ): Promise<readonly KnowledgePassage[]>;
  /** The passages that an answer repeats, the closest first; none: it came from elsewhere. */
  sourcesOf(scope: KnowledgeScope, answer: string): Promise<readonly KnowledgePassage[]>;
  /** What was derived from other files than these is deleted. */
  retain(tenantId: number, fileIds: readonly number[]): void;
}
