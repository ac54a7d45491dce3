/** Records revocations for an open database; does nothing until a journal is attached. */
import type { Database } from "../../core/database.ts";

export function revocationNotes(): Pick<Database, "revocations" | "keepRevocations"> {
  let notes: Database["revocations"] | null = null;
  return {
    revocations: {
      note: async (queries, revocations) => notes?.note(queries, revocations),
    },
    keepRevocations(given) {
      notes = given;
    },
  };
}
