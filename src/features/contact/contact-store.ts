/** Contacts: rows of `contacts`. */
import { and, asc, eq, getTableColumns, gt, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { ownedRows } from "../../store/query/owned-rows.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { contacts } from "../../store/schema/index.ts";
import type { ContactRecords } from "./contacts.ts";

const SAME_NUMBER_MAX = 50;

const { tenantId, ...COLUMNS } = getTableColumns(contacts);

const IN_ORDER = [asc(contacts.lastName), asc(contacts.firstName), asc(contacts.id)];

export function contactStore(queries: Queries): ContactRecords {
  const rows = ownedRows(queries, contacts, COLUMNS);
  return {
    ...contactLists(queries),
    ...contactsByNumber(queries),
    count: rows.count,
    find: rows.find,
    insert: (tenantId, contact) => rows.insert({ ...contact, tenantId }),
    update: rows.update,
    remove: rows.remove,

    async insertMany(tenantId, many) {
      if (many.length === 0) return;
      await queries.insert(contacts).values(many.map((contact) => ({ ...contact, tenantId })));
    },
  };
}

const contactLists = (queries: Queries): Pick<ContactRecords, "list" | "withIds" | "after"> => ({
  async list(tenantId, { limit, offset }) {
    return await pageOfContacts(queries).all({ tenantId, limit, offset });
  },

  async withIds(tenantId, ids) {
    if (ids.length === 0) return [];
    return await contactsWithIds(queries).all({ tenantId, ids: `[${ids.join()}]` });
  },

  async after(tenantId, id, limit) {
    return await queries
      .select(COLUMNS)
      .from(contacts)
      .where(and(eq(contacts.tenantId, tenantId), gt(contacts.id, id)))
      .orderBy(asc(contacts.id))
      .limit(limit);
  },
});

const pageOfContacts = statement((queries) =>
  queries
    .select(COLUMNS)
    .from(contacts)
    .where(eq(contacts.tenantId, arg("tenantId")))
    .orderBy(...IN_ORDER)
    .limit(arg("limit"))
    .offset(arg("offset"))
    .prepare(),
);

/** The query of `withIds`. Exported for a test of its query plan. */
export const contactsByIds = (queries: Queries) =>
  queries
    .select(COLUMNS)
    .from(contacts)
    .where(
      and(
        inArray(contacts.id, sql`(SELECT value FROM json_each(${arg("ids")}))`),
        // The plus prevents SQLite from reading all contacts of the tenant in this order.
        sql`+${contacts.tenantId} = ${arg("tenantId")}`,
      ),
    )
    .orderBy(...IN_ORDER);
const contactsWithIds = statement((queries) => contactsByIds(queries).prepare());

const contactsWithNumber = statement((queries) =>
  queries
    .select(COLUMNS)
    .from(contacts)
    .where(and(eq(contacts.tenantId, arg("tenantId")), eq(contacts.numberE164, arg("numberE164"))))
    .orderBy(asc(contacts.id))
    .limit(arg("limit"))
    .prepare(),
);

const hasNumber = and(
  eq(contacts.tenantId, arg("tenantId")),
  inArray(contacts.numberE164, sql`(SELECT value FROM json_each(${arg("numbers")}))`),
);
const manyNumbers = (tenantId: number, numbersE164: readonly string[]) => ({
  tenantId,
  numbers: JSON.stringify(numbersE164),
  limit: numbersE164.length * SAME_NUMBER_MAX,
});

const contactsWithNumbers = statement((queries) =>
  queries
    .select(COLUMNS)
    .from(contacts)
    .where(hasNumber)
    .orderBy(asc(contacts.id))
    .limit(arg("limit"))
    .prepare(),
);

const namesWithNumbers = statement((queries) =>
  queries
    .select({
      numberE164: contacts.numberE164,
      firstName: contacts.firstName,
      lastName: contacts.lastName,
    })
    .from(contacts)
    .where(hasNumber)
    .orderBy(asc(contacts.id))
    .limit(arg("limit"))
    .prepare(),
);

/** Numbers with the name of a contact who has it; the oldest contact wins. */
export async function contactNames(
  queries: Queries,
  tenantId: number,
  numbersE164: readonly string[],
): Promise<[string, string][]> {
  const rows = await namesWithNumbers(queries).values(manyNumbers(tenantId, numbersE164));
  return rows.map(([number, first, last]) => [String(number), `${first} ${last}`.trim()]);
}

const contactsByNumber = (
  queries: Queries,
): Pick<ContactRecords, "byNumber" | "byNumbers" | "setDoNotCall"> => ({
  async byNumber(tenantId, numberE164, limit) {
    return await contactsWithNumber(queries).all({ tenantId, numberE164, limit });
  },

  async byNumbers(tenantId, numbersE164) {
    return await contactsWithNumbers(queries).all(manyNumbers(tenantId, numbersE164));
  },

  async setDoNotCall(tenantId, numberE164, nowMs) {
    const rows = await queries
      .update(contacts)
      .set({ doNotCall: true, updatedAt: nowMs })
      .where(and(eq(contacts.tenantId, tenantId), eq(contacts.numberE164, numberE164)))
      .returning({ id: contacts.id });
    return rows.length;
  },
});
