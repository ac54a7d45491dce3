/** Reason why a document cannot be read. */
import type { DocumentProblem } from "../documents.ts";

export class DocumentError extends Error {
  constructor(readonly problem: DocumentProblem) {
    super(problem);
    this.name = "DocumentError";
  }
}
