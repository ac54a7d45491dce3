/** The place of the journal of revocations in a database that is open: nowhere until one is attached. */
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
