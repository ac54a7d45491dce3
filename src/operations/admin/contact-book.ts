/** A tenant's contacts, one by one and as a file: the same rules for REST, dashboard and command line. */

import { contactStore } from "../../adapter/store/contact-store.ts";
import { type ContactsDependencies, createContacts } from "../../domain/contact/contacts.ts";
import { contactCsvLine, contactsCsvHeader } from "../../domain/contact/csv.ts";
import { exportContacts, importContacts } from "../../domain/contact/import.ts";

const EXPORT_PAGE = 500;

export type ContactBook = ReturnType<typeof createContactBook>;

export function createContactBook(deps: Omit<ContactsDependencies, "records">) {
  const parts = { ...deps, records: contactStore };
  const stored = () => contactStore(deps.database.read);
  return {
    ...createContacts(parts),

    /** Throws valid_csv_required, plan_limit_reached. */
    import: (tenantId: number, file: Parameters<typeof importContacts>[2]) =>
      importContacts(parts, tenantId, file),

    /** All of it as CSV, piece by piece. */
    export: (tenantId: number) => exportContacts(stored(), tenantId),

    /** A piece of the CSV after this contact, with the header before the first; `next` null: that was all. */
    async exportPiece(
      tenantId: number,
      after: number,
    ): Promise<{ readonly csv: string; readonly next: number | null }> {
      const page = await stored().after(tenantId, after, EXPORT_PAGE);
      const lines = page.map(contactCsvLine).join("");
      return {
        csv: after === 0 ? `${contactsCsvHeader()}${lines}` : lines,
        next: page.length === EXPORT_PAGE ? (page.at(-1)?.id ?? null) : null,
      };
    },
  };
}
