/** Bringing in a file of contacts: a preview first, then all good lines. */

import { type Clock, yieldToEventLoop } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import type { Quotas } from "../billing/quotas.ts";
import type { Country } from "../number/national-form.ts";
import type { ContactFields } from "./contact-schema.ts";
import type { ContactRecord, ContactRecords } from "./contacts.ts";
import {
  contactCsvLine,
  contactsCsvHeader,
  type LineProblem,
  type ReadContact,
  readContactsCsv,
} from "./csv.ts";
import type { DoNotCallList } from "./do-not-call.ts";

const EXPORT_PAGE = 500;
/** In one transaction: some milliseconds, however many of them change a contact. */
const BATCH_LINES = 50;
const PREVIEW_LINES = 20;

interface ImportReport {
  readonly dryRun: boolean;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly problemCount: number;
  readonly problems: readonly LineProblem[];
  /** The first lines, as they were understood. */
  readonly preview: readonly ContactFields[];
}

interface ImportOptions {
  readonly database: Database;
  readonly records: (queries: Queries) => ContactRecords;
  readonly doNotCallList: DoNotCallList;
  readonly quotas: Quotas;
  readonly clock: Clock;
}

/**
 * A line whose number and name are known changes that contact, any other makes a new one; "do not call" is
 * only ever added. Nothing is taken when a line is wrong, unless `skipBad`. Works in turns, each batch of lines
 * in a transaction of its own: a crash leaves a part imported, and the same file imports the rest.
 * Throws valid_csv_required, plan_limit_reached.
 */
export async function importContacts(
  options: ImportOptions,
  tenantId: number,
  file: {
    readonly csv: string;
    readonly country: Country | null;
    readonly dryRun: boolean;
    readonly skipBad: boolean;
  },
): Promise<ImportReport> {
  const { database } = options;
  const { contacts, problems, problemCount } = await readContactsCsv(file.csv, file.country);
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
  /** Numbers that are not to be called from now on. */
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

/** Sums what is done with each batch; others have a turn in between. */
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
  { records, doNotCallList }: ImportOptions,
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
    // A file does not know who asked not to be called since: it adds refusals and lifts none.
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
  options: ImportOptions,
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
      ...{ ...fields, pinHash: null, createdAt: nowMs, updatedAt: nowMs },
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
