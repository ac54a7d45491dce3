/** A tenant's contacts as a CSV file: imports it, after a preview if wanted, and exports it. */

import { yieldToEventLoop } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import type { Country } from "../number/national-form.ts";
import type { ContactFields } from "./contact-schema.ts";
import { type ContactRecord, Contacts, type ContactsDependencies } from "./contacts.ts";
import {
  contactCsvLine,
  contactsCsvHeader,
  type LineProblem,
  type ReadContact,
  readContactsCsv,
} from "./csv.ts";

const EXPORT_PAGE = 500;
/** Lines in one transaction, which takes some milliseconds. */
const BATCH_LINES = 50;
const PREVIEW_LINES = 20;

interface ImportReport {
  readonly dryRun: boolean;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly problemCount: number;
  readonly problems: readonly LineProblem[];
  /** The first contacts. */
  readonly preview: readonly ContactFields[];
}

interface ImportFile {
  readonly csv: string;
  /** Country whose national number format is accepted. */
  readonly country: Country | null;
  readonly dryRun: boolean;
  /** True: import the valid lines of a file with invalid ones. */
  readonly skipBad: boolean;
}

/**
 * A line whose number and name exist updates that contact; any other line creates one. "Do not call" is only
 * added, never removed.
 *
 * Each batch of lines has a separate transaction. After a crash a part is imported, and importing the file
 * again adds the rest. Throws valid_csv_required, plan_limit_reached.
 */
export async function importContacts(
  options: ContactsDependencies,
  tenantId: number,
  file: ImportFile,
): Promise<ImportReport> {
  const { database, clock } = options;
  const { csv, country } = file;
  const { contacts, problems, problemCount } = await readContactsCsv(csv, country, clock.now());
  const preview = contacts.slice(0, PREVIEW_LINES).map(fieldsOf);
  const dryRun = file.dryRun || (problemCount > 0 && !file.skipBad);
  const planned = await inBatches(contacts, async (batch) =>
    countsOf(await planOf(options, database.read, tenantId, batch)),
  );
  await options.quotas.require(database.read, tenantId, "contacts", planned.created);
  const counted = dryRun
    ? planned
    : await inBatches(contacts, (batch) =>
        database.tx((queries) => store(options, queries, tenantId, batch)),
      );
  return { dryRun, ...counted, problemCount, problems, preview };
}

interface Plan {
  readonly inserts: readonly ContactFields[];
  readonly updates: readonly { readonly id: number; readonly fields: ContactFields }[];
  readonly unchanged: number;
  /** Numbers to add to the do-not-call list. */
  readonly doNotCallNumbers: readonly string[];
}

interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

const countsOf = ({ inserts, updates, unchanged }: Plan): Counts => ({
  created: inserts.length,
  updated: updates.length,
  unchanged,
});

/** Sums the counts of all batches. Yields to the event loop in between. */
async function inBatches(
  contacts: readonly ReadContact[],
  work: (batch: readonly ReadContact[]) => Promise<Counts>,
): Promise<Counts> {
  const sum = { created: 0, updated: 0, unchanged: 0 };
  for (let at = 0; at < contacts.length; at += BATCH_LINES) {
    const counts = await work(contacts.slice(at, at + BATCH_LINES));
    sum.created += counts.created;
    sum.updated += counts.updated;
    sum.unchanged += counts.unchanged;
    await yieldToEventLoop();
  }
  return sum;
}

async function planOf(
  { records, doNotCallList }: ContactsDependencies,
  queries: Queries,
  tenantId: number,
  batch: readonly ReadContact[],
): Promise<Plan> {
  const numbers = [...new Set(batch.map(({ numberE164 }) => numberE164))];
  const known = new Map(
    (await records(queries).byNumbers(tenantId, numbers)).map((contact) => [
      personOf(contact),
      contact,
    ]),
  );
  const listed = await doNotCallList.among(queries, tenantId, numbers);
  const doNotCallNumbers: string[] = [];
  const inserts: ContactFields[] = [];
  const updates: { id: number; fields: ContactFields }[] = [];
  let unchanged = 0;
  for (const contact of batch) {
    const before = known.get(personOf(contact));
    // The file may be older than a "do not call": it adds some and removes none.
    const doNotCall =
      contact.doNotCall || before?.doNotCall === true || listed.has(contact.numberE164);
    if (doNotCall && !before?.doNotCall) doNotCallNumbers.push(contact.numberE164);
    const fields = { ...fieldsOf(contact), doNotCall };
    if (!before) inserts.push(fields);
    else if (isSame(before, fields)) unchanged++;
    else updates.push({ id: before.id, fields });
  }
  return { inserts, updates, unchanged, doNotCallNumbers };
}

async function store(
  options: ContactsDependencies,
  queries: Queries,
  tenantId: number,
  batch: readonly ReadContact[],
): Promise<Counts> {
  const plan = await planOf(options, queries, tenantId, batch);
  const contacts = options.records(queries);
  const nowMs = options.clock.now();
  if (plan.inserts.length > 0)
    await options.quotas.require(queries, tenantId, "contacts", plan.inserts.length);
  await contacts.insertMany(
    tenantId,
    plan.inserts.map((fields) => ({
      ...fields,
      pinHash: null,
      createdAt: nowMs,
      updatedAt: nowMs,
    })),
  );
  for (const { id, fields } of plan.updates)
    await contacts.update(tenantId, id, { ...fields, updatedAt: nowMs });
  await options.doNotCallList.note(queries, tenantId, plan.doNotCallNumbers);
  return countsOf(plan);
}

function fieldsOf({
  line: _,
  ...fields
}: ContactFields & { readonly line?: number }): ContactFields {
  return fields;
}

/** Number and name: several people may share a number. */
const personOf = ({ numberE164, firstName, lastName }: ContactFields): string =>
  `${numberE164} ${`${firstName} ${lastName}`.trim().toLowerCase()}`;

const isSame = (known: ContactRecord, fields: ContactFields) =>
  Object.entries(fields).every(([key, value]) => known[key as keyof ContactFields] === value);

/** Contacts one by one and as a file: the same rules for REST, dashboard and command line. */
export class ContactBook extends Contacts {
  import(tenantId: number, file: ImportFile): Promise<ImportReport> {
    return importContacts(this.deps, tenantId, file);
  }

  /** All contacts as CSV, piece by piece. */
  async *export(tenantId: number): AsyncIterable<string> {
    for (let after: number | null = 0; after !== null; ) {
      const piece: CsvPiece = await this.exportPiece(tenantId, after);
      yield piece.csv;
      after = piece.next;
    }
  }

  /** The CSV after this contact, with the header before the first. */
  async exportPiece(tenantId: number, after: number): Promise<CsvPiece> {
    const store = this.deps.records(this.deps.database.read);
    const page = await store.after(tenantId, after, EXPORT_PAGE);
    const lines = page.map(contactCsvLine).join("");
    return {
      csv: after === 0 ? `${contactsCsvHeader()}${lines}` : lines,
      next: page.length === EXPORT_PAGE ? (page.at(-1)?.id ?? null) : null,
    };
  }
}

interface CsvPiece {
  readonly csv: string;
  /** The last contact of this piece; null if nothing follows. */
  readonly next: number | null;
}
