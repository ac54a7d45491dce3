/**
 * The passage index for calls. It finds knowledge for each turn, and later the sources of each answer. A scope
 * lists files of one tenant; results come only from the scope.
 */
import type { FileFormat } from "./content.ts";

/** Maximum characters of a question; 30 seconds of speech are shorter. */
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
  /** Headings above it, or the name of its row; empty if neither exists. */
  readonly heading: string;
  readonly text: string;
  /** Share of the question (or answer) that the passage contains, 0 to 1. */
  readonly coverage: number;
}

/** Implemented by features/knowledge/index. Nothing here rejects: an unavailable index finds nothing. */
export interface KnowledgeIndex {
  /** Indexes missing and changed files in the background. */
  prepare(scope: KnowledgeScope): void;
  /** The best passages for a question, the best first. `used` gets the tokens that a provider counted. */
  search(
    scope: KnowledgeScope,
    question: string,
    used?: (tokens: number) => void,
  ): Promise<readonly KnowledgePassage[]>;
  /** The passages that an answer repeats, the best match first; empty if the answer has another source. */
  sourcesOf(scope: KnowledgeScope, answer: string): Promise<readonly KnowledgePassage[]>;
  /** Deletes the index of all files except these. */
  retain(tenantId: number, fileIds: readonly number[]): void;
}
