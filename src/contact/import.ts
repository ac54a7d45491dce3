/** Bringing in a file of contacts: a preview first, then all good lines in one go. */
import type { Clock } from "../core/clock.ts";
import type { Country } from "../number/national-form.ts";
import type { Database, Queries } from "../store/database.ts";
import {
  CONTACTS_MAX,
  type ContactFields,
  type ContactRecord,
  type ContactRecords,
  tooMany,
} from "./contacts.ts";
import { contactCsvLine, contactsCsvHeader, type LineProblem, readContactsCsv } from "./csv.ts";
import type { Refusals } from "./refusals.ts";

const EXPORT_PAGE = 500;
const SAME_NUMBER_MAX = 50;
const PREVIEW_LINES = 20;

export interface ImportReport {
  readonly dryRun: boolean;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly problemCount: number;
  readonly problems: readonly LineProblem[];
  /** The first lines, as they were understood. */
  readonly preview: readonly ContactFields[];
}

export interface ImportOptions {
  readonly database: Database;
  readonly records: (queries: Queries) => ContactRecords;
  readonly refusals: Refusals;
  readonly clock: Clock;
}

/**
 * A line whose number and name are known changes that contact, any other makes a new one; "do not call" is
 * only ever added. Nothing is taken
 * when a line is wrong, unless `skipBad`. Throws valid_csv_required, plan_limit_reached.
 */
export async function importContacts(
  { database, records, refusals, clock }: ImportOptions,
  tenantId: number,
  file: {
    readonly csv: string;
    readonly country: Country | null;
    readonly dryRun: boolean;
    readonly skipBad: boolean;
  },
): Promise<ImportReport> {
  const { contacts, problems, problemCount } = readContactsCsv(file.csv, file.country);
  const report = {
    problemCount,
    problems,
    preview: contacts.slice(0, PREVIEW_LINES).map(fieldsOf),
  };
  const isRefused = problemCount > 0 && !file.skipBad;
  const dryRun = file.dryRun || isRefused;

  /** A file does not know who asked not to be called since: it adds refusals and lifts none. */
  async function hasRefused(queries: Queries, fields: ContactFields, known?: ContactRecord) {
    if (fields.doNotCall || known?.doNotCall) return true;
    return refusals.has(queries, tenantId, fields.numberE164);
  }

  const counted = await database.tx(async (queries) => {
    const store = records(queries);
    const counts = { created: 0, updated: 0, unchanged: 0 };
    let room = CONTACTS_MAX - (await store.count(tenantId, null));
    const nowMs = clock.now();
    const refused: string[] = [];
    for (const contact of contacts) {
      const known = await samePerson(store, tenantId, contact);
      const doNotCall = await hasRefused(queries, contact, known);
      const fields = { ...fieldsOf(contact), doNotCall };
      if (doNotCall && !known?.doNotCall) refused.push(contact.numberE164);
      if (known && isSame(known, fields)) counts.unchanged++;
      else if (known) {
        counts.updated++;
        if (!dryRun) await store.update(tenantId, known.id, { ...fields, updatedAt: nowMs });
      } else {
        counts.created++;
        if (room-- <= 0) throw tooMany();
        if (!dryRun)
          await store.insert(tenantId, {
            ...{ ...fields, pinHash: null, createdAt: nowMs, updatedAt: nowMs },
          });
      }
    }
    if (!dryRun) await refusals.note(queries, tenantId, refused);
    return counts;
  });
  return { dryRun, ...counted, ...report };
}

function fieldsOf({
  line: _,
  ...fields
}: ContactFields & { readonly line?: number }): ContactFields {
  return fields;
}

async function samePerson(
  store: ContactRecords,
  tenantId: number,
  { numberE164, firstName, lastName }: ContactFields,
): Promise<ContactRecord | undefined> {
  const named = ({ firstName: first, lastName: last }: ContactFields) => `${first} ${last}`.trim();
  const name = named({ firstName, lastName } as ContactFields).toLowerCase();
  const found = await store.byNumber(tenantId, numberE164, SAME_NUMBER_MAX);
  return found.find((contact) => named(contact).toLowerCase() === name);
}

const isSame = (known: ContactRecord, fields: ContactFields) =>
  Object.entries(fields).every(([key, value]) => known[key as keyof ContactFields] === value);

/** The whole book as CSV, piece by piece. */
export async function* exportContacts(
  store: ContactRecords,
  tenantId: number,
): AsyncIterable<string> {
  yield contactsCsvHeader();
  let last = 0;
  for (;;) {
    const page = await store.after(tenantId, last, EXPORT_PAGE);
    if (page.length === 0) return;
    yield page.map(contactCsvLine).join("");
    last = page.at(-1)?.id ?? last;
  }
}
